import Bytes
import Findings
import FixtureKit
import Glibc
import Inspection
import Reporting
import SQLiteFormat
import Testing

/// An inspection of files held in memory.
struct Inspected {
  var inspection: Inspection
  var file: InspectedFile

  init(
    _ name: String, of files: [String: [UInt8]], keys: [DatabaseKey] = [],
    unseal: (([UInt8]) -> InspectedFile.SealedVerdict)? = nil
  ) throws {
    file = InspectedFile(
      path: "evidence/" + name, name: name, source: MemorySource(try #require(files[name])),
      clock: { 0 },
      sibling: { sibling in
        let path = sibling.hasPrefix("-") ? name + sibling : sibling
        return files[path].map(MemorySource.init)
      })
    file.keys = keys
    file.unseal = unseal
    inspection = try file.inspect()
  }

  func text(reveals: Bool = false, style: TextStyle = .plain) -> String {
    var text = ""
    InspectionText(style: style, reveals: reveals).write(inspection, to: &text)
    return text
  }

  func json(reveals: Bool = false) -> String {
    var text = ""
    InspectionJSON(reveals: reveals).write(inspection, to: &text)
    return text
  }

  func number(_ section: String, _ key: String) -> Int? {
    guard case .number(let number) = inspection.section(section)?[key] else { return nil }
    return number
  }

  /// The cell of a table: the row whose first cell is `row`, the column by its key.
  func cell(_ section: String, _ row: String, _ column: String) -> Inspection.Value? {
    guard let table = inspection.section(section)?.table,
      let index = table.columns.firstIndex(where: { $0.key == column })
    else { return nil }
    return table.rows.first { [.text(row), .word(row)].contains($0[0]) }?[index]
  }
}

@Suite struct `An inspection of a database` {
  @Test(arguments: PlantedDatabase.settings)
  func `counts pages, rows and what is left over`(settings: SQLiteBuilder.Settings) throws {
    let planted = try PlantedDatabase.deletedRows(settings)
    let shown = try Inspected("store.db", of: planted.files)
    let bytes = try #require(planted.files["store.db"])
    #expect(shown.inspection.kind == "sqlite")
    #expect(shown.number("header", "filePages") == bytes.count / settings.pageSize)
    #expect(shown.number("header", "reserved") == settings.reserved)
    #expect(shown.cell("schema", "msg", "rows") == .number(max(settings.pageSize / 4, 600) / 2 - 1))
    let freed = try #require(shown.number("freelist", "leaves"))
    #expect(freed > 0)
    #expect(shown.number("freelist", "filled") ?? 0 > 0)
    let residue = try #require(shown.inspection.section("residue")?.table)
    #expect(residue.column("dead").contains { $0 != .size(0) })
    let kinds = shown.inspection.section("leftovers")?.table?.column("liveness") ?? []
    #expect(kinds.contains(.word("deleted")))
    if settings.autoVacuum != 0 {
      #expect(shown.number("pointerMap", "disagreements") == 0)
      #expect(shown.number("pointerMap", "free") ?? 0 >= freed)
    }
  }

  @Test func `tells overwritten content from what is left`() throws {
    let builder = try SQLiteBuilder()
    try builder.execute("PRAGMA secure_delete = ON")
    try builder.execute("CREATE TABLE t(a TEXT)")
    for row in 1...200 { try builder.execute("INSERT INTO t VALUES('row number \(row)')") }
    try builder.execute("DELETE FROM t WHERE rowid < 100")
    let shown = try Inspected("store.db", of: builder.files())
    let residue = try #require(shown.inspection.section("residue"))
    #expect(residue.remarks[0].hasPrefix("nothing is left"))
    #expect(shown.inspection.section("leftoverRecords") == nil)
  }

