import CSearch

/// A byte that counts where one of some others stands behind it, as in what marks an escape.
///
/// Every text is searched for several: 64 places at a time, with vector instructions.
public struct BytePair: Sendable {
  private let first: UInt8
  /// One, in memory that a search need not copy.
  private let next: [vestige_alphabet]

  /// - Parameter next: of ASCII, without the zero byte.
  public init(_ first: Unicode.Scalar, before next: String) {
    self.first = UInt8(ascii: first)
    var alphabet = vestige_alphabet()
    unsafe withUnsafeMutableBytes(of: &alphabet.member) { member in
      for byte in next.utf8 { unsafe member[Int(byte)] = 1 }
    }
    let isSearchable = unsafe vestige_alphabet_make(&alphabet)
    precondition(isSearchable, "an alphabet is ASCII with few different rows")
    self.next = [alphabet]
  }

  /// Where the first byte of the next pair stands.
  public func next(in bytes: RawSpan, from offset: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        return nil
      }
      let found = unsafe next.withUnsafeBufferPointer { next in
        unsafe vestige_next_pair(start, bytes.count, max(0, offset), first, next.baseAddress)
      }
      return found < bytes.count ? found : nil
    }
  }
}
