import Artifacts
import Bytes
import Findings
import FixtureKit
import Testing

extension StatementSink {
  func fact(_ subject: Fact.Subject, _ name: String) -> Fact? {
    facts.first { $0.subject == subject && $0.name == name }
  }

  /// The places of values that were handed on.
  var places: [Place] { fragments.map(\.place) }
}

@Suite struct `Facts of schemas` {
  private func database(_ statements: String...) throws -> [UInt8] {
    let builder = try SQLiteBuilder()
    for sql in statements { try builder.execute(sql) }
    return try #require(builder.files()["store.db"])
  }

  @Test func `say what columns are declared as and what they hold`() throws {
    let bytes = try database(
      "CREATE TABLE person(id INTEGER PRIMARY KEY, birth_time DATETIME NOT NULL, email TEXT UNIQUE,"
        + " sealed BLOB, token TEXT, note VARCHAR(20) DEFAULT '')",
      "CREATE INDEX by_time ON person(birth_time)",
      "INSERT INTO person VALUES(1, '1990-01-01', 'a@b.example',"
        + " x'8ff03ac1d2e9b7460519fe7c23d8a4b6e1c05f93a7d2', 'j/8+q4L0nZ2vYxW7tR1sKp9dUe3mHc6gBq5oTz8iNf0=', NULL)"
    )
    let sink = StatementSink.reading(bytes, name: "store.db")
    #expect(sink.fact(.table, "person")?.values["columns"]?.count == 6)
    let time = try #require(sink.fact(.attribute, "birth_time"))
    #expect(time.values["storage"] == ["date"])
    #expect(time.values["optional"] == ["false"])
    #expect(time.values["indexed"] == ["true"])
    #expect(time.values["content"] == ["clear"])
    #expect(time.place.context.table == "person")
    #expect(sink.fact(.attribute, "email")?.values["indexed"] == ["true"])
    #expect(sink.fact(.attribute, "sealed")?.values["storage"] == ["blob"])
    #expect(sink.fact(.attribute, "sealed")?.values["content"] == ["ciphertext"])
    #expect(sink.fact(.attribute, "token")?.values["content"] == ["ciphertext"])
    #expect(sink.fact(.attribute, "note")?.values["content"] == ["empty"])
    #expect(sink.fact(.attribute, "note")?.values["default"] == ["true"])
  }

  @Test func `leave out what keeps an index together`() throws {
    let bytes = try database(
      "CREATE TABLE a(x TEXT)", "CREATE VIRTUAL TABLE search USING fts4(subject, body)")
    let sink = StatementSink.reading(bytes, name: "store.db")
    #expect(sink.facts.filter { $0.subject == .table }.map(\.name).sorted() == ["a", "search"])
    #expect(sink.fact(.table, "search")?.values["module"] == ["fts4"])
    #expect(sink.fact(.attribute, "subject")?.values["full-text"] == ["true"])
  }

  @Test func `come from SQL in source, joined from its literals`() throws {
    let source = """
      let sql = "CREATE TABLE IF NOT EXISTS main.person (" +
        "id INTEGER PRIMARY KEY, " +
        "\\"home_address\\" TEXT NOT NULL)"
      // CREATE nothing here
      try db.execute(sql: \"\"\"
        create table message (
          id integer primary key,
          body text -- the text
        ) without rowid
        \"\"\")
      let index = "CREATE INDEX i ON message(body)"
      """
    let sink = StatementSink.reading(Array(source.utf8), name: "a.swift")
    #expect(sink.facts.filter { $0.subject == .table }.map(\.name) == ["person", "message"])
    let address = try #require(sink.fact(.attribute, "home_address"))
    #expect(address.values["table"] == ["person"])
    #expect(address.place.line == 1)
    let body = try #require(sink.fact(.attribute, "body"))
    #expect(body.values["indexed"] == ["true"])
    #expect(body.place.line == 6)
    #expect(sink.fact(.table, "message")?.values["without-rowid"] == ["true"])
  }

  @Test(arguments: [
    "CREATE TABLE", "CREATE TABLE (", "CREATE TABLE t(", "CREATE TABLE t)", "create table t(((((",
    "CREATE VIRTUAL TABLE x USING", "CREATE INDEX ON", "CREATE INDEX i ON t", "CREATE TABLE t(,,)",
  ])
  func `of statements that end early are none`(text: String) {
    let sink = StatementSink.reading(Array(text.utf8), name: "a.sql")
    #expect(sink.facts.filter { $0.subject == .attribute }.isEmpty)
  }
}

@Suite struct `Stores of Core Data` {
  /// A store as Core Data lays one out, with the model that it keeps a copy of.
  private func store(withModel: Bool) throws -> [UInt8] {
    let builder = try SQLiteBuilder()
    for sql in [
      "CREATE TABLE ZPERSON(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,"
        + " ZBIRTHTIME TIMESTAMP, ZNOTE VARCHAR, ZSCHOOL VARCHAR)",
      "CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,"
        + " Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR, Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE(Z_CONTENT BLOB)",
      "INSERT INTO Z_PRIMARYKEY VALUES(1, 'Person', 0, 2)",
      "INSERT INTO Z_PRIMARYKEY VALUES(2, 'Child', 1, 0)",
      "INSERT INTO ZPERSON VALUES(1, 1, 1, 700000000.5, 'hello there', NULL)",
      "INSERT INTO ZPERSON VALUES(2, 2, 1, 700000000.5, 'hello again', 'North')",
    ] { try builder.execute(sql) }
    if withModel {
      let archive = ModelFixture.archive([
        .init("Person", [.init("birthTime", 900, isOptional: true), .init("note", 700)]),
        .init("Child", parent: "Person", [.init("school", 700)]),
      ])
      let hex = DeflateFixture.compress(archive).map { [$0].hexadecimal }.joined()
      try builder.execute("INSERT INTO Z_MODELCACHE VALUES(x'\(hex)')")
    }
    return try #require(builder.files()["store.db"])
  }

  @Test func `name their values by entity and attribute`() throws {
    let sink = StatementSink.reading(
      try store(withModel: true), name: "store.db")
    let notes = sink.places.filter { $0.context.column == "ZNOTE" }
    #expect(notes.map(\.context.entity) == ["Person", "Child"])
    #expect(notes.map(\.context.attribute) == ["note", "note"])
    #expect(notes.map(\.context.table) == ["ZPERSON", "ZPERSON"])
    #expect(sink.places.contains { $0.context.attribute == "school" })
  }

  @Test func `state the model that they carry`() throws {
    let sink = StatementSink.reading(
      try store(withModel: true), name: "store.db")
    let birth = try #require(sink.fact(.attribute, "birthTime"))
    #expect(birth.values["storage"] == ["date"])
    #expect(birth.values["source"] == ["store"])
    #expect(birth.place.context.column == "ZBIRTHTIME")
    #expect(sink.fact(.attribute, "school")?.values["table"] == ["ZPERSON"])
    #expect(sink.fact(.attribute, "ZBIRTHTIME") == nil)
    #expect(!sink.facts.contains { $0.name == "Z_PRIMARYKEY" })
  }

  @Test func `without a model are named by their numbers`() throws {
    let sink = StatementSink.reading(
      try store(withModel: false), name: "store.db")
    let notes = sink.places.filter { $0.context.column == "ZNOTE" }
    #expect(notes.map(\.context.entity) == ["Person", "Child"])
    #expect(notes.allSatisfy { $0.context.attribute == nil })
    let birth = try #require(sink.fact(.attribute, "BIRTHTIME"))
    #expect(birth.place.context.column == "ZBIRTHTIME")
  }
}
