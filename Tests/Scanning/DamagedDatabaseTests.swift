import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

/// Damage that leaves most of a database readable: it is told, and what is left is read.
@Suite struct `Databases with damage in one place` {
  private static let needle = Needle(id: "number", kind: .number, value: "1730551826")

  /// A number that counts only where a reader knows it for a whole value.
  private static func files(_ size: Int, isLogged: Bool = false) throws -> [String: [UInt8]] {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: size))
    try builder.execute("CREATE TABLE t(a TEXT, n INTEGER)")
    if isLogged {
      try builder.execute("PRAGMA journal_mode = WAL")
      try builder.execute("PRAGMA wal_autocheckpoint = 0")
    }
    for row in 1...60 {
      let filler = PlantedDatabase.filler(60, seed: row)
      try builder.execute("INSERT INTO t VALUES('\(filler)', \(row == 50 ? 1_730_551_826 : row))")
    }
    return builder.files()
  }

  private static func scan(_ files: [String: [UInt8]]) async throws -> Report {
    let folder = try TemporaryFolder()
    for (name, bytes) in files where !name.hasSuffix("-shm") {
      try folder.write(name, bytes: bytes)
    }
    return try await folder.scan(needles: [needle])
  }

  @Test(arguments: [512, 1024, 4096]) func `that are sound have none`(size: Int) async throws {
    for isLogged in [false, true] {
      let report = try await Self.scan(try Self.files(size, isLogged: isLogged))
      #expect(report.diagnostics.isEmpty && !report.findings.isEmpty)
    }
  }

  @Test(arguments: [0, 4, 15]) func `are read where the name of the format is hit`(
    offset: Int
  ) async throws {
    for isLogged in [false, true] {
      var files = try Self.files(1024, isLogged: isLogged)
      files["store.db"]?[offset] ^= 0x40
      let report = try await Self.scan(files)
      #expect(report.codes == [.formatDamaged])
      let finding = try #require(report.findings.first { $0.liveness == .live })
      #expect(finding.context.table == "t" && finding.context.column == "n")
      #expect(report.inputs.first { $0.path == "store.db" }?.kind == "sqlite")
    }
  }

  @Test(arguments: [512, 1024, 4096]) func `are read page by page where the first is gone`(
    size: Int
  ) async throws {
    var files = try Self.files(size)
    for offset in 0..<size { files["store.db"]?[offset] = 0 }
    let report = try await Self.scan(files)
    #expect(report.codes == [.formatDamaged])
    #expect(report.findings.map(\.liveness) == [.live])
    #expect(report.findings.first?.context.page != nil)
    // Nothing but zeros holds nothing.
    let none = try await Self.scan(["store.db": [UInt8](repeating: 0, count: size * 8)])
    #expect(none.findings.isEmpty && none.diagnostics.isEmpty)
  }

  @Test(arguments: [512, 1024, 4096]) func `have a log that is told to be damaged in its middle`(
    size: Int
  ) async throws {
    let files = try Self.files(size, isLogged: true)
    let log = try #require(files["store.db-wal"])
    let count = (log.count - 32) / (size + 24)
    for (frame, offset) in [(0, 24 + size - 1), (count / 2, 30), (count / 2, 9), (count / 2, 17)] {
      var damaged = files
      damaged["store.db-wal"]?[32 + frame * (size + 24) + offset] ^= 4
      let report = try await Self.scan(damaged)
      #expect(report.codes.contains(.formatDamaged), "frame \(frame), byte \(offset)")
      #expect(report.diagnostics.contains { $0.locator == "store.db-wal!/frame/\(frame + 1)" })
      #expect(report.findings.contains { $0.path == "store.db-wal" })
    }
    // The last frame may be one that a crash cut short.
    var cut = files
    cut["store.db-wal"]?[log.count - 1] ^= 1
    let report = try await Self.scan(cut)
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }

  @Test(arguments: [512, 1024, 4096]) func `have a log whose frames are read without its header`(
    size: Int
  ) async throws {
    var files = try Self.files(size, isLogged: true)
    for offset in 0..<32 { files["store.db-wal"]?[offset] = 0 }
    let report = try await Self.scan(files)
    #expect(report.codes.contains(.formatDamaged))
    let finding = try #require(report.findings.first { $0.path == "store.db-wal" })
    #expect(finding.context.frame != nil && finding.context.table == "t")
    #expect(report.inputs.first { $0.path == "store.db-wal" }?.kind == "sqlite-wal")
  }
}
