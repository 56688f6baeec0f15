import Artifacts
import Bytes
import Findings
import FixtureKit
import Testing

/// What a file may make the libraries ask for that decompress it.
@Suite struct `Memory of archives` {
  private let text = String(repeating: "what a small file holds\n", count: 40)

  private func limits(_ sink: RecordingSink) -> [String] {
    sink.notes.filter { $0.code == .limitMemory }.map(\.message)
  }

  @Test func `a filter of RAR does not fill a gigabyte`() {
    let sink = read(RARFixture.staticData(byteCount: 1 << 30), with: ArchiveReader(.rar))
    #expect(
      limits(sink) == ["the rar archive: it asks for 1 GiB of memory: it was not read further"])
  }

  @Test func `a small filter of RAR is another matter`() {
    let sink = read(RARFixture.staticData(byteCount: 1 << 12), with: ArchiveReader(.rar))
    #expect(limits(sink) == [])
  }

  @Test func `a model of RAR's PPMd has no more than its encoder gives it`() {
    let most = read(RARFixture.model(mebibytes: 256), with: ArchiveReader(.rar))
    #expect(
      limits(most) == ["the rar archive: it asks for 256 MiB of memory: it was not read further"])
    let usual = read(RARFixture.model(mebibytes: 128), with: ArchiveReader(.rar))
    #expect(limits(usual) == [])
  }

  @Test func `a header of 7-Zip does not make a table of a hundred million files`() {
    let sink = read(
      SevenZipFixture.archive(fileCount: 100_000_000), with: ArchiveReader(.sevenZip))
    #expect(limits(sink).count == 1)
  }

  @Test(arguments: [1 << 20, 3 << 29, 0xF000_0000] as [UInt32])
  func `a member of 7-Zip is read whatever its dictionary, if it is small`(size: UInt32) throws {
    let bytes = try #require(
      SevenZipFixture.archive("a.txt", Array(text.utf8), dictionary: size))
    let sink = read(bytes, with: ArchiveReader(.sevenZip))
    #expect(sink.notes == [])
    #expect(sink.text("a.txt") == text)
  }

  @Test func `a small stream is read whatever its window`() throws {
    let content = Array(text.utf8)
    let streams: [(FilterReader.Filter, [UInt8]?)] = [
      (.xz, WindowFixture.xz(content, dictionaryCode: 40)),
      (.lzma, WindowFixture.lzma(content, dictionary: 1 << 31)),
      (.lzip, WindowFixture.lzip(content, dictionaryCode: 29)),
      (.zstd, WindowFixture.zstd(content, exponent: 17)),
    ]
    for (filter, stream) in streams {
      let sink = read(try #require(stream), with: FilterReader(filter), name: "a.txt.packed")
      #expect(sink.members.map(\.content) == [content] && sink.notes.isEmpty, "\(filter)")
    }
  }

  @Test func `a window that zstd does not give is told as a limit`() {
    let stream = WindowFixture.zstd(Array(text.utf8), exponent: 21)
    let sink = read(stream, with: FilterReader(.zstd), name: "a.zst")
    #expect(sink.codes == [.limitMemory])
  }

  @Test func `a large window is filled only so far`() throws {
    // Streams that follow one another use the same window.
    let part = [UInt8](repeating: 0, count: 16 << 20)
    let large = try #require(WindowFixture.xz(part, dictionaryCode: 36))
    let usual = try #require(WindowFixture.xz(part, dictionaryCode: 28))
    let count = 10
    let whole = fill((0..<count).flatMap { _ in usual })
    #expect(whole.produced == count * part.count && whole.codes == [])
    let cut = fill((0..<count).flatMap { _ in large })
    #expect(cut.codes == [.limitMemory])
    #expect(cut.messages.first?.hasSuffix("only what fills 128 MiB of it was read") == true)
    #expect(cut.produced > 120 << 20 && cut.produced <= 128 << 20)
  }

  private func fill(_ bytes: [UInt8]) -> CountingSink {
    var sink = CountingSink()
    FilterReader(.xz).read(
      ReaderInput(source: MemorySource(bytes), name: "a.xz", touched: .everything), into: &sink)
    return sink
  }
}

/// A sink that counts what it is given.
private struct CountingSink: FragmentSink {
  var produced = 0
  var codes: [Diagnostic.Code] = []
  var messages: [String] = []
  let isExhausted = false

  mutating func fragment(_ bytes: RawSpan, at place: Place) {}
  mutating func nested(_ bytes: [UInt8], name: String, at place: Place) {}
  mutating func beginMember(_ name: String, at place: Place) -> Bool { true }
  mutating func append(_ bytes: RawSpan) -> Bool {
    produced += bytes.byteCount
    return true
  }
  mutating func endMember() {}
  mutating func diagnostic(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String]
  ) {
    codes.append(code)
    messages.append(message)
  }
}
