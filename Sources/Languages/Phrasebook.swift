package import Findings

/// What the program says, in one language. English is what the sources are written in; another language
/// is a catalogue, `Rules/languages/<language>.yaml`, of English sentences with their translation.
///
/// A sentence may have holes: `{}` takes over what stands there, `{t}` translates it. What has no entry
/// stays English: a report must never lose what it says.
package struct Phrasebook: Sendable {
  package let language: Language
  private let exact: [String: String]
  private let patterns: [Pattern]
  private let errors: [Pattern]
  private let titles: [Pattern]
  private let inspection: Sentences
  private let proof: Sentences
  private let help: [String: String]
  private let helpPatterns: [Pattern]
  /// The words of the HTML report's scripts, which are looked up there.
  package let page: [(english: String, translation: String)]

  package static let english = Phrasebook()
  package static let simplifiedChinese = Phrasebook(.simplifiedChinese)

  package static func of(_ language: Language) -> Phrasebook {
    switch language {
    case .english: english
    case .simplifiedChinese: simplifiedChinese
    }
  }

  private init() {
    language = .english
    exact = [:]
    patterns = []
    errors = []
    titles = []
    inspection = Sentences([])
    proof = Sentences([])
    help = [:]
    helpPatterns = []
    page = []
  }

  private init(_ language: Language) {
    // The catalogue is part of the program; a test reads it and fails on any fault.
    self.init(language, (try? Catalogue.builtIn(language)) ?? Catalogue())
  }

  package init(_ language: Language, _ catalogue: Catalogue) {
    self.language = language
    exact = Dictionary(
      (catalogue.phrases + catalogue.titles + catalogue.errors + catalogue.page).filter {
        Catalogue.holes($0.english) == 0
      }
      .map { ($0.english, $0.translation) },
      uniquingKeysWith: { first, _ in first })
    func patterns(_ entries: [Catalogue.Entry]) -> [Pattern] {
      entries.filter { Catalogue.holes($0.english) > 0 }.map(Pattern.init)
    }
    self.patterns = patterns(catalogue.phrases)
    errors = patterns(catalogue.errors)
    titles = patterns(catalogue.titles)
    inspection = Sentences(catalogue.inspection)
    proof = Sentences(catalogue.proof)
    help = Dictionary(
      catalogue.help.map { ($0.english, $0.translation) }, uniquingKeysWith: { first, _ in first })
    helpPatterns = patterns(catalogue.help)
    page = catalogue.page
  }

  /// A text in this language.
  package func callAsFunction(_ english: String) -> String {
    translation(of: english, depth: 0) ?? english
  }

  /// The title of a rule, or what it says to do.
  package func title(_ english: String) -> String {
    exact[english] ?? Self.translation(of: english, by: titles) { [self] in
      Self.translation(of: $0, by: titles) { _ in nil }
    } ?? self(english)
  }

  /// A sentence that is translated as a whole, or not at all: a person's own words stay theirs.
  package func whole(_ english: String) -> String { exact[english] ?? english }

  /// Names, and the line they stand in.
  func names(_ english: Substring) -> String {
    guard language != .english, let place = english.ranges(of: " in line ").last,
      english[place.upperBound...].allSatisfy(\.isNumber)
    else { return String(english) }
    return english[..<place.lowerBound] + "（" + self("line " + english[place.upperBound...]) + "）"
  }

  /// What `--help` says, or nothing where it is not known in this language.
  package func help(_ english: String) -> String? {
    if language == .english { return english }
    return help[english] ?? Self.translation(of: english, by: helpPatterns) { _ in nil }
  }

  /// What an inspection calls a part of a file, or says of it.
  package func inspection(_ english: String) -> String {
    if language == .english { return english }
    return inspection.translation(of: english) ?? self(english)
  }

  /// What a proof says: of scenarios, places, faults, and what came of them.
  package func proof(_ english: String) -> String {
    if language == .english { return english }
    return proof.translation(of: english) ?? self(english)
  }

  /// What is wrong, or what to do about it. These sentences are short and would fit much else, so that
  /// they are tried for nothing but errors.
  package func error(_ english: String) -> String {
    translation(of: english, depth: 0) ?? Self.translation(of: english, by: errors) { [self] in
      translation(of: $0, depth: 1) ?? Self.translation(of: $0, by: errors) { _ in nil }
    } ?? english
  }

  /// A sentence with holes, filled in order with texts that are taken as they are.
  package func callAsFunction(_ english: String, _ values: String...) -> String {
    Pattern.fill(format(english), values)
  }

  /// The sentence whose holes are still empty.
  private func format(_ english: String) -> String {
    if let pattern = patterns.first(where: { $0.english == english }) { return pattern.translation }
    return page.first { $0.english == english }?.translation ?? english
  }

  /// Holes within holes are followed only so far: what stands in them may come from a scanned file.
  private func translation(of english: String, depth: Int) -> String? {
    guard language != .english, depth < 3 else { return nil }
    if let known = exact[english] { return known }
    return Self.translation(of: english, by: patterns) { translation(of: $0, depth: depth + 1) }
  }

  fileprivate static func translation(
    of english: String, by patterns: [Pattern], inner: (String) -> String?
  ) -> String? {
    let text = Array(english.utf8)
    for pattern in patterns {
      guard let values = pattern.match(text) else { continue }
      let filled = zip(values, pattern.isTranslated).map { value, isTranslated in
        isTranslated ? inner(value) ?? value : value
      }
      return Pattern.fill(pattern.translation, filled)
    }
    return nil
  }
}

