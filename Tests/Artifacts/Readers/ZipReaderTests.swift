import Artifacts
import Bytes
import Findings
import FixtureKit
import Formats
import Testing

@Suite struct `Zip archives` {
  private let text = String(repeating: "the secret is 4711, ", count: 40)

  private func scan(_ builder: ZipBuilder) -> RecordingSink {
    read(builder.bytes(), with: ZipReader())
  }

  @Test(arguments: [UInt16(0), 8])
  func `a member is given with its name, steps and bytes`(method: UInt16) {
    let sink = scan(ZipBuilder([.init("Payload/A.app/store.sqlite", text, method: method)]))
    #expect(sink.notes.isEmpty)
    #expect(sink.text("Payload/A.app/store.sqlite") == text)
    #expect(sink.members.first?.place.steps == ["Payload", "A.app", "store.sqlite"])
    #expect(sink.members.first?.place.context.member == "Payload/A.app/store.sqlite")
  }

  @Test func `a stored member says where its bytes lie`() throws {
    let bytes = ZipBuilder([.init("a", "first"), .init("b", text, method: 0)]).bytes()
    let sink = read(bytes, with: ZipReader())
    let ranges = try #require(sink.members.last).place.origin.ranges(of: 4..<10)
    let range = try #require(ranges.first)
    #expect(Array(bytes[range.offset..<range.end]) == Array(text.utf8)[4..<10].map { $0 })
  }

  @Test func `bytes in front of the archive shift its offsets`() {
    for counts in [true, false] {
      var builder = ZipBuilder([.init("a", text)])
      builder.prefix = Array("\u{7F}ELF and a self-extractor".utf8)
      builder.countsPrefix = counts
      #expect(scan(builder).text("a") == text)
      #expect(scan(builder).notes.isEmpty)
      #expect(ZipReader().recognisesElsewhere(in: MemorySource(builder.bytes())))
    }
  }

  @Test func `comments of the archive and of members are handed on with their place`() throws {
    var builder = ZipBuilder([.init("a", text)])
    builder.entries[0].comment = Array("remark on a".utf8)
    builder.comment = Array("remark on all".utf8)
    let bytes = builder.bytes()
    let sink = read(bytes, with: ZipReader())
    for remark in ["remark on a", "remark on all"] {
      let found = try #require(sink.fragments.first { $0.content == Array(remark.utf8) })
      let range = try #require(found.place.origin.ranges(of: 0..<remark.utf8.count).first)
      #expect(Array(bytes[range.offset..<range.end]) == Array(remark.utf8))
    }
  }

