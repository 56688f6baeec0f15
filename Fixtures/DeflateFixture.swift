import CDeflate

/// Compressed data for fixtures, by libdeflate.
package enum DeflateFixture {
  package enum Framing {
    case raw, zlib, gzip
  }

  package static func compress(_ content: [UInt8], _ framing: Framing = .raw) -> [UInt8] {
    let compressor = libdeflate_alloc_compressor(9)
    defer { libdeflate_free_compressor(compressor) }
    let room = content.count + content.count / 8 + 1024
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      switch framing {
      case .raw:
        count = libdeflate_deflate_compress(
          compressor, content, content.count, buffer.baseAddress, room)
      case .zlib:
        count = libdeflate_zlib_compress(
          compressor, content, content.count, buffer.baseAddress, room)
      case .gzip:
        count = libdeflate_gzip_compress(
          compressor, content, content.count, buffer.baseAddress, room)
      }
    }
  }

  package static func crc32(_ content: [UInt8]) -> UInt32 {
    libdeflate_crc32(0, content, content.count)
  }
}

extension [UInt8] {
  /// Appends an integer in little-endian order, as zip and gzip store it.
  package mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// Appends an integer in big-endian order.
  package mutating func appendBigEndian(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
