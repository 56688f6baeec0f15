import Artifacts
import Bytes
import Findings
import FixtureKit
import Testing

@Suite(.enabled(if: SharedCorpus.isPresent, "the shared corpus is not beside the package"))
struct `Readers on files of other projects` {
  private static let folders = [
    "apple-notes", "binwalk", "bulk_extractor", "crash", "dfvfs", "gitleaks", "grdb", "ileapp",
    "libplist", "plaso", "sqlcipher", "sqlite-dissect", "synthetic-ios", "unifiedlog",
  ]
  private static let container = "synthetic-ios/seed21/container/"

  private func read(_ path: String) throws -> (kind: String, record: FragmentRecord) {
    let bytes = SharedCorpus.bytes(of: path)
    let reader = try #require(FragmentRecord.reader(of: bytes))
    return (reader.kind, FragmentRecord.reading(bytes, with: reader))
  }

  /// The one needle of the answer key with this prefix.
  private static func needle(_ prefix: String) -> String {
    let key = String(
      decoding: SharedCorpus.bytes(of: "synthetic-ios/truth/seed21.json"), as: UTF8.self)
    guard let found = key.firstRange(of: "\"" + prefix) else { return "?" }
    return String(key[key.index(after: found.lowerBound)...].prefix { $0 != "\"" })
  }

  @Test(arguments: folders)
  func `every file is survived`(folder: String) {
    for path in SharedCorpus.files(in: folder) {
      let bytes = SharedCorpus.bytes(of: path)
      guard bytes.count < 600_000, let reader = FragmentRecord.reader(of: bytes) else { continue }
      let record = FragmentRecord.reading(bytes, with: reader)
      for fragment in record.fragments {
        for range in fragment.place.origin.ranges(of: 0..<fragment.bytes.count) {
          #expect(range.offset >= 0 && range.end <= bytes.count, "\(path): \(range)")
        }
      }
    }
  }

  @Test func `preferences are found under their key`() throws {
    let (kind, record) = try read(Self.container + "Library/Preferences/com.example.vault21.plist")
    #expect(kind == "plist")
    let needle = Self.needle("NDL-PREFS-")
    let found = record.fragments.filter { $0.text.contains(needle) }
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.place.context.key != nil && $0.place.steps.first == "key" })
  }

  @Test func `an archive holds its needle as a string and in its data`() throws {
    let (kind, record) = try read(Self.container + "Documents/item.archive")
    #expect(kind == "plist")
    let found = record.fragments.filter { $0.text.contains(Self.needle("NDL-ARCHIVE-")) }
    #expect(found.contains { $0.name == nil })
    #expect(found.contains { $0.name != nil })
    #expect(found.allSatisfy { $0.place.steps.starts(with: ["key", "root"]) })
  }

  @Test func `a crash report gives the message away`() throws {
    let path = "Library/Logs/CrashReporter/Vault-2026-01-06-101112.ips"
    let (kind, record) = try read(Self.container + path)
    #expect(kind == "ips")
    let found = record.fragments.filter { $0.text.contains(Self.needle("NDL-CRASH-")) }
    #expect(found.contains { $0.place.steps.contains("asi") })
  }

  @Test func `UTF-16 text is decoded`() throws {
    let (kind, record) = try read("dfvfs/another_file.utf16")
    #expect(kind == "text")
    #expect(record.fragments.map(\.text) == ["This is another file.\n"])
  }

  @Test func `databases, archives and ciphertext are left to others`() {
    for folder in ["sqlcipher", "grdb"] {
      for path in SharedCorpus.files(in: folder) {
        let bytes = SharedCorpus.bytes(of: path)
        let kind = FragmentRecord.reader(of: bytes)?.kind ?? ""
        #expect(["sqlite", "sqlcipher", ""].contains(kind), "\(path)")
      }
    }
  }
}
