/// Compressed streams whose headers ask for another window than their content needs.
package enum WindowFixture {
  /// An xz stream with a dictionary of 2^(12 + code/2) bytes, a half more for odd codes.
  package static func xz(_ content: [UInt8], dictionaryCode: UInt8) -> [UInt8]? {
    guard var stream = packed(content, "xz"), stream.count > 24 else { return nil }
    // The first block's header (xz file format, §3.1) follows the stream's 12 bytes.
    let size = (Int(stream[12]) + 1) * 4
    guard let filter = stream[12..<12 + size].firstIndex(of: 0x21) else { return nil }
    stream[filter + 2] = dictionaryCode
    let sum = DeflateFixture.crc32(Array(stream[12..<12 + size - 4]))
    for byte in 0..<4 {
      stream[12 + size - 4 + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * byte))
    }
    return stream
  }

  /// A stream in the old format of LZMA.
  package static func lzma(_ content: [UInt8], dictionary: UInt32) -> [UInt8]? {
    guard var stream = packed(content, "lzma") else { return nil }
    for byte in 0..<4 { stream[1 + byte] = UInt8(truncatingIfNeeded: dictionary >> (8 * byte)) }
    return stream
  }

  /// An lzip member with a dictionary of 2^code bytes.
  package static func lzip(_ content: [UInt8], dictionaryCode: UInt8) -> [UInt8]? {
    guard var stream = packed(content, "lzip") else { return nil }
    stream[5] = dictionaryCode
    return stream
  }

  /// A zstd frame with a window of 2^(10 + exponent) bytes, whose one block holds the content as it is.
  package static func zstd(_ content: [UInt8], exponent: UInt8) -> [UInt8] {
    var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, exponent << 3]
    let header = UInt32(content.count) << 3 | 1
    frame += (0..<3).map { UInt8(truncatingIfNeeded: header >> (8 * $0)) }
    return frame + content
  }

  private static func packed(_ content: [UInt8], _ filter: String) -> [UInt8]? {
    ArchiveFixture.write(
      .raw, filter: filter, [.init("content", String(decoding: content, as: UTF8.self))])
  }
}
