package import Bytes

/// Whether bytes are ciphertext, by their statistics (FORMATS.md, "Encrypted or not").
package enum CipherStatistics {
  package enum Verdict: UInt8, Sendable {
    case encrypted, plaintext, zero
  }

  /// Random bytes have nearly 8 bits a byte; how nearly depends on how many there are. Below 512
  /// bytes nothing is decided and the bytes count as plaintext.
  package static func verdict(of bytes: RawSpan) -> Verdict {
    let histogram = ByteHistogram(of: bytes)
    if histogram.counts[0] == histogram.total { return .zero }
    guard bytes.byteCount >= 512 else { return .plaintext }
    return histogram.entropy >= least(bytes.byteCount) && histogram.chiSquare < 370
      ? .encrypted : .plaintext
  }

  /// Whether bytes that are not taken for ciphertext miss it by so little that chance explains it: one
  /// random page in a thousand does. A readable page misses it by far.
  package static func isNearlyEncrypted(_ bytes: RawSpan) -> Bool {
    let histogram = ByteHistogram(of: bytes)
    return bytes.byteCount >= 512 && histogram.entropy >= least(bytes.byteCount) - 0.03
      && histogram.chiSquare < 450
  }

  /// Random bytes have at least so many bits each.
  private static func least(_ byteCount: Int) -> Double {
    switch byteCount {
    case ..<1024: 7.45
    case ..<2048: 7.70
    case ..<4096: 7.86
    case ..<8192: 7.93
    default: 7.96
    }
  }

  /// Signatures of formats whose content is as dense as ciphertext. Those of two bytes are left out: one
  /// database in some ten thousand starts with one by chance.
  package static func hasContainerSignature(_ head: RawSpan) -> Bool {
    let signatures: [[UInt8]] = [
      [0x50, 0x4b, 3, 4], [0x37, 0x7a, 0xbc, 0xaf], [0xfd, 0x37, 0x7a, 0x58],
      [0xff, 0xd8, 0xff], [0x89, 0x50, 0x4e, 0x47], [0x42, 0x5a, 0x68], [0x28, 0xb5, 0x2f, 0xfd],
      [0x04, 0x22, 0x4d, 0x18], [0x25, 0x50, 0x44, 0x46], [0x4f, 0x67, 0x67, 0x53],
      [0x1a, 0x45, 0xdf, 0xa3], [0x52, 0x61, 0x72, 0x21], [0x62, 0x76, 0x78],
      [0x52, 0x49, 0x46, 0x46],
      [0x49, 0x44, 0x33], [0x47, 0x49, 0x46, 0x38],
      [0xcf, 0xfa, 0xed, 0xfe], [0x7f, 0x45, 0x4c, 0x46], [0x4f, 0x54, 0x54, 0x4f],
    ]
    if signatures.contains(where: { head.hasBytes($0) }) { return true }
    return head.hasBytes("ftyp", at: 4)
  }
}

/// Which pages of a file are ciphertext: the verdict on each block, and on the file.
package struct EncryptionMap: Sendable {
  package enum Summary: String, Sendable {
    case no, yes, mixed, unknown
  }

  /// Bytes of a block; a larger page counts as ciphertext where all its blocks do.
  package static let blockSize = 1024

  package private(set) var blocks: [UInt8] = []

  package func verdict(ofBlock index: Int) -> CipherStatistics.Verdict {
    guard index >= 0, index < blocks.count else { return .plaintext }
    return CipherStatistics.Verdict(rawValue: blocks[index]) ?? .plaintext
  }

  /// Reads the whole file. About one random block in a thousand looks unlike ciphertext by chance:
  /// where the four around it pass together it is counted as such.
  package init(_ source: any ByteSource) throws(ReadFailure) {
    let size = Self.blockSize
    var offset = 0
    while offset < source.byteCount {
      let bytes = try source.bytes(at: offset, count: 1 << 20)
      guard !bytes.isEmpty else { break }
      let span = unsafe bytes.span.bytes
      var place = 0
      while span.byteCount - place >= size {
        let group = span.clamped(to: place..<place + 4 * size)
        if group.byteCount == 4 * size, CipherStatistics.verdict(of: group) == .encrypted {
          for _ in 0..<4 { blocks.append(CipherStatistics.Verdict.encrypted.rawValue) }
          place += 4 * size
          continue
        }
        let end = min(span.byteCount - size, place + 3 * size)
        while place <= end {
          let verdict = CipherStatistics.verdict(of: span.clamped(to: place..<place + size))
          blocks.append(verdict.rawValue)
          place += size
        }
      }
      offset += bytes.count
    }
  }

  package var encryptedCount: Int {
    blocks.count { $0 == CipherStatistics.Verdict.encrypted.rawValue }
  }

  package var emptyCount: Int {
    blocks.count { $0 == CipherStatistics.Verdict.zero.rawValue }
  }

  package var plaintextCount: Int {
    blocks.count { $0 == CipherStatistics.Verdict.plaintext.rawValue }
  }

  /// One block in a hundred may be outside by chance, and none must be where it is a page.
  package var summary: Summary {
    let encrypted = encryptedCount
    let plaintext = plaintextCount
    if encrypted == 0 { return plaintext == 0 ? .unknown : .no }
    if plaintext == 0 { return .yes }
    return plaintext * 100 <= encrypted && plaintext < 4 ? .yes : .mixed
  }
}
