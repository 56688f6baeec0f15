import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

/// What apps encrypt field by field starts with any byte, also with that of some format.
@Suite struct `Ciphertext in the values of a database` {
  private static let needle = Needle(id: "held", kind: .text, value: "NDL-DUNLIN-0001")

  /// Rows of random bytes of these sizes after each of the starts.
  private func fill(_ builder: SQLiteBuilder, sizes: [Int], starts: [String], rows: Int) throws {
    var random = SplitMix(seed: 4)
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, b BLOB)")
    try builder.execute("BEGIN")
    for size in sizes {
      for start in starts {
        for _ in 1...rows {
          let value = Array(start.utf8) + random.bytes(size - start.utf8.count)
          let digits = SampleValues.hexadecimal(value)
          try builder.execute("INSERT INTO t(b) VALUES(x'\(digits)')")
        }
      }
    }
    try builder.execute("COMMIT")
  }

  private func scan(_ builder: SQLiteBuilder) async throws -> Report {
    let folder = try TemporaryFolder()
    try folder.write("store.db", bytes: try #require(builder.files()["store.db"]))
    return try await folder.scan(needles: [Self.needle])
  }

  @Test func `is taken for no damaged document, and a document beside it is read`() async throws {
    let builder = try SQLiteBuilder()
    try fill(
      builder, sizes: [16, 24, 48, 64, 200, 1000],
      starts: ["{", "[", "(", "\"", "{\"", "[\"", "[1", "[{"], rows: 40)
    let clean = try await scan(builder)
    #expect(clean.findings.isEmpty && clean.diagnostics.isEmpty, "\(clean.diagnostics)")
    // Escaped, so that only who reads the document sees it.
    try builder.execute(
      #"INSERT INTO t(b) VALUES(CAST('{"a": "\u004eDL-DUNLIN-0001"}' AS BLOB))"#)
    let report = try await scan(builder)
    #expect(report.findings.map(\.needle) == [Self.needle.id] && report.diagnostics.isEmpty)
  }

  /// Some page sizes divide any size that is not odd.
  @Test func `is taken for no database that is cut off`() async throws {
    let builder = try SQLiteBuilder()
    try fill(builder, sizes: [1024, 1536, 2048, 2560, 4608], starts: [""], rows: 8)
    let report = try await scan(builder)
    #expect(report.findings.isEmpty && report.diagnostics.isEmpty, "\(report.diagnostics)")
  }
}