  @Test func `shows no value unless asked to, in text and in JSON`() throws {
    let planted = try PlantedDatabase.deletedRows(SQLiteBuilder.Settings())
    let shown = try Inspected("store.db", of: planted.files)
    #expect(!shown.text().contains("NDL-"))
    #expect(!shown.json().contains("NDL-"))
    #expect(shown.json().contains("•••••••"))
    #expect(shown.json(reveals: true).contains("NDL-FREELIST-0003"))
  }

  @Test func `names dropped tables, and indexes with their tables`() throws {
    let dropped = try Inspected(
      "store.db", of: PlantedDatabase.droppedTable(SQLiteBuilder.Settings()).files)
    #expect(dropped.cell("schema", "secret", "kind") == .word("dropped table"))
    let trees = try Inspected(
      "store.db", of: PlantedDatabase.keyedTrees(SQLiteBuilder.Settings(pageSize: 1024)).files)
    #expect(trees.cell("schema", "by_mail", "kind") == .word("index"))
    #expect(trees.cell("schema", "kv", "rows") == .number(199))
    #expect(trees.cell("schema", "by_mail", "rows") == .number(199))
  }

  @Test func `knows a Core Data store's entities and a backup's domains`() throws {
    let store = try SQLiteBuilder()
    try store.execute(
      "CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
    )
    try store.execute("CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZBODY VARCHAR)")
    try store.execute("INSERT INTO Z_PRIMARYKEY VALUES(1, 'Note', 0, 12)")
    let shown = try Inspected("store.db", of: store.files())
    #expect(shown.cell("entities", "Note", "highest") == .number(12))
    #expect(shown.cell("entities", "Note", "attributes") == .number(1))

    let manifest = try SQLiteBuilder()
    try manifest.execute(
      "CREATE TABLE Files(fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, flags INTEGER, file BLOB)"
    )
    for (row, flags) in [1, 1, 2].enumerated() {
      try manifest.execute(
        "INSERT INTO Files VALUES('\(row)', 'HomeDomain', 'p/\(row)', \(flags), NULL)")
    }
    let backup = try Inspected("store.db", of: manifest.files())
    #expect(backup.cell("backup", "HomeDomain", "files") == .number(2))
    #expect(backup.cell("backup", "HomeDomain", "folders") == .number(1))
  }
}

@Suite struct `An inspection of what lies beside a database` {
  @Test(arguments: [SQLiteBuilder.Settings(), SQLiteBuilder.Settings(pageSize: 1024, reserved: 80)])
  func `classes the frames of a log`(settings: SQLiteBuilder.Settings) throws {
    let planted = try PlantedDatabase.log(settings)
    for name in ["store.db", "store.db-wal"] {
      let shown = try Inspected(name, of: planted.files)
      let frames = try #require(shown.number("log", "frames"))
      for state in ["live", "superseded", "uncommitted", "stale"] {
        let count = try #require(shown.cell("frameStates", state, "frames"))
        #expect(count != .number(0), "\(state)")
      }
      #expect(shown.inspection.section("frames")?.table?.rows.count == frames)
      #expect(shown.inspection.section("generations")?.table?.rows.count == 2)
      #expect(shown.inspection.section("log")?.layout?.count == frames)
      #expect(shown.inspection.section("sharedMemory")?["lastFrame"] != nil)
    }
  }

