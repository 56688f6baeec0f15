import Bytes
import Findings

/// The rules and needles of a scan, compiled: what every task searches with. A class, since it is looked at
/// for every value and a copy would count each of its lists.
package final class Engine: Sendable {
  package let rules: [Rule]
  package let needles: [Needle]
  /// How many forms the needles have in all.
  package let formCount: Int

  let forms: [[NeedleForm]]
  /// The words of needles that have several.
  let needleWords: [NeedleWords?]
  let literals: [LiteralDatabase.Literal]
  let uses: FlatLists<Use>
  /// Context words that a literal starts.
  let literalWords: FlatLists<Int>
  let literalSizes: [Int]
  let database: LiteralDatabase
  let differences: Differences
  let contextWords: ContextWords
  let ruleWords: [RuleWords]
  let checksums: [Checksum?]
  /// Rules found by runs of letters and digits, the shortest first.
  let runRules: [RunRule]
  /// Rules found by runs of digits: those that want a word near, and those that look everywhere.
  let digitRules: [Int]
  let freeDigitRules: [Int]
  /// Rules that expanded AES keys are reported by.
  let scheduleRules: [Int]
  /// How far before its anchor a rule's match may start.
  let lookbacks: [Int]
  package let reveals: Bool

  /// What a literal stands for.
  enum Use: Sendable {
    case needle(Int, form: Int)
    /// The longest of a needle's words.
    case word(needle: Int)
    case anchor(rule: Int, Encoding)
  }

  enum Encoding: Sendable {
    case bytes, utf16LittleEndian, utf16BigEndian
  }

  /// A rule found by runs, and what a run must be for it: looked at for every run of every file.
  struct RunRule: Sendable {
    var rule: Int
    var minimum: Int
    var maximum: Int
    var classes: RunFinder.Classes

    init?(_ rule: Int, _ run: Rule.Run?) {
      guard let run else { return nil }
      switch run.alphabet {
      case .hex: classes = .hexadecimal
      case .base32: classes = .base32
      case .base64: classes = .base64
      case .alnum: classes = .alphanumeric
      case .digits: return nil
      }
      self.rule = rule
      minimum = run.minimum
      maximum = run.maximum
    }
  }

  /// The rules and needles cannot be searched with.
  package enum BuildError: Error, Equatable {
    case needle(NeedleError)
    case compile(message: String)
    case nothingToFind
  }

  /// - Parameter allowsNothing: whether there may be neither rule nor needle, because checklist rules
  ///   are what counts.
  package init(
    rules: [Rule], needles: [Needle], reveals: Bool = false, allowsNothing: Bool = false
  ) throws(BuildError) {
    guard allowsNothing || !rules.isEmpty || !needles.isEmpty else { throw .nothingToFind }
    self.rules = rules
    self.needles = needles
    self.reveals = reveals
    var forms: [[NeedleForm]] = []
    for needle in needles {
      do throws(NeedleError) { forms.append(try needle.forms()) } catch { throw .needle(error) }
    }
    self.forms = forms
    formCount = forms.reduce(0) { $0 + $1.count }
    var list = WordList()
    ruleWords = rules.map { RuleWords($0, in: &list) }
    let words = ContextWords(list)
    contextWords = words
    needleWords = needles.map { NeedleWords($0) }
    let table = LiteralTable(
      rules: rules, forms: forms, needleWords: needleWords, words: words, of: ruleWords)
    literals = table.literals
    uses = FlatLists(table.uses)
    literalWords = FlatLists(table.words)
    literalSizes = literals.map(\.bytes.count)
    do throws(LiteralDatabase.CompileError) {
      database = try LiteralDatabase(literals)
      differences = try Differences(needles: needles, forms: forms)
    } catch {
      throw .compile(message: error.message)
    }
    checksums = rules.map { $0.checksum.flatMap(Checksum.named) }
    runRules = rules.indices.compactMap { RunRule($0, rules[$0].run) }
      .sorted { $0.minimum < $1.minimum }
    let digits = rules.indices.filter { rules[$0].run?.alphabet == .digits }
    let named = digits.filter { !rules[$0].context.isEmpty }
    digitRules = named
    freeDigitRules = digits.filter { rules[$0].context.isEmpty }
    scheduleRules = rules.indices.filter { rules[$0].finder == .aesKeySchedule }
    lookbacks = rules.map { $0.startsWithAnchor ? 0 : $0.lookback }
  }
}

