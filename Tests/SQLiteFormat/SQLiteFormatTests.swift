import Bytes
import FixtureKit
import SQLiteFormat
import Testing

@Suite struct `SQLite varints` {
  @Test(
    arguments: [
      ([0x00], 0, 1), ([0x7f], 127, 1), ([0x81, 0x00], 128, 2), ([0xff, 0x7f], 16383, 2),
      ([0x82, 0x80, 0x0d], 32781, 3),
      ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], UInt64.max, 9),
    ] as [([UInt8], UInt64, Int)])
  func `hold seven bits a byte and eight in a ninth`(bytes: [UInt8], value: UInt64, count: Int) {
    let read = bytes.span.bytes.varint(at: 0)
    #expect(read?.value == value)
    #expect(read?.count == count)
    for length in 0..<count {
      let cut = Array(bytes.prefix(length)).span.bytes.varint(at: 0)
      #expect(cut == nil)
    }
  }
}

@Suite struct `Page geometry` {
  @Test(arguments: [
    (4096, 0, 4061, 489), (4096, 80, 3981, 479), (1024, 48, 941, 97), (512, 0, 477, 39),
  ])
  func `follows from page size and reserved bytes`(
    size: Int, reserved: Int, most: Int, least: Int
  ) throws {
    let geometry = try #require(PageGeometry(pageSize: size, reserved: reserved))
    #expect(geometry.maxLocal(isTable: true) == most)
    #expect(geometry.minLocal == least)
  }

  @Test(arguments: [(0, 0), (256, 0), (1000, 0), (131_072, 0), (512, 100), (4096, 256)])
  func `is refused where no database has it`(size: Int, reserved: Int) {
    #expect(PageGeometry(pageSize: size, reserved: reserved) == nil)
  }

  @Test func `puts pointer maps where SQLite does`() throws {
    let geometry = try #require(PageGeometry(pageSize: 1024, reserved: 0))
    let maps = (1...500).filter { geometry.isPointerMapPage(UInt32($0)) }
    #expect(maps == [2, 207, 412])
    #expect(try #require(PageGeometry(pageSize: 4096, reserved: 0)).lockPage == 262_145)
  }
}

@Suite struct `Schema statements` {
  @Test func `give column names through quotes, constraints and comments`() throws {
    let sql = """
      CREATE TABLE "a b" (id INTEGER PRIMARY KEY, -- the key
        [first name] TEXT DEFAULT ('x, y'), `last` VARCHAR(20) NOT NULL UNIQUE,
        'amount' DECIMAL(10, 2) CHECK (amount > 0), /* one more */ data,
        CONSTRAINT c UNIQUE (data, "last"), FOREIGN KEY (data) REFERENCES o(id))
      """
    let table = try #require(TableDefinition(parsing: sql))
    #expect(table.columns.map(\.name) == ["id", "first name", "last", "amount", "data"])
    #expect(table.columns.map(\.affinity) == [.integer, .text, .text, .numeric, .blob])
    #expect(table.rowidAlias == 0)
    #expect(table.uniques == [["last"], ["data", "last"]])
  }

  @Test func `store no column that is worked out when it is read`() throws {
    let sql = """
      CREATE TABLE t(whole TEXT AS (first || ' ' || last), first TEXT,
        size INTEGER GENERATED ALWAYS AS (length(CAST(first AS BLOB))) VIRTUAL,
        last TEXT DEFAULT (CAST('x' AS TEXT)), kept TEXT AS (lower(last)) STORED,
        number INTEGER, PRIMARY KEY(number))
      """
    let table = try #require(TableDefinition(parsing: sql))
    #expect(table.storedColumns.map(\.name) == ["first", "last", "kept", "number"])
    #expect(table.rowidAlias == 3)
    #expect(table.rowidName == "number")
  }

  @Test func `name what an R*Tree holds beside its coordinates`() {
    let sql = "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, +note TEXT, + place)"
    #expect(
      TableDefinition(parsing: sql)?.columns.map(\.name) == ["id", "x0", "x1", "note", "place"])
  }

  @Test func `give rowids a name where a column of exactly that type is the key`() {
    for (sql, name) in [
      ("CREATE TABLE t(a INTEGER PRIMARY KEY, b)", "a"),
      ("CREATE TABLE t(a, b INTEGER, PRIMARY KEY(b))", "b"),
      ("CREATE TABLE t(a INT PRIMARY KEY, b)", "rowid"),
      ("CREATE TABLE t(a, b BIGINT, PRIMARY KEY(b))", "rowid"), ("CREATE TABLE t(a)", "rowid"),
    ] {
      #expect(TableDefinition(parsing: sql)?.rowidName == name, "\(sql)")
    }
  }

  @Test func `store the primary key first without rowids`() throws {
    let table = try #require(
      TableDefinition(parsing: "CREATE TABLE t(v, a INTEGER, b, PRIMARY KEY(b, a)) WITHOUT ROWID"))
    #expect(table.storedColumns.map(\.name) == ["b", "a", "v"])
    #expect(table.rowidAlias == nil)
  }

  @Test(arguments: ["", "CREATE", "CREATE TABLE", "CREATE TABLE t(", "((((("])
  func `cut short are no table or a table with fewer columns`(sql: String) {
    #expect(TableDefinition(parsing: sql)?.columns.isEmpty != false)
  }
}

