import Artifacts
import Bytes
import Findings
import FixtureKit
import Testing

@Suite struct `gzip files` {
  private let text = String(repeating: "a line of a log\n", count: 300)
  private var packed: [UInt8] { DeflateFixture.compress(Array(text.utf8), .gzip) }

  @Test func `the content is named after the file`() {
    let sink = read(packed, with: GzipReader(), name: "logs/app.log.gz")
    #expect(sink.text("app.log") == text)
    #expect(sink.notes.isEmpty)
  }

  @Test func `texts of the header are handed on with their place`() throws {
    var bytes = Array(packed[0..<10])
    bytes[3] = 4 | 8 | 16 | 2
    bytes += [5, 0] + Array("extra".utf8)
    bytes += Array("inner.txt".utf8) + [0] + Array("a comment".utf8) + [0] + [1, 2]
    bytes += packed[10...]
    let sink = read(bytes, with: GzipReader(), name: "x.gz")
    #expect(sink.text("inner.txt") == text)
    for part in ["extra", "inner.txt", "a comment"] {
      let found = try #require(sink.fragments.first { $0.content == Array(part.utf8) })
      let range = try #require(found.place.origin.ranges(of: 0..<part.utf8.count).first)
      #expect(Array(bytes[range.offset..<range.end]) == Array(part.utf8))
    }
  }

  @Test func `several members make one content`() {
    let sink = read(packed + packed + packed, with: GzipReader(), name: "a.gz")
    #expect(sink.text("a") == text + text + text)
    #expect(sink.notes.isEmpty)
  }

  @Test func `what follows is read as a file of its own, padding is not`() {
    let garbage = ZipBuilder([.init("inside", "appended")]).bytes()
    #expect(readAll(packed + garbage).contains("appended"))
    let padded = read(packed + [UInt8](repeating: 0, count: 100), with: GzipReader())
    #expect(padded.members.count == 1)
    #expect(padded.notes.isEmpty)
  }

  @Test(arguments: [4, 8])
  func `a wrong checksum or length is reported and the content searched`(back: Int) {
    var bytes = packed
    bytes[bytes.count - back] ^= 1
    let sink = read(bytes, with: GzipReader(), name: "a.gz")
    #expect(sink.text("a") == text)
    #expect(sink.codes == [.formatDamaged])
  }

  @Test func `a file cut short anywhere is reported`() {
    let bytes = packed
    for length in 10..<bytes.count {
      let sink = read(Array(bytes.prefix(length)), with: GzipReader())
      #expect(sink.codes == [.formatDamaged])
    }
  }

  @Test func `any flipped bit is survived`() {
    let bytes = packed
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = readAll(damaged)
    }
  }

  @Test func `a content larger than is held at once is streamed`() {
    let zeros = [UInt8](repeating: 7, count: 40 << 20)
    let sink = read(DeflateFixture.compress(zeros, .gzip), with: GzipReader(), name: "z.gz")
    #expect(sink.members.first?.content.count == zeros.count)
    #expect(sink.notes.isEmpty)
  }

  @Test func `a limit of the sink ends the reading`() {
    let zeros = [UInt8](repeating: 0, count: 40 << 20)
    let sink = read(
      DeflateFixture.compress(zeros, .gzip), with: GzipReader(), sink: RecordingSink(limit: 1 << 20)
    )
    #expect(sink.codes == [.limitExpansion])
  }

  @Test func `forty layers end at the depth limit`() {
    var bytes = Array("core".utf8)
    for _ in 0..<40 { bytes = DeflateFixture.compress(bytes, .gzip) }
    #expect(readAll(bytes).codes == [.limitDepth])
  }
}

@Suite struct `Single streams` {
  private let text = String(repeating: "a line of a log with 4711\n", count: 300)