  @Test func `tells a hot journal from one that is done with`() throws {
    for isHot in [true, false] {
      let planted = try PlantedDatabase.journal(SQLiteBuilder.Settings(), isHot: isHot)
      for name in ["store.db", "store.db-journal"] {
        let shown = try Inspected(name, of: planted.files)
        let section = try #require(shown.inspection.section("journal"))
        #expect(section["state"] == .word(isHot ? "hot" : "persisted"))
        #expect(section["header"] == .word(isHot ? "whole" : "zeroed"))
        #expect(shown.number("journal", "records") ?? 0 > 0)
      }
    }
  }
}

@Suite struct `An inspection of ciphertext` {
  private func encrypted() throws -> [String: [UInt8]] {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024), key: "open sesame")
    try builder.execute("CREATE TABLE t(a TEXT)")
    for row in 1...300 { try builder.execute("INSERT INTO t VALUES('NDL-INSIDE \(row)')") }
    return builder.files()
  }

  private let key = DatabaseKey.passphrase(Array("open sesame".utf8))

  @Test(arguments: ["MZ", "BM", "\u{1f}\u{9d}", "x\u{9c}"])
  func `is not taken for what its first bytes sign by chance`(signature: String) throws {
    let files = try encrypted().mapValues { bytes in
      signature.unicodeScalars.map { UInt8($0.value) } + bytes.dropFirst(2)
    }
    #expect(try Inspected("store.db", of: files).inspection.kind == "sqlcipher")
  }

  @Test func `verifies every page under a key, and shows what is inside`() throws {
    let shown = try Inspected("store.db", of: encrypted(), keys: [key])
    let pages = try #require(try encrypted()["store.db"]).count / 1024
    #expect(shown.inspection.kind == "sqlcipher")
    #expect(shown.inspection.section("key1")?["opens"] == .flag(true))
    #expect(shown.number("key1", "verified") == pages)
    #expect(shown.number("key1", "failed") == 0)
    #expect(shown.cell("schema", "t", "rows") == .number(300))
    #expect(!shown.text().contains("NDL-INSIDE"))
  }

  @Test func `tells a wrong key from damage, and names the damaged page`() throws {
    let wrong = try Inspected(
      "store.db", of: encrypted(), keys: [.passphrase(Array("wrong".utf8))])
    #expect(wrong.inspection.section("key1")?["opens"] == .flag(false))
    #expect(wrong.inspection.section("key1")?.remarks[0].contains("the key is wrong") == true)
    var files = try encrypted()
    files["store.db"]?[3 * 1024 + 77] ^= 4
    let damaged = try Inspected("store.db", of: files, keys: [key])
    #expect(damaged.number("key1", "failed") == 1)
    #expect(damaged.inspection.section("key1")?["failedPages"] == .list([4]))
    #expect(damaged.inspection.section("key1")?["opens"] == .flag(true))
  }

  @Test func `finds the key right where only pages far behind still verify`() throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024), key: "open sesame")
    try builder.execute("CREATE TABLE t(a BLOB)")
    for _ in 1...40 { try builder.execute("INSERT INTO t VALUES(randomblob(9000))") }
    var files = builder.files()
    for page in 0..<100 { files["store.db"]?[page * 1024 + 300] ^= 1 }
    let shown = try Inspected("store.db", of: files, keys: [key])
    #expect(shown.inspection.section("key1")?["opens"] == .flag(true))
    #expect(shown.number("key1", "failed") == 100)
    #expect(shown.number("key1", "verified") ?? 0 > 200)
  }

  @Test func `names a readable page among ciphertext`() throws {
    var files = try encrypted()
    let plain = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024))
    try plain.execute("CREATE TABLE t(a TEXT)")
    try plain.execute("INSERT INTO t VALUES('plain as day')")
    let page = try #require(plain.files()["store.db"])[1024..<2048]
    files["store.db"]?.replaceSubrange(4 * 1024..<5 * 1024, with: page)
    let shown = try Inspected("store.db", of: files, keys: [key])
    #expect(shown.number("key1", "plaintext") == 1)
    #expect(shown.inspection.section("key1")?["plainPages"] == .list([5]))
    #expect(shown.number("ciphertext", "plaintextPages") == 1)
  }

  @Test func `verifies values that are sealed one by one`() throws {
    let builder = try SQLiteBuilder()
    try builder.execute(
      "CREATE TABLE ZPERSON(Z_PK INTEGER PRIMARY KEY, ZENCRYPTEDDATA BLOB NOT NULL, ZPHOTO BLOB)")
    for row in 1...6 {
      let blob = row == 4 ? "x'02'" : row == 5 ? "x'0900'" : "x'01\(row)\(row)ff'"
      try builder.execute("INSERT INTO ZPERSON VALUES(\(row), \(blob), x'ffd8ffe0')")
    }
    let shown = try Inspected("store.db", of: builder.files()) { sealed in
      sealed[0] == 1 ? .opened : sealed.count == 1 ? .truncated(count: 1) : .notAuthentic
    }
    let table = try #require(shown.inspection.section("sealed")?.table)
    #expect(table.rows.count == 1)
    #expect(table.rows[0][2...].elementsEqual([6, 4, 1, 1]))
    let damaged = try #require(shown.inspection.section("damagedValues")?.table)
    #expect(damaged.column("row") == [4, 5])
    #expect(damaged.column("problem") == [.word("truncated to 1 byte"), .word("not authentic")])
    let wrong = try Inspected("store.db", of: builder.files()) { _ in .notAuthentic }
    #expect(wrong.inspection.section("damagedValues") == nil)
    #expect(
      wrong.inspection.section("sealed")?.remarks[0].contains("the key is another one") == true)
  }
}

