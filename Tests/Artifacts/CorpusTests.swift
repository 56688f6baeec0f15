import Artifacts
import Bytes
import Findings
import Glibc
import Testing

extension Corpus {
  /// The bytes of a file, none where it is absent.
  static func content(_ path: String) -> [UInt8] { bytes(path) ?? [] }
}

@Suite(.enabled(if: Corpus.isPresent, "the shared corpus is not beside the repository"))
struct `Corpus files` {
  @Test(arguments: ["syslog.gz", "syslog.bz2", "syslog.xz", "syslog.tgz"])
  func `a compressed log gives its text`(name: String) {
    let sink = readAll(Corpus.content("dfvfs/\(name)"), name: name)
    #expect(sink.contains("myhostname.myhost.com client[30840]"))
    #expect(sink.notes.isEmpty)
  }

  @Test func `bombs end inside the limits`() {
    let zeros = read(
      Corpus.content("synthetic-ios/seed21/bombs/zeros.gz"), with: GzipReader(),
      sink: RecordingSink(limit: 8 << 20))
    #expect(zeros.codes == [.limitExpansion])
    let nested = readAll(Corpus.content("synthetic-ios/seed21/bombs/nested40.gz"))
    #expect(nested.codes == [.limitDepth])
    let many = readAll(Corpus.content("synthetic-ios/seed21/bombs/many_and_traversal.zip"))
    #expect(many.codes == [.formatDamaged])
    #expect(many.members.count >= 1000)
  }

  @Test func `the unified log's chunk sets are decoded`() {
    let bytes = Corpus.content("unifiedlog/0000000000000030.tracev3")
    let sink = readAll(bytes)
    #expect(!sink.fragments.isEmpty)
    #expect(sink.notes.isEmpty)
    for length in stride(from: 0, to: bytes.count, by: 7) {
      _ = readAll(Array(bytes.prefix(length)))
    }
  }

  @Test(arguments: [
    ("binwalk/gzip.bin", "gzip"), ("binwalk/bzip2.bin", "bzip2"), ("binwalk/pdf.bin", "pdf"),
    ("bulk_extractor/iwork_09.pages", "zip"), ("bulk_extractor/test_hello.gz", "gzip"),
    ("synthetic-ios/seed21/core.1234", "core"), ("binwalk/squashfs.bin", "squashfs"),
    ("unifiedlog/0000000000000030.tracev3", "tracev3"), ("unifiedlog/applesystemlog.asl", "asl"),
    ("dfvfs/another_file.utf16", "text"),
  ])
  func `a file is identified and read`(path: String, kind: String) throws {
    let bytes = Corpus.content(path)
    #expect(try Identify.kind(of: MemorySource(bytes)).kind == kind)
    _ = readAll(bytes, name: path)
  }

  @Test func `the mail address inside a small gzip is found`() {
    #expect(readAll(Corpus.content("bulk_extractor/test_hello.gz")).contains("hello@world.com"))
  }
}
