/// Finds long stretches of one alphabet: digits, or the characters of which hexadecimal, base32 and
/// base64 text is made.
///
/// A stretch of at least `n` bytes covers one of every `n` positions, so most bytes are never looked
/// at: a position that is outside the alphabet skips `n` bytes at once.
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
  }

  @usableFromInline
  static let table: [UInt8] = (0...255).map { byte in classes(of: UInt8(byte)).rawValue }

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
    return classes
  }

  /// A stretch: its place and the classes that all of its bytes have in common.
  public struct Run: Equatable, Sendable {
    public var range: Range<Int>
    public var classes: Classes

    @inlinable
    public init(range: Range<Int>, classes: Classes) {
      self.range = range
      self.classes = classes
    }
  }

  /// Calls `body` with every stretch of at least `minimum` bytes of `alphabet`, in order.
  @inlinable
  public static func runs(
    in bytes: RawSpan, of alphabet: Classes, atLeast minimum: Int, _ body: (Run) -> Void
  ) {
    let wanted = alphabet.rawValue
    let count = bytes.byteCount
    unsafe table.withUnsafeBufferPointer { table in
      unsafe bytes.withUnsafeBytes { bytes in
        var probe = minimum - 1
        var floor = 0
        while probe < count {
          guard unsafe table[Int(bytes[probe])] & wanted == wanted else {
            probe += minimum
            continue
          }
          var lower = probe
          while unsafe lower > floor && table[Int(bytes[lower - 1])] & wanted == wanted {
            lower -= 1
          }
          // Most stretches are words: the earliest byte that could complete one of the wanted length
          // decides before the rest is walked.
          let least = lower + minimum
          var upper = probe + 1
          var shared = UInt8.max
          while unsafe upper < count && table[Int(bytes[upper])] & wanted == wanted { upper += 1 }
          if upper >= least {
            for index in lower..<upper { unsafe shared &= table[Int(bytes[index])] }
            body(Run(range: lower..<upper, classes: Classes(rawValue: shared)))
          }
          floor = upper
          probe = upper + minimum
        }
      }
    }
  }
}
