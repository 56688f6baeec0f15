import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

/// `ANALYZE` copies whole records of an index into the blobs of `sqlite_stat4`.
@Suite struct `Samples that ANALYZE keeps` {
  /// A record of a text, a number of four bytes and a rowid, as an index holds it.
  private static func record(_ text: [UInt8], number: UInt32) -> String {
    let header = [4, UInt8(13 + 2 * text.count), 4, 1]
    let digits = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    return (header + text + digits + [7]).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
  }

  @Test(arguments: SQLiteBuilder.Settings.some, [0, 5000])
  func `are read value by value, those of other tables are not`(
    settings: SQLiteBuilder.Settings, filler: Int
  ) async throws {
    let builder = try SQLiteBuilder(settings)
    let sample = Self.record(settings.stored("NDL-DUNLIN-0001"), number: 1_730_551_826)
    try builder.execute("CREATE TABLE other(tbl, idx, neq, nlt, ndlt, sample)")
    try builder.execute("CREATE TABLE stat(tbl, idx, neq, nlt, ndlt, sample)")
    // Long texts before it send the sample to overflow pages.
    let text = PlantedDatabase.filler(filler)
    for table in ["other", "stat"] {
      try builder.execute(
        "INSERT INTO \(table) VALUES('t', '\(text)', '1', '0', '0', x'\(sample)')")
    }
    // A library without the option would drop a table of that name, not write one.
    try builder.execute("PRAGMA writable_schema = ON")
    try builder.execute(
      """
      UPDATE sqlite_master SET name = 'sqlite_stat4', tbl_name = 'sqlite_stat4',
      sql = 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)' WHERE name = 'stat'
      """)
    let folder = try TemporaryFolder()
    try folder.write("store.db", bytes: try #require(builder.files()["store.db"]))
    let report = try await folder.scan(needles: [
      Needle(id: "number", kind: .number, value: "1730551826"),
      Needle(id: "text", kind: .text, value: "NDL-DUNLIN-0001"),
    ])
    let numbers = report.findings.filter { $0.needle == "number" }
    #expect(numbers.map(\.context.table) == ["sqlite_stat4"])
    #expect(numbers.first?.context.column == "sample")
    #expect(numbers.first?.ranges.map(\.length).reduce(0, +) == 4)
    let texts = report.findings.filter { $0.needle == "text" }
    #expect(Set(texts.map(\.context.table)) == ["sqlite_stat4", "other"])
    #expect(report.findings.allSatisfy { $0.liveness == .live })
  }
}
