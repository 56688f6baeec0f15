import Artifacts
import Bytes
import Findings
import FixtureKit
import Testing

@Suite struct `Archives through libarchive` {
  private let text = String(repeating: "a line with 4711\n", count: 50)

  static let formats: [ArchiveFixture.Format] = [
    .pax, .ustar, .gnutar, .v7tar, .sevenZip, .cpio, .oldCpio, .xar, .iso,
  ]

  @Test(arguments: formats)
  func `members are given by name`(format: ArchiveFixture.Format) throws {
    let bytes = try #require(
      ArchiveFixture.write(format, [.init("dir/one.txt", text), .init("two.txt", text + "end")]))
    let sink = readAll(bytes)
    #expect(sink.text("dir/one.txt") == text)
    #expect(sink.text("two.txt") == text + "end")
    #expect(sink.notes.isEmpty)
  }

  @Test(arguments: [ArchiveFixture.Format.pax, .gnutar, .cpio, .ar, .iso])
  func `a member that is stored as it is says where it lies`(format: ArchiveFixture.Format) throws {
    let entries = (0..<40).map { ArchiveFixture.Entry("m\($0)", "\($0) " + text) }
    let bytes = try #require(ArchiveFixture.write(format, entries))
    let sink = readAll(bytes)
    #expect(sink.members.count == 40)
    for member in sink.members {
      let range = try #require(member.place.origin.ranges(of: 0..<member.content.count).first)
      #expect(Array(bytes[range.offset..<range.end]) == member.content)
    }
  }

  @Test func `what follows the end of a tar archive is read`() throws {
    let one = try #require(ArchiveFixture.write(.ustar, [.init("a", text)]))
    let two = try #require(ArchiveFixture.write(.ustar, [.init("b", text)]))
    #expect(readAll(one + two).members.map(\.name) == ["a", "b"])
  }

  @Test(arguments: formats)
  func `damage is survived`(format: ArchiveFixture.Format) throws {
    let bytes = try #require(ArchiveFixture.write(format, [.init("dir/one.txt", text)]))
    for length in stride(from: 0, to: min(bytes.count, 4096), by: 151) {
      _ = readAll(Array(bytes.prefix(length)))
    }
    for bit in stride(from: 0, to: min(bytes.count, 2048) * 8, by: 67) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = readAll(damaged)
    }
  }

  @Test(arguments: [ArchiveFixture.Format.pax, .sevenZip, .cpio])
  func `an archive cut short is reported`(format: ArchiveFixture.Format) throws {
    let bytes = try #require(
      ArchiveFixture.write(format, [.init("one", text), .init("two", text)]))
    #expect(readAll(Array(bytes.prefix(bytes.count / 2))).codes == [.formatDamaged])
  }

  @Test func `a package with compressed tar archives is read through`() throws {
    let tar = try #require(
      ArchiveFixture.write(.gnutar, filter: "xz", [.init("usr/share/secret", text)]))
    let deb = try #require(
      ArchiveFixture.write(
        .ar,
        [
          .init("debian-binary", "2.0\n"),
          .init("data.tar.xz", String(decoding: [], as: UTF8.self)),
        ]))
    #expect(readAll(deb).text("debian-binary") == "2.0\n")
    #expect(readAll(tar, name: "data.tar.xz").text("usr/share/secret") == text)
  }

  @Test func `links are handed on and not followed`() throws {
    let bytes = try #require(
      ArchiveFixture.write(.pax, [.init("link", "", link: "/etc/passwd"), .init("a", text)]))
    let sink = readAll(bytes)
    #expect(sink.members.map(\.name) == ["a"])
    #expect(sink.contains("/etc/passwd"))
  }

  @Test func `names that lead outside are reported and shown safely`() throws {
    let bytes = try #require(ArchiveFixture.write(.ustar, [.init("../../x", text)]))
    let sink = readAll(bytes)
    #expect(sink.members.first?.place.steps == ["%2E%2E", "%2E%2E", "x"])
    #expect(sink.codes == [.formatDamaged])
  }

  @Test func `Chinese names survive whatever the locale`() throws {
    for format in [ArchiveFixture.Format.gnutar, .cpio] {
      let bytes = try #require(ArchiveFixture.write(format, [.init("文件/秘密.txt", text)]))
      let sink = readAll(bytes)
      #expect(sink.members.first?.name == "文件/秘密.txt")
      #expect(sink.notes.isEmpty)
    }
  }

  @Test func `a limit of the sink ends the reading`() throws {
    let bytes = try #require(
      ArchiveFixture.write(.pax, (0..<100).map { .init("m\($0)", text) }))
    let sink = read(bytes, with: ArchiveReader(.tar), sink: RecordingSink(memberLimit: 10))
    #expect(sink.members.count == 10)
    #expect(sink.codes == [.limitExpansion])
  }

  @Test func `a tar header without magic needs its checksum`() throws {
    var bytes = try #require(ArchiveFixture.write(.v7tar, [.init("a", text)]))
    #expect(reader(for: bytes)?.kind == "tar")
    bytes[0] ^= 1
    #expect(reader(for: bytes)?.kind != "tar")
  }
}
