/// Which names are sensitive, and of what class: policy, not fact (CHECKLIST §4). The lists that ship
/// (`Rules/lexicon/`) are joined by a project's own names.
package struct Lexicon: Equatable, Sendable {
  /// What one name in a list stands for.
  struct Term: Equatable, Sendable {
    var words: [String]
    var classes: Set<String>
    /// Words of which one must stand in the same name: `pin` is one of a user, not of a board.
    var with: Set<String> = []
    /// Whether it counts only where the name is this word and no other.
    var isAlone = false
  }

  /// A sensitive name, found.
  package struct Sight: Equatable, Sendable {
    package var name: String
    package var classes: [String]
  }

  /// Terms by their first word.
  private(set) var terms: [String: [Term]] = [:]
  /// Terms written as one word: `accesstoken`.
  private(set) var joined: [String: Term] = [:]
  /// Long terms count as the end of a longer word too: `mypassword`.
  private(set) var endings: [(word: String, term: Term)] = []
  /// Chinese is not split into words: terms are looked for anywhere in it.
  private(set) var wide: [Term] = []
  /// Words behind a term that make the whole something else: `passwordLength`.
  private(set) var heads: Set<String> = []
  /// Words before a term that make the whole a question or an act: `hasPassword`.
  private(set) var openings: Set<String> = []
  /// Phrases that hold a term and mean something else, by their first word: `token bucket`,
  /// `pin code style`.
  private(set) var harmless: [String: [[String]]] = [:]
  /// Values that must not be seen, however they are named.
  private(set) var values: [[UInt8]] = []

  /// Functions of a project that hand on to a log what they are given: `Tracer.note`.
  package private(set) var logFunctions: [String] = []

  package init() {}

  package static func == (one: Lexicon, other: Lexicon) -> Bool {
    one.terms == other.terms && one.wide == other.wide && one.heads == other.heads
      && one.openings == other.openings && one.harmless == other.harmless
      && one.values == other.values
  }

  mutating func add(
    _ phrase: String, _ classes: Set<String>, with: Set<String> = [], isAlone: Bool = false
  ) {
    let words = Words(phrase).words
    guard let first = words.first else { return }
    let term = Term(words: words, classes: classes, with: with, isAlone: isAlone)
    if first.unicodeScalars.first.map({ $0.value >= 0x3040 }) == true {
      wide.append(Term(words: [words.joined()], classes: classes, with: with))
      return
    }
    terms[first, default: []].append(term)
    let whole = words.joined()
    if words.count > 1 { joined[whole] = term }
    if whole.utf8.count >= 7 { endings.append((whole, term)) }
  }

  mutating func add(heads: [String], openings: [String], harmless: [String]) {
    self.heads.formUnion(heads)
    self.openings.formUnion(openings)
    for phrase in harmless.map({ Words($0).words }) where !phrase.isEmpty {
      self.harmless[phrase[0], default: []].append(phrase)
    }
  }

  mutating func add(logFunctions: [String]) { self.logFunctions += logFunctions }

  /// Adds values that are sensitive wherever they stand in a literal.
  package mutating func add(values: [String]) {
    self.values += values.map { Array($0.utf8) }.filter { $0.count >= 4 }
  }

  /// Every class that a term has, for `classified: [class]` in rule files.
  package var classes: Set<String> {
    var all: Set<String> = ["value"]
    for term in terms.values.joined() { all.formUnion(term.classes) }
    for term in wide { all.formUnion(term.classes) }
    return all
  }
}

extension Lexicon {
  /// The classes that a name has; none where it is harmless.
  package func classes(of name: String) -> Set<String> {
    if holdsValue(name) { return ["value"] }
    let words = Words(name).words
    guard !words.isEmpty else { return [] }
    var found: Set<String> = []
    for index in words.indices {
      for (term, end) in matches(in: words, at: index) where isMeant(term, index..<end, words) {
        found.formUnion(term.classes)
      }
    }
    if name.utf8.contains(where: { $0 >= 0x80 }) {
      for term in wide where name.contains(term.words[0]) { found.formUnion(term.classes) }
    }
    return found
  }

  private func holdsValue(_ name: String) -> Bool {
    guard !values.isEmpty else { return false }
    let bytes = Array(name.utf8)
    return values.contains { value in
      value.count <= bytes.count
        && (0...bytes.count - value.count).contains {
          bytes[$0] == value[0] && bytes[$0...].starts(with: value)
        }
    }
  }

  private func matches(in words: [String], at index: Int) -> [(Term, Int)] {
    var matches: [(Term, Int)] = []
    let word = words[index]
    for form in Self.forms(of: word) {
      for term in terms[form] ?? [] {
        let end = index + term.words.count
        guard end <= words.count else { continue }
        let rest = zip(words[(index + 1)..<end], term.words.dropFirst())
        if rest.allSatisfy({ Self.forms(of: $0).contains($1) }) { matches.append((term, end)) }
      }
      if let term = joined[form] { matches.append((term, index + 1)) }
    }
    if matches.isEmpty, word.utf8.count > 7,
      let ending = endings.first(where: { word.hasSuffix($0.word) || word.hasPrefix($0.word) })
    {
      matches.append((ending.term, index + 1))
    }
    return matches
  }

  /// A word, and what it is the plural of.
  private static func forms(of word: String) -> [String] {
    guard word.hasSuffix("s"), word.utf8.count > 3 else { return [word] }
    return word.hasSuffix("es")
      ? [word, String(word.dropLast()), String(word.dropLast(2))] : [word, String(word.dropLast())]
  }

  /// Whether a term in a name means the value itself: not a question about it, not something of it.
  private func isMeant(_ term: Term, _ range: Range<Int>, _ words: [String]) -> Bool {
    if term.isAlone { return range.count == words.count }
    if !term.with.isEmpty, words.allSatisfy({ !term.with.contains($0) }) { return false }
    if let first = words.first, range.lowerBound > 0, openings.contains(first) { return false }
    if words[range.upperBound...].contains(where: {
      heads.contains($0) || heads.contains(Self.singular($0))
    }) {
      return false
    }
    return !(0..<range.upperBound).contains { start in
      (harmless[words[start]] ?? []).contains { phrase in
        start + phrase.count > range.lowerBound && words[start...].starts(with: phrase)
      }
    }
  }

  private static func singular(_ word: String) -> String { forms(of: word).last ?? word }
}