/// Sentences of one part of the program: too short, or too like others, to be looked for elsewhere.
private struct Sentences: Sendable {
  private let exact: [String: String]
  private let patterns: [Pattern]

  init(_ entries: [Catalogue.Entry]) {
    exact = Dictionary(
      entries.map { ($0.english, $0.translation) }, uniquingKeysWith: { first, _ in first })
    patterns = entries.filter { Catalogue.holes($0.english) > 0 }.map(Pattern.init)
  }

  /// Holes within holes are followed only so far, as elsewhere.
  func translation(of english: String, depth: Int = 0) -> String? {
    guard depth < 3 else { return nil }
    return exact[english]
      ?? Phrasebook.translation(of: english, by: patterns) {
        translation(of: $0, depth: depth + 1)
      }
  }
}

/// A sentence with holes.
private struct Pattern: Sendable {
  let english: String
  let translation: String
  /// What stands between the holes, and whether each hole is translated.
  private let parts: [[UInt8]]
  let isTranslated: [Bool]

  init(_ entry: (english: String, translation: String)) {
    english = entry.english
    translation = entry.translation
    var parts: [[UInt8]] = [[]]
    var isTranslated: [Bool] = []
    var rest = Array(entry.english.utf8)[...]
    while let byte = rest.first {
      if rest.starts(with: Array("{}".utf8)) || rest.starts(with: Array("{t}".utf8)) {
        isTranslated.append(rest[rest.startIndex + 1] == UInt8(ascii: "t"))
        rest = rest.drop { $0 != UInt8(ascii: "}") }.dropFirst()
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
        rest = rest.dropFirst()
      }
    }
    self.parts = parts
    self.isTranslated = isTranslated
  }

  /// What stands in the holes, if the text is this sentence. Each hole takes as little as it can, and at
  /// least one character.
  func match(_ text: [UInt8]) -> [String]? {
    guard text.starts(with: parts[0]) else { return nil }
    var offset = parts[0].count
    var values: [String] = []
    for (index, part) in parts.enumerated().dropFirst() {
      let isLast = index == parts.count - 1
      let found =
        isLast
        ? (text.count - part.count > offset && text.suffix(part.count).elementsEqual(part)
          ? text.count - part.count : nil)
        : Self.offset(of: part, in: text, from: offset + 1)
      guard let found else { return nil }
      values.append(String(decoding: text[offset..<found], as: UTF8.self))
      offset = found + part.count
    }
    return values
  }

  private static func offset(of part: [UInt8], in text: [UInt8], from start: Int) -> Int? {
    var offset = start
    while offset + part.count <= text.count {
      if text[offset..<offset + part.count].elementsEqual(part) { return offset }
      offset += 1
    }
    return nil
  }

  /// The holes of a format in order, or by number (`{1}`) where a language wants another order.
  static func fill(_ format: String, _ values: [String]) -> String {
    var filled = ""
    var next = 0
    var rest = Substring(format)
    while let open = rest.firstIndex(of: "{") {
      append(rest[..<open], to: &filled)
      guard let close = rest[open...].firstIndex(of: "}") else { break }
      let name = rest[rest.index(after: open)..<close]
      let isNext = name.isEmpty || name == "t"
      if let index = isNext ? next : Int(name).map({ $0 - 1 }), values.indices.contains(index) {
        append(values[index][...], to: &filled)
      } else {
        append(rest[open...close], to: &filled)
      }
      if isNext { next += 1 }
      rest = rest[rest.index(after: close)...]
    }
    append(rest, to: &filled)
    return filled
  }

  /// Adds a text behind another, with the blank that stands between Chinese and Latin letters.
  private static func append(_ text: Substring, to filled: inout String) {
    if let last = filled.unicodeScalars.last, let first = text.unicodeScalars.first,
      isChinese(last) && isLatin(first) || isLatin(last) && isChinese(first)
    {
      filled += " "
    }
    filled += text
  }

  private static func isChinese(_ scalar: Unicode.Scalar) -> Bool {
    (0x4e00...0x9fff).contains(scalar.value)
  }

  private static func isLatin(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
  }
}