  @Test func `what a damaged length takes for a name is not repeated`() throws {
    let name = "a\u{1B}[2J\n\u{9B}b/" + String(repeating: "content of the file, ", count: 3_000)
    var bytes = ZipBuilder([.init(name, text)]).bytes()
    // Its checksum in the directory.
    bytes[try #require(bytes.firstRange(of: ZipEntry.centralSignature)).lowerBound + 16] ^= 1
    let sink = read(bytes, with: ZipReader())
    #expect(!sink.notes.isEmpty && sink.codes.allSatisfy { $0 == .formatDamaged })
    let said = sink.notes.flatMap { [$0.message] + $0.steps }
    for text in said {
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
    }
    #expect(sink.notes.allSatisfy { $0.message.utf8.count < 400 })
    #expect(sink.notes.allSatisfy { $0.steps.joined().utf8.count < 4_200 })
    #expect(sink.members.first?.name.utf8.count ?? 0 < 4_200)
  }

  @Test func `two names that are too long stay two`() {
    let start = String(repeating: "x", count: 10_000)
    let names = [MemberName.bounded(start + "1"), MemberName.bounded(start + "2")]
    #expect(names[0] != names[1] && names.allSatisfy { $0.utf8.count < 4_200 })
    #expect(MemberName.shown("Größe/\u{7}") == "Größe/%07")
    #expect(MemberName.shown(String(repeating: "é", count: 500)).utf8.count < 400)
  }

  @Test func `a file that only ends like an archive is none`() throws {
    var builder = ZipBuilder([.init("one", String(repeating: "a", count: 100)), .init("two", "b")])
    builder.prefix = Array("a page of a database".utf8)
    let whole = builder.bytes()
    #expect(ZipReader().recognisesElsewhere(in: MemorySource(whole)))
    // The first member is lost: it still is one.
    var damaged = whole
    damaged[builder.prefix.count] = 0
    #expect(ZipReader().recognisesElsewhere(in: MemorySource(damaged)))
    // Pages that lie elsewhere: what is here is the directory alone.
    let directory = try #require(whole.firstRange(of: ZipEntry.centralSignature)).lowerBound
    for index in builder.prefix.count..<directory { damaged[index] = 0 }
    #expect(!ZipReader().recognisesElsewhere(in: MemorySource(damaged)))
  }

  @Test func `data behind the end is read as a file of its own`() {
    var builder = ZipBuilder([.init("a", text)])
    builder.trailing = DeflateFixture.compress(Array("appended".utf8), .gzip)
    let sink = readAll(builder.bytes())
    #expect(sink.text("a") == text)
    #expect(sink.contains("appended"))
    #expect(sink.notes.isEmpty)
  }

  @Test func `an archive inside another kind of file leaves the rest of the file alone`() {
    var builder = ZipBuilder([.init("a", text)])
    builder.prefix = Array("SQLite".utf8) + ZipBuilder([.init("other", text)]).bytes()
    builder.trailing = Array("more pages".utf8)
    #expect(scan(builder).members.map(\.name) == ["a"])
  }

  @Test(arguments: [false, true], [UInt16(0), 8])
  func `a member that the directory leaves out is found and called deleted`(
    descriptor: Bool, method: UInt16
  ) {
    var builder = ZipBuilder([
      .init("a", text), .init("hidden", "out of sight, " + text, method: method), .init("b", text),
    ])
    builder.entries[1].isHidden = true
    builder.entries[1].hasDescriptor = descriptor
    let sink = scan(builder)
    #expect(sink.members.map(\.name) == ["a", "b", "hidden"])
    #expect(sink.members.last?.place.liveness == .deleted)
    #expect(sink.text("hidden") == "out of sight, " + text)
    #expect(sink.notes.isEmpty)
  }

  @Test(arguments: [false, true])
  func `an archive without a directory is read by local headers`(descriptor: Bool) {
    var builder = ZipBuilder([.init("a", text), .init("b", text, method: 0), .init("c", text)])
    builder.hasDirectory = false
    for index in 0..<3 { builder.entries[index].hasDescriptor = descriptor }
    let sink = scan(builder)
    #expect(sink.members.map(\.name) == ["a", "b", "c"])
    #expect(sink.members.allSatisfy { $0.content == Array(text.utf8) })
    #expect(sink.codes == [.formatDamaged])
  }

  @Test func `64-bit sizes and offsets are read`() {
    var builder = ZipBuilder([.init("a", text), .init("b", text, method: 0)])
    builder.entries[0].isZip64 = true
    builder.entries[1].isZip64 = true
    let sink = scan(builder)
    #expect(sink.notes.isEmpty)
    #expect(sink.members.map(\.content) == [Array(text.utf8), Array(text.utf8)])
  }

  @Test func `encrypted members are named, the others read`() {
    var builder = ZipBuilder([.init("secret.txt", text), .init("open.txt", text)])
    builder.entries[0].flags = 1
    let sink = scan(builder)
    #expect(sink.codes == [.formatEncrypted])
    #expect(sink.notes.first?.message.contains("secret.txt") == true)
    #expect(sink.text("open.txt") == text)
    builder.entries[0].flags = 0
    builder.entries[0].method = 99
    #expect(scan(builder).codes == [.formatEncrypted])
  }

  @Test func `a wrong checksum is reported and the content searched`() {
    var builder = ZipBuilder([.init("a", text)])
    builder.entries[0].statedCRC = 1
    let sink = scan(builder)
    #expect(sink.codes == [.formatDamaged])
    #expect(sink.text("a") == text)
  }

  @Test(arguments: [UInt16(0), 8])
  func `a checksum of zero is taken for none where nothing is compressed`(method: UInt16) {
    var builder = ZipBuilder([.init("a", text, method: method)])
    builder.entries[0].statedCRC = 0
    let sink = scan(builder)
    #expect(sink.codes == (method == 0 ? [] : [.formatDamaged]))
    #expect(sink.text("a") == text)
  }

  @Test(arguments: [0, 3, 799, 801, 5_000_000, 4_000_000_000])
  func `a size that lies is reported and the content searched`(size: Int) {
    for method in [UInt16(0), 8] {
      var builder = ZipBuilder([.init("a", text, method: method)])
      builder.entries[0].statedSize = size
      let sink = scan(builder)
      #expect(sink.codes == [.formatDamaged])
      #expect(sink.text("a") == text)
    }
  }

  @Test func `where two headers disagree both are read`() {
    var builder = ZipBuilder([.init("a", text)])
    builder.entries[0].method = 0
    builder.entries[0].stored = DeflateFixture.compress(Array(text.utf8))
    builder.entries[0].localMethod = 8
    let sink = scan(builder)
    #expect(sink.codes.contains(.formatDamaged))
    #expect(sink.contains("4711"))
  }

  @Test func `members of one name are all read`() {
    let sink = scan(ZipBuilder([.init("a", "one"), .init("a", "two")]))
    #expect(sink.members.map(\.content) == [Array("one".utf8), Array("two".utf8)])
  }

  @Test(arguments: [
    ("../../etc/passwd", ["%2E%2E", "%2E%2E", "etc", "passwd"]),
    ("C:\\x", ["C:\\x"]), ("a\0b", ["a%00b"]), ("a/..\\b", ["a", "..\\b"]),
  ])
  func `a name that leads outside is shown safely and reported`(name: String, steps: [String]) {
    let sink = scan(ZipBuilder([.init(name, text)]))
    #expect(sink.members.first?.place.steps == steps)
    #expect(sink.contains("4711"))
    #expect(sink.codes == [.formatDamaged])
  }

  @Test func `an absolute name is shown without its slash and is no damage`() {
    let sink = scan(ZipBuilder([.init("/private/var/a", text)]))
    #expect(sink.members.first?.place.steps == ["private", "var", "a"])
    #expect(sink.notes.isEmpty)
  }

  @Test(arguments: [
    ([0xC3, 0xA9], "é"), ([0xD6, 0xD0, 0xCE, 0xC4], "中文"), ([0x82, 0x2E, 0x74], "é.t"),
  ])
  func `names are UTF-8, GBK or code page 437`(stored: [UInt8], name: String) {
    var builder = ZipBuilder([.init("", text)])
    builder.entries[0].name = stored
    #expect(scan(builder).members.first?.name == name)
  }

  @Test func `a split archive is reported`() {
    var bytes = ZipBuilder([.init("a", text)]).bytes()
    bytes[bytes.count - 18] = 1
    #expect(read(bytes, with: ZipReader()).codes == [.formatUnsupported])
  }

  @Test(arguments: ["lzma", "bzip2", "xz", "zstd"])
  func `other methods are left to libarchive`(method: String) throws {
    guard
      let bytes = ArchiveFixture.write(
        .zip, options: "zip:compression=\(method)", [.init("a", text)])
    else { return }
    let sink = read(bytes, with: ZipReader())
    #expect(sink.text("a") == text)
    #expect(sink.notes.isEmpty)
  }

  @Test(arguments: [UInt16(1), 6, 9, 19, 98, 1234])
  func `a method nobody knows is reported`(method: UInt16) {
    let sink = scan(ZipBuilder([.init("a", text, method: method), .init("b", text)]))
    #expect(sink.codes == [.formatUnsupported] || sink.codes == [.formatDamaged])
    #expect(sink.text("b") == text)
  }
}

@Suite struct `Hostile zip archives` {
  private let text = String(repeating: "the secret is 4711, ", count: 10)

