import Bytes

/// The most bytes that a match of a regular expression can have, told from how it is written.
///
/// A search for a match behind a hit need not look at more: PCRE2 looks for a byte that every match has
/// up to the end of what it is given, and most rules match some hundred bytes at the most.
struct PatternLength {
  /// Nothing stands for no bound, or one that cannot be told: a reference to a group, a condition, a
  /// verb. What is only looked at, before or behind a place, counts like what is matched.
  static func longest(of pattern: String) -> Int? {
    var parser = PatternLength(pattern: Array(pattern.utf8))
    guard let length = parser.alternatives(), parser.offset == parser.pattern.count else {
      return nil
    }
    return length
  }

  /// Groups inside each other that are looked into.
  private static let deepest = 64
  /// Longer matches are as good as unbounded.
  private static let most = 1 << 16

  private let pattern: [UInt8]
  private var offset = 0
  private var depth = 0

  private init(pattern: [UInt8]) {
    self.pattern = pattern
  }

  private var next: UInt8? { offset < pattern.count ? pattern[offset] : nil }

  private func stands(_ text: StaticString) -> Bool {
    let bytes = "\(text)".utf8
    return pattern[offset...].starts(with: bytes)
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    guard stands(text) else { return false }
    offset += text.utf8CodeUnitCount
    return true
  }

  /// Alternatives up to the end of their group: the longest counts.
  private mutating func alternatives() -> Int? {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.deepest, var longest = sequence() else { return nil }
    while skip("|") {
      guard let other = sequence() else { return nil }
      longest = max(longest, other)
    }
    return longest
  }

  private mutating func sequence() -> Int? {
    var sum = 0
    while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
      guard let item = item(), let times = repetitions() else { return nil }
      sum += item * times
      guard sum <= Self.most else { return nil }
    }
    return sum
  }

  private mutating func item() -> Int? {
    guard let byte = next else { return nil }
    switch byte {
    case UInt8(ascii: "("): return group()
    case UInt8(ascii: "["): return skipClass() ? 1 : nil
    case UInt8(ascii: "\\"): return escape()
    default:
      // The signs for the start and the end of a line count like a character: they look at one.
      offset += 1
      return 1
    }
  }

  /// How often an item may stand at the most.
  private mutating func repetitions() -> Int? {
    var times = 1
    if skip("*") || skip("+") { return nil }
    if !skip("?"), next == UInt8(ascii: "{") {
      guard let end = pattern[offset...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
      let text = String(decoding: pattern[offset + 1..<end], as: UTF8.self)
      let bounds = text.split(separator: ",", omittingEmptySubsequences: false)
      guard bounds.count <= 2, let last = bounds.last, let most = Int(last), most <= Self.most
      else { return nil }
      times = most
      offset = end + 1
    }
    // Lazy or possessive, it is the same length.
    _ = skip("?") || skip("+")
    return stands("{") || stands("*") ? nil : times
  }

  private mutating func group() -> Int? {
    offset += 1
    if stands("*") { return nil }
    if skip("?") {
      switch groupKind() {
      case .matches: break
      case .option: return 0
      case .unknown: return nil
      }
    }
    guard let length = alternatives(), skip(")") else { return nil }
    return length
  }

  private enum GroupKind {
    case matches
    /// Options for what follows: there is no group.
    case option
    case unknown
  }

  /// What a group is, by what stands behind its question mark.
  private mutating func groupKind() -> GroupKind {
    if skip(":") || skip(">") || skip("=") || skip("!") || skip("<=") || skip("<!") {
      return .matches
    }
    if skip("P<") || skip("<") || skip("'") {
      let end = pattern[offset...].firstIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "'") }
      guard let end else { return .unknown }
      offset = end + 1
      return .matches
    }
    // With `x` blanks and comments would be none of the pattern.
    while let byte = next, "imsnJU-".utf8.contains(byte) { offset += 1 }
    if skip(":") { return .matches }
    return skip(")") ? .option : .unknown
  }

  private mutating func skipClass() -> Bool {
    offset += 1
    _ = skip("^")
    _ = skip("]")
    while let byte = next {
      if byte == UInt8(ascii: "]") {
        offset += 1
        return true
      }
      if skip("[:") {
        while next != nil, !stands(":]") { offset += 1 }
        guard skip(":]") else { return false }
        continue
      }
      if skip("\\Q") || skip("\\E") { return false }
      offset += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    return false
  }

  private mutating func escape() -> Int? {
    offset += 1
    guard let byte = next else { return nil }
    offset += 1
    switch byte {
    case UInt8(ascii: "x"): return skipHexadecimal() ? 1 : nil
    case UInt8(ascii: "R"): return 2
    // One character, or a place between two.
    case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "D"),
      UInt8(ascii: "h"), UInt8(ascii: "H"), UInt8(ascii: "s"), UInt8(ascii: "S"),
      UInt8(ascii: "v"), UInt8(ascii: "V"), UInt8(ascii: "w"), UInt8(ascii: "W"),
      UInt8(ascii: "N"), UInt8(ascii: "b"), UInt8(ascii: "B"), UInt8(ascii: "A"),
      UInt8(ascii: "z"), UInt8(ascii: "Z"), UInt8(ascii: "K"):
      return 1
    default:
      // A sign stands for itself; other letters and digits refer to something.
      return byte.isASCIIAlphanumeric ? nil : 1
    }
  }

  private mutating func skipHexadecimal() -> Bool {
    if skip("{") {
      guard let end = pattern[offset...].firstIndex(of: UInt8(ascii: "}")) else { return false }
      offset = end + 1
      return true
    }
    for _ in 0..<2 where next?.hexadecimalValue != nil { offset += 1 }
    return true
  }
}
