import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

@Suite struct `Values in JSON that a database keeps in blobs` {
  private static func element(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
    content.count < 12
      ? [UInt8(content.count) << 4 | type] + content
      : [0xd0 | type, UInt8(content.count >> 8), UInt8(content.count & 0xff)] + content
  }

  private static func text(_ text: String, _ type: UInt8 = 7) -> [UInt8] {
    element(type, Array(text.utf8))
  }

  private static func sql(_ pairs: [[UInt8]]) -> String {
    let bytes = element(12, pairs.flatMap { $0 })
    return "x'\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
  }

  @Test(arguments: SQLiteBuilder.Settings.some, [0, 3000])
  func `are found by row and name, whatever stands for them`(
    settings: SQLiteBuilder.Settings, filler: Int
  ) async throws {
    let needles = [
      Needle(id: "plain", kind: .text, value: "NDL-SHRIKE-0001"),
      Needle(id: "quoted", kind: .text, value: #"Zorvak "Quint" Ellery"#),
      Needle(id: "accent", kind: .text, value: "Zoë Ångströmsky"),
      Needle(id: "number", kind: .number, value: "7305518264"),
      Needle(id: "gone", kind: .text, value: "NDL-SHRIKE-0002"),
    ]
    func values(_ first: String, clean: Bool = false) -> String {
      sql([
        text("pad"), text(PlantedDatabase.filler(filler)), text("name"), text(first),
        text("who"), text(clean ? "-" : #"Zorvak \"Quint\" Ellery"#, 8),
        text("also"), text(clean ? "-" : #"Zo\u00eb \u00c5ngstr\u00f6msky"#, 8),
        text("card"), element(3, Array((clean ? "1" : "7305518264").utf8)),
      ])
    }
    func sql(_ pairs: [[UInt8]]) -> String { Self.sql(pairs) }
    func text(_ string: String, _ type: UInt8 = 7) -> [UInt8] { Self.text(string, type) }
    func element(_ type: UInt8, _ content: [UInt8]) -> [UInt8] { Self.element(type, content) }
    let builder = try SQLiteBuilder(settings)
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, j BLOB)")
    try builder.execute("INSERT INTO t VALUES(1, \(values("NDL-SHRIKE-0001")))")
    try builder.execute("INSERT INTO t VALUES(2, \(values("NDL-SHRIKE-0002", clean: true)))")
    try builder.execute("INSERT INTO t VALUES(3, \(values("nothing", clean: true)))")
    try builder.execute("DELETE FROM t WHERE id = 2")
    let folder = try TemporaryFolder()
    try folder.write("store.db", bytes: try #require(builder.files()["store.db"]))
    let report = try await folder.scan(needles: needles)
    for needle in needles.dropLast() {
      // A page that was divided keeps copies of its rows.
      let found = report.findings.filter { $0.needle == needle.id && $0.context.copyOf == nil }
      let finding = try #require(found.first { $0.liveness == .live }, "\(needle.id)")
      #expect(found.count { $0.liveness == .live } == 1 && !finding.ranges.isEmpty)
      #expect(finding.context.table == "t" && finding.context.column == "j")
      #expect(finding.context.rowid == 1 && finding.context.key != nil)
    }
    let gone = report.findings.filter { $0.needle == "gone" }
    #expect(gone.allSatisfy { $0.liveness == .deleted } && (filler > 0 || gone.count == 1))
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }
}

@Suite struct `Rows of many columns` {
  /// The types of so many values take more room than a page keeps of a row.
  private static func builder(
    _ settings: SQLiteBuilder.Settings, needle: String, at column: Int
  ) throws -> SQLiteBuilder {
    let builder = try SQLiteBuilder(settings)
    let columns = (0..<1990).map { "c\($0)" }.joined(separator: ",")
    try builder.execute("CREATE TABLE wide(\(columns))")
    try builder.execute("INSERT INTO wide(c0) VALUES('first')")
    try builder.execute("INSERT INTO wide(c\(column)) VALUES('a \(needle) z')")
    let numbers = (0..<1990).map { $0 == column ? "'b \(needle) y'" : "\($0 * 300)" }
    try builder.execute("INSERT INTO wide VALUES(\(numbers.joined(separator: ",")))")
    return builder
  }

  @Test(arguments: SQLiteBuilder.Settings.some, [0, 900, 1989])
  func `are read although their header goes on in other pages`(
    settings: SQLiteBuilder.Settings, column: Int
  ) async throws {
    let needle = Needle(id: "wide", kind: .text, value: "NDL-WHIMBREL-0001")
    let folder = try TemporaryFolder()
    let clean = try Self.builder(settings, needle: "nothing", at: column)
    let builder = try Self.builder(settings, needle: needle.value, at: column)
    try folder.write("clean.db", bytes: try #require(clean.files()["store.db"]))
    try folder.write("store.db", bytes: try #require(builder.files()["store.db"]))
    let report = try await folder.scan(needles: [needle])
    let live = report.findings.filter { $0.liveness == .live }
    #expect(Set(report.findings.map(\.path)) == ["store.db"] && live.count == 2)
    #expect(Set(live.map(\.context.rowid)) == [2, 3])
    #expect(
      live.allSatisfy { $0.context.table == "wide" && $0.context.column == "c\(column)" })
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }

  @Test func `are told where the rest of their header is gone`() async throws {
    let settings = SQLiteBuilder.Settings(pageSize: 512)
    let needle = Needle(id: "wide", kind: .text, value: "NDL-WHIMBREL-0001")
    let builder = try Self.builder(settings, needle: needle.value, at: 1989)
    var bytes = try #require(builder.files()["store.db"])
    let end = bytes.count - bytes.count / 512 / 4 * 512
    for offset in end..<bytes.count { bytes[offset] = 0 }
    let folder = try TemporaryFolder()
    try folder.write("store.db", bytes: bytes)
    let report = try await folder.scan(needles: [needle])
    #expect(report.codes.contains(.formatDamaged))
    #expect(report.findings.contains { $0.context.rowid == 2 })
  }
}