  private var sample: [UInt8] {
    var builder = ZipBuilder([
      .init("a/b", text), .init("c", text, method: 0), .init("hidden", text), .init("e", text),
    ])
    builder.entries[2].isHidden = true
    builder.entries[3].hasDescriptor = true
    builder.entries[0].isZip64 = true
    builder.comment = Array("remark".utf8)
    return builder.bytes()
  }

  @Test func `an archive cut short anywhere is reported and never trapped on`() {
    let bytes = sample
    for length in 0..<bytes.count {
      let sink = readAll(Array(bytes.prefix(length)))
      #expect(length < 30 || !sink.notes.isEmpty)
    }
  }

  @Test func `any flipped bit is survived`() {
    let bytes = sample
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = readAll(damaged)
    }
  }

  @Test func `members that share their data do not multiply it`() {
    let bytes = ZipBuilder.overlapping(count: 1000, kernel: [UInt8](repeating: 0, count: 1 << 20))
    var sink = RecordingSink(limit: 4 << 30)
    sink = read(bytes, with: ZipReader(), sink: sink)
    #expect(sink.produced <= 256 << 20)
    #expect(sink.codes.contains(.limitExpansion))
  }

  @Test func `a limit of the sink ends the reading`() {
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    let entries = (0..<100).map { ZipBuilder.Entry("zeros\($0)", zeros) }
    let sink = read(
      ZipBuilder(entries).bytes(), with: ZipReader(), sink: RecordingSink(limit: 3 << 20))
    #expect(sink.codes == [.limitExpansion])
    #expect(sink.members.count <= 4)
  }

  @Test func `an archive inside an archive is bounded by depth`() {
    var bytes = Array(text.utf8)
    for _ in 0..<40 { bytes = ZipBuilder([.init("inner.zip", bytes)]).bytes() }
    let sink = readAll(bytes)
    #expect(sink.codes == [.limitDepth])
  }

  @Test func `empty and tiny inputs have nothing`() {
    for bytes in [[], [0x50], [0x50, 0x4B, 3, 4], ZipBuilder([]).bytes()] as [[UInt8]] {
      #expect(read(bytes, with: ZipReader()).members.isEmpty)
    }
    #expect(read(ZipBuilder([]).bytes(), with: ZipReader()).notes.isEmpty)
  }
}
