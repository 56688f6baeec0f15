import CSearch
import Glibc

/// Byte statistics of a piece of data: how it is told apart from text, code and ciphertext
/// (FORMATS.md §1, "Encrypted or not, by statistics").
public struct ByteHistogram: Sendable {
  public private(set) var counts: [Int]
  public private(set) var total = 0

  public init() {
    counts = [Int](repeating: 0, count: 256)
  }

  public init(of bytes: RawSpan) {
    self.init()
    add(bytes)
  }

  public mutating func add(_ bytes: RawSpan) {
    total += bytes.byteCount
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe counts.withUnsafeMutableBufferPointer { counts in
        unsafe vestige_count_bytes(
          bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, counts.baseAddress)
      }
    }
  }

  /// Shannon entropy in bits a byte, 0 to 8.
  public var entropy: Double {
    guard total > 0 else { return 0 }
    var sum = 0.0
    for count in counts where count > 0 {
      let share = Double(count) / Double(total)
      sum -= share * log2(share)
    }
    return sum
  }

  /// Pearson's chi-square against equal counts of all 256 values; random data lies near 255.
  public var chiSquare: Double {
    guard total > 0 else { return 0 }
    let expected = Double(total) / 256
    return counts.reduce(0) { sum, count in
      let difference = Double(count) - expected
      return sum + difference * difference / expected
    }
  }
}