extension Engine.BuildError: Explained {
  package var problem: String {
    switch self {
    case .needle(let error): error.problem
    case .compile(let message): "the search database could not be compiled: \(message)"
    case .nothingToFind: "no rule and no needle is in effect"
    }
  }

  package var remedy: String {
    switch self {
    case .needle(let error): error.remedy
    case .compile: "leave out the needle or rule that was added last"
    case .nothingToFind: "name a pack with --packs, or give --needles FILE"
    }
  }
}

/// The distinct literals of needles and rules, each with all it stands for.
struct LiteralTable {
  private(set) var literals: [LiteralDatabase.Literal] = []
  private(set) var uses: [[Engine.Use]] = []
  private(set) var words: [[Int]] = []
  private var numbers: [LiteralDatabase.Literal: Int] = [:]

  init(
    rules: [Rule], forms: [[NeedleForm]], needleWords: [NeedleWords?], words: ContextWords,
    of ruleWords: [RuleWords]
  ) {
    for (needle, forms) in forms.enumerated() {
      for (form, value) in forms.enumerated() {
        add(value.bytes, ignoresCase: value.ignoresCase, .needle(needle, form: form))
      }
    }
    for (needle, words) in needleWords.enumerated() {
      guard let words else { continue }
      add(words.anchor, ignoresCase: words.ignoresCase, .word(needle: needle))
    }
    for (rule, value) in rules.enumerated() {
      for anchor in value.anchors { addAnchor(anchor, of: rule, ignoresCase: value.ignoresCase) }
    }
    // Digits stand everywhere: they are looked for where a word of a digit rule was seen.
    let digitRules = rules.indices.filter { rules[$0].run?.alphabet == .digits }
    for word in 0..<words.count
    where digitRules.contains(where: { ruleWords[$0].wanted.contains(word) }) {
      for literal in words.literals(of: word) {
        self.words[number(of: .init(literal, ignoresCase: true))].append(word)
      }
    }
  }

  /// An anchor that is text is looked for in UTF-16 too: strings of applications often are.
  private mutating func addAnchor(_ anchor: [UInt8], of rule: Int, ignoresCase: Bool) {
    add(anchor, ignoresCase: ignoresCase, .anchor(rule: rule, .bytes))
    guard let text = String(validating: anchor, as: UTF8.self),
      text.unicodeScalars.allSatisfy({ $0.value >= 0x20 })
    else { return }
    let units = Array(text.utf16)
    // One character of two bytes would be seen everywhere.
    guard units.count >= 2 else { return }
    let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    add(little, ignoresCase: ignoresCase, .anchor(rule: rule, .utf16LittleEndian))
    add(big, ignoresCase: ignoresCase, .anchor(rule: rule, .utf16BigEndian))
  }

  private mutating func add(_ bytes: [UInt8], ignoresCase: Bool, _ use: Engine.Use) {
    uses[number(of: .init(bytes, ignoresCase: ignoresCase))].append(use)
  }

  private mutating func number(of literal: LiteralDatabase.Literal) -> Int {
    if let known = numbers[literal] { return known }
    numbers[literal] = literals.count
    literals.append(literal)
    uses.append([])
    words.append([])
    return literals.count - 1
  }
}

extension Engine {
  /// Whether there is nothing to search bytes for.
  package var isEmpty: Bool { rules.isEmpty && needles.isEmpty }

  /// A leak of a needle, made for the positive control: its plainest form, as a field of its own.
  package func planted(_ needle: Int) -> [UInt8] {
    forms[needle].first?.bytes ?? []
  }

  /// The forms of a needle that can stand in a name: text, and long enough not to be part of others.
  package func texts(_ needle: Int) -> [[UInt8]] {
    forms[needle].map(\.bytes).filter { bytes in
      bytes.count >= 6 && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
        && String(validating: bytes, as: UTF8.self) != nil
    }
  }

  /// How many bits the form of a needle holds, for the expected number of chance hits.
  package func bits(of hit: ChanceHit) -> Double {
    forms[hit.needle].first { $0.name == hit.form }?.bits ?? 0
  }
}
