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
          // Most stretches are words: their ends lie within the 16 bytes on either side.
          if minimum > 16, probe >= 16, count - probe > 16,
            let reach = unsafe shortReach(around: probe, in: bytes, of: alphabet),
            reach.before + reach.after + 1 < minimum
          {
            floor = probe + reach.after + 1
            probe = floor + minimum
            continue
          }
          var lower = probe
          while unsafe lower > floor && table[Int(bytes[lower - 1])] & wanted == wanted {
            lower -= 1
          }
          var upper = probe + 1
          while unsafe upper < count && table[Int(bytes[upper])] & wanted == wanted { upper += 1 }
          if upper >= lower + minimum {
            var shared = UInt8.max
            for index in lower..<upper { unsafe shared &= table[Int(bytes[index])] }
            body(Run(range: lower..<upper, classes: Classes(rawValue: shared)))
          }
          floor = upper
          probe = upper + minimum
        }
      }
    }
  }

  /// How many bytes of the alphabet stand directly before and behind `probe`, looked at 16 at a time;
  /// nothing where either side goes on, or the alphabet is one that is not looked at this way.
  @inlinable
  static func shortReach(
    around probe: Int, in bytes: UnsafeRawBufferPointer, of alphabet: Classes
  ) -> (before: Int, after: Int)? {
    guard alphabet == .base64 || alphabet == .groupedDigit, let start = bytes.baseAddress else {
      return nil
    }
    let left = unsafe (start + probe - 16).loadUnaligned(as: SIMD16<UInt8>.self)
    let right = unsafe (start + probe + 1).loadUnaligned(as: SIMD16<UInt8>.self)
    let outsideLeft = unsafe unsafeBitCast(outside(left, alphabet), to: SIMD2<UInt64>.self)
    let outsideRight = unsafe unsafeBitCast(outside(right, alphabet), to: SIMD2<UInt64>.self)
    let before =
      outsideLeft[1] != 0
      ? outsideLeft[1].leadingZeroBitCount / 8
      : outsideLeft[0] != 0 ? 8 + outsideLeft[0].leadingZeroBitCount / 8 : 16
    let after =
      outsideRight[0] != 0
      ? outsideRight[0].trailingZeroBitCount / 8
      : outsideRight[1] != 0 ? 8 + outsideRight[1].trailingZeroBitCount / 8 : 16
    return before < 16 && after < 16 ? (before, after) : nil
  }

  /// 255 for every byte that is not of the alphabet. The byte order of words must be that of memory.
  @inlinable
  static func outside(_ bytes: SIMD16<UInt8>, _ alphabet: Classes) -> SIMD16<UInt8> {
    let digits = (bytes &- UInt8(ascii: "0")) .< 10
    var members = digits .| (bytes .== UInt8(ascii: "-"))
    if alphabet == .base64 {
      members = members .| (((bytes | 0x20) &- UInt8(ascii: "a")) .< 26)
      members = members .| (bytes .== UInt8(ascii: "/")) .| (bytes .== UInt8(ascii: "_"))
      members = members .| (bytes .== UInt8(ascii: "+"))
    } else {
      members = members .| (bytes .== UInt8(ascii: " "))
    }
    return SIMD16<UInt8>(repeating: 255).replacing(with: 0, where: members)
  }
}