  @Test(arguments: ["bzip2", "xz", "lzma", "lzip", "zstd", "lz4", "compress"])
  func `a stream is recognised, named and read`(filter: String) throws {
    let bytes = try #require(ArchiveFixture.write(.raw, filter: filter, [.init("x", text)]))
    let sink = readAll(bytes, name: "dir/app.log.xz")
    #expect(sink.text("app.log") == text)
    #expect(sink.notes.isEmpty)
    for length in 20..<min(bytes.count, 120) {
      _ = readAll(Array(bytes.prefix(length)), name: "x")
    }
    for bit in 0..<min(bytes.count, 60) * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = readAll(damaged)
    }
  }

  /// Heads of a change journal of NTFS, a log of a gateway, a picture of Windows and a list of corners.
  @Test(arguments: [
    "700000020000001e00000000000001000500", "050000000100000000000000000000000000",
    "01000000800000002a000000000064000000",
    "000000000100000002000000000000000200",
  ])
  func `numbers that no encoder of LZMA writes are no stream`(head: String) throws {
    let bytes = try #require(
      [UInt8](hexadecimal: head))
    let file = bytes + [UInt8](repeating: 7, count: 10_000)
    let sink = readAll(file)
    #expect(sink.notes.isEmpty && sink.members.isEmpty)
  }

  @Test(arguments: ["bzip2", "xz", "zstd", "lz4"])
  func `a stream cut short is reported`(filter: String) throws {
    let bytes = try #require(ArchiveFixture.write(.raw, filter: filter, [.init("x", text)]))
    #expect(readAll(Array(bytes.dropLast(9))).codes == [.formatDamaged])
  }

  @Test func `zlib is recognised by decompressing`() {
    let packed = DeflateFixture.compress(Array(text.utf8), .zlib)
    let sink = readAll(packed)
    #expect(sink.text("content") == text)
    #expect(readAll(packed + packed).members.filter { $0.content == Array(text.utf8) }.count == 2)
    #expect(reader(for: Array("x^2 + y^2 is no zlib stream at all".utf8))?.kind == "text")
  }

  @Test func `raw deflate is recognised where it ends with the bytes`() {
    let noise = (0..<400).map { "\($0 * 7919 % 1009)" }.joined(separator: ",")
    let packed = DeflateFixture.compress(Array(noise.utf8))
    #expect(readAll(packed).text("content") == noise)
    #expect(reader(for: packed + [1, 2, 3]) == nil)
    #expect(reader(for: Array(text.utf8))?.kind == "text")
    #expect(inflateRaw(packed) == Array(noise.utf8))
    #expect(inflateRaw(packed, limit: 10) == nil)
    #expect(inflateRaw(Array(packed.dropLast())) == nil)
  }

  @Test func `random bytes are taken for no stream`() {
    var state: UInt64 = 88_172_645_463_325_252
    func random() -> UInt8 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 24)
    }
    var taken = 0
    for size in [32, 100, 1000, 8000] {
      for _ in 0..<100 {
        let bytes = (0..<size).map { _ in random() }
        if reader(for: bytes, name: "blob") != nil { taken += 1 }
      }
    }
    #expect(taken == 0)
  }

  /// `brotli -c` of "hello hello hello hello hello brotli\n".
  private let brotli: [UInt8] = [
    0x1B, 0x24, 0x00, 0xF8, 0x1D, 0xA9, 0x53, 0x9F, 0xBB, 0x70, 0x55, 0x86, 0x96, 0x0A, 0x20, 0x6C,
    0xC9, 0x96, 0xF6, 0x96, 0x86, 0x68, 0x42, 0x4F, 0x1D, 0xF0, 0xD2, 0xD4, 0x8E, 0x17, 0x4D, 0x00,
  ]

  @Test func `brotli needs the name and a head that decodes`() {
    #expect(reader(for: Array(text.utf8), name: "a.br")?.kind == "text")
    #expect(reader(for: brotli, name: "a") == nil)
    let sink = readAll(brotli, name: "page.html.br")
    #expect(sink.text("page.html") == "hello hello hello hello hello brotli\n")
    #expect(sink.notes.isEmpty)
    for length in 1..<brotli.count { _ = readAll(Array(brotli.prefix(length)), name: "a.br") }
  }

  @Test func `Apple's LZ4 blocks are decoded, damage reported`() {
    var bytes = Array("bv41".utf8)
    bytes.appendLittleEndian(UInt32(12))
    bytes.appendLittleEndian(UInt32(7))
    // Three literals, then a copy of nine from three back.
    bytes += [0x35] + Array("abc".utf8) + [3, 0, 0] + Array("bv4-".utf8)
    bytes.appendLittleEndian(UInt32(4))
    bytes += Array("tailbv4$".utf8)
    bytes[8] = 6
    bytes.remove(at: 18)
    let sink = readAll(bytes)
    #expect(
      sink.members.first.map { String(decoding: $0.content, as: UTF8.self) } == "abcabcabcabctail")
    #expect(readAll(Array("bvx2 and much more".utf8)).codes == [.limitSize])
    #expect(readAll(Array("bvx1 and much more, nothing".utf8)).codes == [.formatUnsupported])
  }
}