@Suite struct `Serial types` {
  @Test(
    arguments: [
      (1, [0xff], -1), (2, [0x80, 0x00], -32768), (3, [0x7f, 0xff, 0xff], 8_388_607),
      (6, [0x00, 0x12, 0x95, 0x6f, 0x70, 0xc8, 0x04, 0xbb], 5_230_855_446_856_891), (8, [], 0),
      (9, [], 1),
    ] as [(UInt64, [UInt8], Int64)])
  func `give the integers they stand for`(type: UInt64, bytes: [UInt8], value: Int64) {
    let stored = RecordValue(type: SerialType(type), offset: 0, count: bytes.count)
    let read = stored.integer(in: bytes.span.bytes)
    #expect(read == value)
  }
}

@Suite struct `Write-ahead logs` {
  @Test func `keep generations apart and verify each frame`() throws {
    let planted = try PlantedDatabase.log(SQLiteBuilder.Settings(pageSize: 1024))
    let bytes = try #require(planted.files["store.db-wal"])
    let header = try LogHeader(parsing: bytes.span.bytes)
    #expect(header.isSound)
    let log = try LogIndex(MemorySource(bytes), header: header, pageSize: header.pageSize)
    #expect(log.generations.count == 2)
    #expect(log.generations.map(\.isCurrent) == [true, false])
    #expect(log.generations[1].soundCount >= log.generations[1].frameCount - 1)
    #expect(log.frames.prefix(3).map(\.state) == [.superseded, .superseded, .live])
    #expect(log.frames.contains { $0.state == .uncommitted })
    let shared = try #require(planted.files["store.db-shm"])
    let parsed = SharedMemoryIndex(parsing: shared.span.bytes)
    let index = try #require(parsed)
    #expect(index.salts == header.salts)
    #expect(index.copiesAgree)
    #expect(index.disagreements(with: log, header: header).isEmpty)
  }

  @Test func `with one flipped bit end at that frame`() throws {
    let planted = try PlantedDatabase.log(SQLiteBuilder.Settings(pageSize: 1024))
    var bytes = try #require(planted.files["store.db-wal"])
    bytes[32 + 1048 + 24 + 100] ^= 1
    let header = try LogHeader(parsing: bytes.span.bytes)
    let log = try LogIndex(MemorySource(bytes), header: header, pageSize: header.pageSize)
    #expect(log.frames[0].state != .torn)
    #expect(log.frames[1].state == .torn)
    #expect(!log.frames[1].isSound)
  }
}

@Suite struct `Full-text blobs` {
  @Test(arguments: ["fts4(c, content='')", "fts5(c, content='')"])
  func `give their terms whole`(module: String) throws {
    let builder = try SQLiteBuilder()
    do {
      try builder.execute("CREATE VIRTUAL TABLE f USING \(module)")
    } catch {
      print("\(module) is not in this build of the library")
      return
    }
    try builder.execute(
      "INSERT INTO f(rowid, c) VALUES(1, 'confidential confidentiality confidentially')")
    let bytes = try #require(builder.files()["store.db"])
    let header = try DatabaseHeader(parsing: bytes.span.bytes)
    let database = Database(
      DatabaseFile(source: MemorySource(bytes), geometry: header.geometry), header: header)
    var terms: [String] = []
    for page in 1...database.map.pageCount {
      guard let version = database.fullTextTrees[database.map.tree(of: page)] else { continue }
      for record in database.liveRecords(of: page) {
        let payload = database.payload(of: record.carved, page: page, limit: 1 << 20, isLive: true)
        for value in record.carved.record.values where value.type.kind == .blob {
          let blob = payload.bytes.span.bytes.clamped(to: value.range)
          let found = FullText.terms(in: blob, version: version) ?? []
          terms += String(decoding: found, as: UTF8.self).split(separator: "\n").map(String.init)
        }
      }
    }
    #expect(Set(terms).isSuperset(of: ["confidential", "confidentiality", "confidentially"]))
  }
}