@Suite struct `An inspection of other files` {
  @Test func `lists the members of an archive with method, size and encryption`() throws {
    var locked = ZipBuilder.Entry("locked.bin", "secret secret secret", method: 0)
    locked.flags = 1
    let archive = ZipBuilder([
      .init("Payload/A.app/Info.plist", String(repeating: "a", count: 500)), locked,
    ]).bytes()
    let shown = try Inspected("a.zip", of: ["a.zip": archive])
    #expect(shown.cell("members", "Payload/A.app/Info.plist", "method") == .text("deflate"))
    #expect(shown.cell("members", "Payload/A.app/Info.plist", "size") == .size(500))
    #expect(shown.cell("members", "locked.bin", "note") == .word("encrypted"))
    #expect(shown.number("members", "encrypted") == 1)
    #expect(shown.inspection.diagnostics.map(\.code) == [.formatEncrypted])
  }

  @Test func `shows the keys of a property list with types, values masked`() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
      <key>token</key><string>Orchid-Zebra-42-Long</string>
      <key>list</key><array><integer>7</integer><true/></array></dict></plist>
      """
    let shown = try Inspected("a.plist", of: ["a.plist": Array(text.utf8)])
    #expect(shown.cell("values", "token", "type") == .word("string"))
    #expect(shown.cell("values", "list/0", "type") == .word("integer"))
    #expect(shown.cell("values", "list/1", "value") == .flag(true))
    #expect(shown.text().contains("Or•••••••"))
    #expect(!shown.text().contains("Orchid"))
    #expect(shown.text(reveals: true).contains("Orchid-Zebra-42-Long"))
  }

  @Test func `shows a data model's entities and attributes`() throws {
    var archive = KeyedArchiveBuilder()
    let entity = archive.string("Person")
    let attribute = archive.string("birthDate")
    let first = archive.object("NSEntityDescription") { [("NSEntityName", $0.uid(entity))] }
    let second = archive.object("NSAttributeDescription") {
      [("NSPropertyName", $0.uid(attribute)), ("NSAttributeType", $0.integer(900))]
    }
    let bytes = archive.file(root: archive.array([first, second]))
    let shown = try Inspected("Model.mom", of: ["Model.mom": bytes])
    let table = try #require(shown.inspection.section("model")?.table)
    #expect(table.column("name") == ["Person", "birthDate"])
    #expect(table.column("type") == [.missing, .word("date")])
    #expect(shown.cell("classes", "NSEntityDescription", "objects") == .number(1))
  }

  @Test func `lists the sections of a program`() throws {
    // A program that every system has, and small: this one grows with its tests.
    let bytes = try Program.bytes(of: "/bin/sh")
    let shown = try Inspected("program", of: ["program": bytes])
    #expect(shown.inspection.kind == "elf")
    let table = try #require(shown.inspection.section("sections")?.table)
    #expect(table.rows.count > 10)
    #expect(shown.cell("sections", ".text", "size") != nil)
  }

  @Test(arguments: [false, true])
  func `lists the load commands of a program, for each processor`(isUniversal: Bool) throws {
    var builder = MachOBuilder()
    builder.sections = [.init("__TEXT", "__cstring", Array("harbour\0".utf8))]
    builder.libraries = ["/usr/lib/libSystem.B.dylib"]
    builder.runPaths = ["@executable_path/Frameworks"]
    var bytes = builder.bytes()
    if isUniversal {
      bytes = MachOBuilder.universal([(0x0100_000C, bytes), (0x0100_0007, bytes)], isWide: false)
    }
    let shown = try Inspected("Tidal", of: ["Tidal": bytes])
    let key = isUniversal ? "commands-arm64" : "commands"
    let section = try #require(shown.inspection.section(key))
    #expect(section["platform"] == "ios")
    #expect(section["minimum"] == "17.0")
    #expect(section["type"] == .word("program"))
    #expect(shown.cell(key, "SEGMENT_64", "text") == "__TEXT")
    #expect(shown.cell(key, "LOAD_DYLIB", "text") == "/usr/lib/libSystem.B.dylib")
    #expect(shown.cell(key, "RPATH", "text") == "@executable_path/Frameworks")
    #expect(shown.cell("sections", "__TEXT,__cstring", "size") == .size(8))
    #expect(shown.text().contains("LOAD_DYLIB"))
  }

  private enum Program {
    static func bytes(of path: String) throws -> [UInt8] {
      let file = try #require(fopen(path, "r"))
      defer { fclose(file) }
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      while true {
        let count = fread(&buffer, 1, buffer.count, file)
        if count == 0 { return bytes }
        bytes += buffer[..<count]
      }
    }
  }
}

@Suite struct `An inspection as it is shown` {
  @Test func `keeps to 80 columns and lets nothing through that moves the cursor`() throws {
    let builder = try SQLiteBuilder()
    let long = String(repeating: "wide name ", count: 20)
    try builder.execute("CREATE TABLE \"\(long)\u{1b}[31m\"(a TEXT)")
    try builder.execute("CREATE TABLE \"消息记录消息记录消息记录消息记录消息记录消息记录\"(a TEXT)")
    try builder.execute("INSERT INTO \"\(long)\u{1b}[31m\" VALUES('\(long)')")
    try builder.execute("DELETE FROM \"\(long)\u{1b}[31m\"")
    let log = try PlantedDatabase.log(SQLiteBuilder.Settings(pageSize: 512)).files
    for shown in [
      try Inspected("store.db", of: builder.files()), try Inspected("store.db-wal", of: log),
      try Inspected("store.db", of: log),
    ] {
      for reveals in [false, true] {
        let text = shown.text(reveals: reveals)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        for line in text.split(separator: "\n") {
          let width = line.unicodeScalars.reduce(0) {
            $0 + ((0x2e80..<0xfff0).contains($1.value) ? 2 : 1)
          }
          #expect(width <= 80, "\(line)")
        }
      }
      #expect(shown.text(style: .colored).contains("\u{1b}["))
    }
  }

  @Test(arguments: [512, 1024])
  func `survives files that are cut off or damaged anywhere`(pageSize: Int) throws {
    let settings = SQLiteBuilder.Settings(pageSize: pageSize)
    for planted in [
      try PlantedDatabase.deletedRows(settings), try PlantedDatabase.log(settings),
      try PlantedDatabase.journal(settings, isHot: true),
    ] {
      for (name, bytes) in planted.files where !bytes.isEmpty {
        for step in 0..<24 {
          var files = planted.files
          files[name] = Array(bytes.prefix(bytes.count * step / 24))
          let cut = try Inspected(name, of: files)
          #expect(!cut.json().isEmpty && !cut.text().isEmpty)
          var damaged = bytes
          for place in stride(from: step, to: damaged.count, by: 211) {
            damaged[place] = UInt8(truncatingIfNeeded: place &* 31 &+ step)
          }
          files[name] = damaged
          _ = try Inspected(name, of: files).text()
        }
      }
    }
  }
}
