/// The words of all rules, each once, in the order they came in.
struct WordList: Sendable {
  /// Lower case in ASCII.
  private(set) var words: [[UInt8]] = []
  private var numbers: [[UInt8]: Int] = [:]

  /// The number of a word, which is added where it is new; -1 for one too short to be looked for.
  mutating func add(_ word: String) -> Int {
    let folded = word.utf8.map(ContextWords.fold)
    if let known = numbers[folded] { return known }
    guard folded.count >= 2 else { return -1 }
    numbers[folded] = words.count
    words.append(folded)
    return words.count - 1
  }
}

/// The words a rule wants near, and those it wants away.
struct RuleWords: Sendable {
  private(set) var wanted = WordSet()
  /// Those that count in the name of a value.
  private(set) var unwanted = WordSet()
  /// Those that count in the names of other values, too.
  private(set) var foreign = WordSet()

  init(_ rule: Rule, in words: inout WordList) {
    for word in rule.context { wanted.insert(words.add(word)) }
    for word in rule.contextNot { unwanted.insert(words.add(word)) }
    for word in rule.blockNot { foreign.insert(words.add(word)) }
  }

  var isEmpty: Bool { wanted.isEmpty && unwanted.isEmpty && foreign.isEmpty }
}

/// A set of word numbers, one bit each.
struct WordSet: Sendable {
  private var bits: [UInt64] = []
  private(set) var isEmpty = true

  mutating func insert(_ word: Int) {
    guard word >= 0 else { return }
    while bits.count <= word / 64 { bits.append(0) }
    bits[word / 64] |= 1 << UInt64(word % 64)
    isEmpty = false
  }

  func contains(_ word: Int) -> Bool {
    word / 64 < bits.count && bits[word / 64] & (1 << UInt64(word % 64)) != 0
  }

  func overlaps(_ other: WordSet) -> Bool {
    for index in 0..<min(bits.count, other.bits.count) where bits[index] & other.bits[index] != 0 {
      return true
    }
    return false
  }

  mutating func removeAll() {
    for index in bits.indices { bits[index] = 0 }
    isEmpty = true
  }
}