@Suite struct `Chunked streams` {
  @Test func `chunks of a pbzx stream make one content`() throws {
    let first = String(repeating: "first ", count: 100)
    let packed = try #require(ArchiveFixture.write(.raw, filter: "xz", [.init("x", first)]))
    var bytes = Array("pbzx".utf8)
    bytes.appendBigEndian(UInt64(1 << 24))
    bytes.appendBigEndian(UInt64(1 << 24))
    bytes.appendBigEndian(UInt64(packed.count))
    bytes += packed
    bytes.appendBigEndian(UInt64(0))
    bytes.appendBigEndian(UInt64(4))
    bytes += Array("last".utf8)
    let sink = readAll(bytes)
    #expect(sink.text("content") == first + "last")
    #expect(sink.notes.isEmpty)
    for length in 12..<bytes.count {
      #expect(readAll(Array(bytes.prefix(length))).codes == [.formatDamaged])
    }
  }
}

@Suite struct `Streams inside documents` {
  @Test func `compressed texts of a picture are read`() throws {
    var png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    func chunk(_ type: String, _ data: [UInt8]) {
      png.appendBigEndian(UInt32(data.count))
      png += Array(type.utf8) + data + [0, 0, 0, 0]
    }
    chunk("tEXt", Array("Author\0plain name".utf8))
    chunk("zTXt", Array("Note\0\0".utf8) + DeflateFixture.compress(Array("packed".utf8), .zlib))
    chunk("iTXt", Array("Key\0\0\0en\0\0wide".utf8))
    chunk("IEND", [])
    png += Array("appended".utf8)
    let sink = readAll(png)
    for text in ["plain name", "packed", "wide", "appended"] { #expect(sink.contains(text)) }
    #expect(sink.fragments.first?.place.context.key == "Author")
    for length in 8..<png.count { _ = readAll(Array(png.prefix(length))) }
  }

  @Test func `streams of a PDF are inflated, through several filters too`() {
    let plain = Array("BT (the secret is 4711) Tj ET".utf8)
    let packed = DeflateFixture.compress(plain, .zlib)
    var pdf = Array("%PDF-1.7\n4 0 obj\n<< /Length 9 /Filter /FlateDecode >>\nstream\n".utf8)
    pdf += packed + Array("\nendstream\nendobj\n".utf8)
    pdf += Array("5 0 obj <</Filter [/ASCIIHexDecode /FlateDecode]>>\nstream\r\n".utf8)
    pdf += Array((packed.hexadecimal + ">").utf8) + Array("\nendstream endobj\n".utf8)
    pdf += Array("6 0 obj <</Filter/A85>>stream\n87cURD]i,\"Ebo80~>\nendstream".utf8)
    let sink = readAll(pdf)
    #expect(sink.members.first?.content == plain)
    #expect(sink.members.first?.place.steps == ["object", "4"])
    #expect(sink.nestedValues.map(\.content) == [plain, Array("Hello World!".utf8)])
    #expect(sink.notes.isEmpty)
    for length in stride(from: 0, to: pdf.count, by: 3) { _ = readAll(Array(pdf.prefix(length))) }
    pdf += Array("trailer <</Encrypt 7 0 R>>".utf8)
    #expect(readAll(pdf).codes == [.formatEncrypted])
  }

  /// Acrobat flushes the streams that it adds and does not finish them.
  @Test(arguments: ["\n", "\r\n", ""])
  func `a stream of a PDF that was flushed and not finished is whole`(lineEnd: String) {
    let plain = Array("BT (the secret is 4711) Tj ET".utf8)
    let count = UInt8(plain.count)
    let stored = [0x78, 0x9C, 0, count, 0, ~count, 0xFF] + plain
    func file(_ stream: [UInt8]) -> [UInt8] {
      Array("%PDF-1.7\n4 0 obj\n<</Filter/FlateDecode/Length 0>>\nstream\n".utf8) + stream
        + Array((lineEnd + "endstream\nendobj\n5 0 obj<</Filter/FlateDecode>>stream\n").utf8)
        + DeflateFixture.compress(plain, .zlib) + Array("\nendstream endobj\n%%EOF".utf8)
    }
    let flushed = readAll(file(stored + [0, 0, 0, 0xFF, 0xFF]))
    #expect(flushed.notes.isEmpty)
    #expect(flushed.members.first?.content.starts(with: plain) == true)
    #expect(flushed.members.last?.content == plain)
    #expect(flushed.members.last?.place.steps == ["object", "5"])
    #expect(readAll(file([])).notes.isEmpty)
    // Neither is one that lacks its end.
    #expect(readAll(file(stored)).codes == [.formatDamaged])
    #expect(readAll(file(Array(stored.dropLast(3)))).codes == [.formatDamaged])
  }
}
