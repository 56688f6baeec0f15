import CSearch

/// Finds expanded AES keys (FIPS 197, §5.2) as the memory of programs holds them: of 128, 192 and 256
/// bits, at any offset, their words in either byte order, in the order of encryption and (128 and 256
/// bits) of decryption.
///
/// The words of a schedule follow from those before them, which no other data does by chance; some
/// flipped bits are forgiven.
public enum KeySchedules {
  /// One expanded key.
  public struct Schedule: Equatable, Sendable {
    /// Where the words lie.
    public var range: Range<Int>
    /// The key that they were made from.
    public var key: [UInt8]
    /// Whether it is the schedule of the inverse cipher, whose first words are not the key.
    public var isReversed: Bool

    /// Where the key itself lies, or the words that it follows from.
    public var keyRange: Range<Int> {
      isReversed ? range : range.lowerBound..<range.lowerBound + key.count
    }
  }

  /// Calls `body` with every schedule, in order.
  public static func find(in bytes: RawSpan, _ body: (Schedule) -> Void) {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        return
      }
      var found = vestige_schedule()
      while unsafe vestige_next_schedule(start, bytes.count, found.start + found.length, &found) {
        let key = unsafe withUnsafeBytes(of: found.key) {
          unsafe Array($0.prefix(found.key_length))
        }
        body(
          Schedule(
            range: found.start..<found.start + found.length, key: key, isReversed: found.reversed))
      }
    }
  }
}
