import ImageProtocol
import Testing

@Suite struct `Records of disk images` {
  private static let records: [ImageRecord] = [
    .file(
      ImageFile(
        path: Array("a/ä\u{0}".utf8), volume: "partition 1", byteCount: 1 << 40, isDeleted: true,
        pieces: [
          .init(offset: 0, source: 4096, count: 10), .init(offset: 10, source: 0, count: 1),
        ],
        slack: 7..<9)),
    .content([1, 2, 3]), .content([]), .endOfFile, .unallocated([0..<4, 8..<8]),
    .problem(ImageProblem(.encrypted, volume: "v", offset: 3, path: [0xFF], message: "why")),
    .end,
  ]

  private static func read(_ bytes: [UInt8]) -> ImageRecord? {
    let head = Array(bytes.prefix(ImageRecord.headSize))
    guard let size = ImageRecord.bodySize(head: head) else { return nil }
    return ImageRecord(head: head, body: Array(bytes.dropFirst(ImageRecord.headSize).prefix(size)))
  }

  @Test(arguments: records) func `are read as they were written`(record: ImageRecord) {
    #expect(Self.read(record.encoded) == record)
  }

  @Test(arguments: records) func `that are cut or changed anywhere are survived`(
    record: ImageRecord
  ) {
    let whole = record.encoded
    for length in 0...whole.count { _ = Self.read(Array(whole[..<length])) }
    for offset in whole.indices {
      for byte: UInt8 in [0, 1, 0x7F, 0xFF] {
        var bytes = whole
        bytes[offset] = byte
        _ = Self.read(bytes)
      }
    }
    #expect(ImageRecord.bodySize(head: [2, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
  }
}
