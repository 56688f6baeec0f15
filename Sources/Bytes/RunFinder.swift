import CSearch

/// Finds long stretches of one alphabet: digits, or the characters of which hexadecimal, base32 and
/// base64 text is made.
///
/// Every byte of every file passes here, so the search itself is C with vector instructions.
public enum RunFinder {
  /// Shorter stretches are not looked for.
  public static let shortestRun = 5

  /// Character classes, one bit each, by byte.
  public struct Classes: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let digit = Classes(rawValue: 1)
    public static let hexadecimal = Classes(rawValue: 2)
    /// A to Z, 2 to 7.
    public static let base32 = Classes(rawValue: 4)
    /// Letters, digits, `+ / - _`.
    public static let base64 = Classes(rawValue: 8)
    public static let alphanumeric = Classes(rawValue: 16)
    /// Digits and the separators that stand between groups of them.
    public static let groupedDigit = Classes(rawValue: 32)
    /// What plain English text is made of: printed ASCII, blanks, line ends and escape.
    public static let plainText = Classes(rawValue: 64)
    /// What lists of bytes in hexadecimal are made of: digits, `x`, commas and blanks.
    public static let dump = Classes(rawValue: 128)
  }

  /// The classes of every byte.
  private static let table: [UInt8] = (0...255).map { byte in classes(of: UInt8(byte)).rawValue }

  /// The alphabets of single classes, by the number of their bit.
  private static let alphabets: [vestige_alphabet] = (0..<8).map { bit in
    var alphabet = vestige_alphabet()
    unsafe withUnsafeMutableBytes(of: &alphabet.member) { member in
      for byte in 0...255 where table[byte] & 1 << UInt8(bit) != 0 { unsafe member[byte] = 1 }
    }
    let isSearchable = unsafe vestige_alphabet_make(&alphabet)
    precondition(isSearchable, "an alphabet is ASCII with few different rows")
    return alphabet
  }

  /// What all characters of each class have in common, by the number of its bit.
  private static let shared: [UInt8] = (0..<8).map { bit in
    table.filter { $0 & 1 << UInt8(bit) != 0 }.reduce(0xff, &)
  }

  static func classes(of byte: UInt8) -> Classes {
    var classes: Classes = []
    if byte.isASCIIDigit { classes.formUnion([.digit, .groupedDigit]) }
    if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") { classes.insert(.groupedDigit) }
    if byte.hexadecimalValue != nil { classes.insert(.hexadecimal) }
    if byte.isASCIIUppercase || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(byte) {
      classes.insert(.base32)
    }
    if byte.isASCIIAlphanumeric { classes.formUnion([.alphanumeric, .base64]) }
    if [UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte) {
      classes.insert(.base64)
    }
    if (0x20..<0x7f).contains(byte) || [0x09, 0x0a, 0x0c, 0x0d, 0x1b].contains(byte) {
      classes.insert(.plainText)
    }
    if byte.hexadecimalValue != nil || " ,\txX".utf8.contains(byte) { classes.insert(.dump) }
    return classes
  }

  /// A stretch: its place and the classes that all of its bytes have in common.
  public struct Run: Equatable, Sendable {
    public var range: Range<Int>
    public var classes: Classes

    public init(range: Range<Int>, classes: Classes) {
      self.range = range
      self.classes = classes
    }
  }

  /// Calls `body` with every stretch of at least `minimum` bytes of one class, in order.
  public static func runs(
    in bytes: RawSpan, of alphabet: Classes, atLeast minimum: Int, _ body: (Run) -> Void
  ) {
    let least = shared[alphabet.rawValue.trailingZeroBitCount]
    _ = unsafe withAlphabet(alphabet, bytes) { start, count, alphabet in
      unsafe table.withUnsafeBufferPointer { table in
        var run = vestige_run()
        while unsafe vestige_next_run(start, count, alphabet, minimum, run.end, &run) {
          let classes = unsafe vestige_common_classes(
            start + run.start, run.end - run.start, table.baseAddress, least)
          body(Run(range: run.start..<run.end, classes: Classes(rawValue: classes)))
        }
      }
    }
  }

  /// Calls `body` with every stretch of digits and their separators that holds eight digits at the
  /// least: lines of dashes and indented text are stretches, too.
  public static func digitRuns(
    in bytes: RawSpan, atLeast minimum: Int, _ body: (Range<Int>) -> Void
  ) {
    runs(in: bytes, of: .groupedDigit, atLeast: minimum) { run in
      if digits(in: run.range, of: bytes) >= 8 { body(run.range) }
    }
  }

  /// Calls `body` with every stretch of at least `minimum` ASCII characters in UTF-16, of either byte
  /// order: from the first character to the zero behind the last.
  public static func wideRuns(
    in bytes: RawSpan, atLeast minimum: Int, _ body: (Range<Int>) -> Void
  ) {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        return
      }
      var run = vestige_run()
      while unsafe vestige_next_wide(start, bytes.count, minimum, run.end, &run) {
        body(run.start..<run.end)
      }
    }
  }

  /// Whether letters and digits of a stretch are mixed as in keys and tokens, or most are digits.
  /// Paths, identifiers and words, of which most stretches are, change seldom.
  public static func isMixed(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
    unsafe bytes.extracting(range).withUnsafeBytes { bytes in
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        return false
      }
      return unsafe vestige_is_mixed(start, bytes.count)
    }
  }

  /// The longest stretch of each class in a range, by the number of the class's bit.
  public static func longest(in range: Range<Int>, of bytes: RawSpan) -> InlineArray<8, UInt32> {
    unsafe bytes.extracting(range).withUnsafeBytes { bytes in
      var longest = InlineArray<8, UInt32>(repeating: 0)
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        return longest
      }
      unsafe table.withUnsafeBufferPointer { table in
        var span = longest.mutableSpan
        unsafe span.withUnsafeMutableBufferPointer { target in
          unsafe vestige_longest_stretches(
            start, bytes.count, table.baseAddress, target.baseAddress)
        }
      }
      return longest
    }
  }

  private static func digits(in range: Range<Int>, of bytes: RawSpan) -> Int {
    unsafe bytes.extracting(range).withUnsafeBytes { bytes in
      var count = 0
      for index in 0..<bytes.count where unsafe bytes[index].isASCIIDigit { count += 1 }
      return count
    }
  }

  /// Whether all bytes are of a class.
  static func isAll(_ bytes: RawSpan, of alphabet: Classes) -> Bool {
    unsafe withAlphabet(alphabet, bytes) { start, count, alphabet in
      unsafe vestige_all_members(start, count, alphabet)
    } ?? true
  }

  private static func withAlphabet<Result>(
    _ classes: Classes, _ bytes: RawSpan,
    _ body: (UnsafePointer<UInt8>, Int, UnsafePointer<vestige_alphabet>) -> Result
  ) -> Result? {
    unsafe alphabets.withUnsafeBufferPointer { alphabets in
      unsafe bytes.withUnsafeBytes { bytes in
        guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
          let alphabet = alphabets.baseAddress
        else { return nil }
        return unsafe body(
          start, bytes.count, alphabet.advanced(by: classes.rawValue.trailingZeroBitCount))
      }
    }
  }
}

extension RawSpan {
  /// Whether all bytes are plain English text: printed ASCII, blanks, line ends and escape.
  public var isPlainText: Bool { RunFinder.isAll(self, of: .plainText) }

  /// Whether a control character that text does not hold stands in the bytes.
  public var hasControlCharacter: Bool { firstControlCharacter != nil }

  /// Where the first control character that text does not hold stands.
  public var firstControlCharacter: Int? {
    unsafe withUnsafeBytes { bytes in
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        return nil
      }
      let offset = unsafe vestige_first_control(start, bytes.count)
      return offset < bytes.count ? offset : nil
    }
  }
}
