import Artifacts
import Bytes
import Findings
import Glibc
import Testing

@Suite struct `List of readers` {
  /// Names of the files `XReader.swift`, without the ending.
  private static let files: [String] = {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    let folder = here.dropLast(3).joined(separator: "/") + "/Sources/Artifacts/Readers"
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix("Reader.swift") { names.append(String(name.dropLast(6))) }
    }
    return names.sorted()
  }()

  @Test func `every reader of the folder is in the list`() {
    // One reader may stand in the list several times, once for each format of a family.
    let listed = Set(Readers.builtIn.map { String(describing: type(of: $0)) })
    #expect(listed.sorted() == Self.files)
  }

  @Test(arguments: [
    ("bplist00", "plist"), ("bplist17", "plist"), ("<?xml version=\"1.0\"?><plist>", "plist"),
    ("{ a = 1; }", "plist"), ("\"a\" = \"b\";", "plist"), ("{\"a\": 1}", "json"),
    ("{\"bug_type\":\"309\"}\n{}", "ips"), ("a,b\n1,2\n", "csv"), ("a: 1\nb: 2\n", "config"),
    ("A log line\nand another\n", "text"),
  ])
  func `the narrowest reader gets the source`(text: String, kind: String) {
    #expect(FragmentRecord.reader(of: Array(text.utf8))?.kind == kind)
  }

  @Test func `no name decides alone`() {
    let zeros = [UInt8](repeating: 0, count: 512)
    for name in ["a.plist", "b.json", "c.csv", "d.yaml", "e.txt", "f.ips"] {
      #expect(FragmentRecord.reader(of: zeros, name: name) == nil)
    }
  }

  /// Other readers may say nothing: the raw search reads every byte first and tells the failure.
  @Test func `a source that cannot be read is a diagnostic of the readers of text`() {
    let kinds = ["plist", "ips", "json", "csv", "config", "text"]
    for reader in Readers.builtIn where kinds.contains(reader.kind) {
      var record = FragmentRecord()
      reader.read(
        ReaderInput(source: FailingSource(), name: "", touched: .everything), into: &record)
      #expect(record.diagnostics.map(\.code) == [.readFailed], "\(reader.kind)")
    }
  }

  @Test func `any reader survives any other reader's files`() {
    let texts = [
      "{\"bug_type\":\"309\"}\n{\"a\":\"b\\n\"}\n", "a,b\n1,\"2\"\"\n\"\n", "a: |\n  b\nc: d\n",
      "<plist><dict><key>a</key><data>AA</data></dict></plist>", "{ a = (\"b\\U4e2d\"); }",
      "bplist00",
    ]
    for text in texts {
      let wide = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
      for bytes in [Array(text.utf8), wide] {
        for length in 0...bytes.count {
          for reader in Readers.builtIn {
            let part = Array(bytes[..<length])
            let record = FragmentRecord.reading(part, with: reader)
            for fragment in record.fragments {
              let ranges = fragment.place.origin.ranges(of: 0..<fragment.bytes.count)
              #expect(ranges.allSatisfy { $0.offset >= 0 && $0.length >= 0 && $0.end <= length })
            }
          }
        }
      }
    }
  }

  private struct FailingSource: ByteSource {
    let byteCount = 100
    func read(
      at offset: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ReadFailure) -> Int { throw ReadFailure(errno: EIO) }
  }
}
