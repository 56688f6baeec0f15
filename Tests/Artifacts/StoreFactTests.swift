import Artifacts
import Bytes
import Findings
import FixtureKit
import Formats
import Testing

@Suite struct `Facts of keychains` {
  /// The tables of keychain-2.db, as far as they matter here.
  private func keychain(_ rows: String...) throws -> [UInt8] {
    let builder = try SQLiteBuilder()
    for table in ["genp", "keys"] {
      try builder.execute(
        "CREATE TABLE \(table)(rowid INTEGER PRIMARY KEY AUTOINCREMENT, cdat REAL, labl BLOB,"
          + " acct BLOB NOT NULL DEFAULT '', svce BLOB NOT NULL DEFAULT '', data BLOB,"
          + " agrp TEXT NOT NULL DEFAULT '', pdmn TEXT, sync INTEGER NOT NULL DEFAULT 0,"
          + " tomb INTEGER NOT NULL DEFAULT 0, tkid TEXT)")
    }
    for row in rows { try builder.execute(row) }
    return try #require(builder.files()["store.db"])
  }

  @Test func `say how each item is protected, and whose it is`() throws {
    let bytes = try keychain(
      "INSERT INTO genp(acct, svce, agrp, pdmn, sync) VALUES('ada', 'org.example', 'T1.org.example', 'dku', 1)",
      "INSERT INTO genp(acct, svce, agrp, pdmn) VALUES(x'\(String(repeating: "5b", count: 20))', x'', 'T1.org.example', 'ak')",
      "INSERT INTO keys(labl, agrp, pdmn, tkid, tomb) VALUES('enclave', 'T1.org.example', 'dk', 'com.apple.setoken', 1)"
    )
    let sink = StatementSink.reading(bytes, name: "keychain-2.db")
    let items = sink.facts.filter { $0.subject == .keychainItem }
    #expect(items.map(\.name) == ["org.example", "generic-password", "enclave"])
    #expect(items[0].values["accessible"] == ["kSecAttrAccessibleAlwaysThisDeviceOnly"])
    #expect(items[0].values["synced"] == ["true"])
    #expect(items[0].values["group"] == ["T1.org.example"])
    #expect(items[0].values["account"] == ["ada"])
    #expect(items[1].values["account-hash"] == [String(repeating: "5b", count: 20)])
    #expect(items[1].values["account"] == nil)
    #expect(items[2].values["token"] == ["com.apple.setoken"])
    #expect(items[2].values["class"] == ["key"])
    #expect(items[2].values["deleted"] == ["true"])
    #expect(items[0].place.context.table == "genp")
  }

  @Test func `come from the dumps of common tools`() {
    let json = """
      [{"access_control": "", "accessible_attribute": "kSecAttrAccessibleWhenUnlocked", "account": "ada",
        "data": "x", "entitlement_group": "T1.org.example", "item_class": "kSecClassGenericPassword",
        "service": "first \\u00e9"},
       {"accessible_attribute": "kSecAttrAccessibleAlways", "access_control": "kSecAccessControlUserPresence",
        "account": "", "service": "second"}]
      """
    let objection = StatementSink.reading(Array(json.utf8), name: "dump.json")
    #expect(objection.facts.map(\.name) == ["first é", "second"])
    #expect(objection.facts[0].values["class"] == ["generic-password"])
    #expect(objection.facts[0].values["access-control"] == ["false"])
    #expect(objection.facts[1].values["access-control"] == ["true"])
    #expect(objection.facts[1].place.line == 4)
    let text = """
      Generic Password
      ----------------
      Service: org.example
      Account: ada
      Entitlement Group: T1.org.example
      Label: (null)
      Accessible Attribute: kSecAttrAccessibleAfterFirstUnlock, protection level 1
      Keychain Data: x

      Generic Password
      ----------------
      Service: other
      Account: bob
      Entitlement Group: T1.org.example
      Accessible Attribute: kSecAttrAccessibleWhenUnlockedThisDeviceOnly, protection level 2
      """
    let dumper = StatementSink.reading(Array(text.utf8), name: "dump.txt")
    #expect(dumper.facts.map(\.name) == ["org.example", "other"])
    #expect(dumper.facts[0].values["accessible"] == ["kSecAttrAccessibleAfterFirstUnlock"])
    #expect(dumper.facts[0].values["label"] == nil)
  }

  @Test(arguments: [
    "[{\"accessible_attribute\":", "{\"accessible_attribute\": \"x\"", "\"accessible_attribute\"",
    "[[[[{\"accessible_attribute\": {\"a\": {}}}]]]]", "----\n----\nAccessible Attribute:",
    "Accessible Attribute\nEntitlement Group:",
  ])
  func `cut short or twisted are survived`(text: String) {
    let sink = StatementSink.reading(Array(text.utf8), name: "dump")
    #expect(sink.facts.count <= 1)
  }
}

@Suite struct `Facts of backups and caches` {
  private func record(_ protection: Int64) -> [UInt8] {
    var builder = KeyedArchiveBuilder()
    let path = builder.string("Documents/store.sqlite")
    let root = builder.object("MBFile") { list in
      [
        ("RelativePath", list.uid(path)), ("ProtectionClass", list.integer(protection)),
        ("Size", list.integer(8192)), ("Mode", list.integer(33188)),
      ]
    }
    return builder.file(root: root)
  }

  @Test(arguments: [
    (Int64(1), "complete"), (2, "complete-unless-open"),
    (3, "complete-until-first-user-authentication"), (4, "none"),
  ])
  func `a file's protection class is in the record of it`(number: Int64, word: String) throws {
    let bytes = record(number)
    let parsed = BackupRecord(parsing: bytes.span.bytes)
    let read = try #require(parsed)
    #expect(read.protection == word)
    #expect(read.path == "Documents/store.sqlite")
    #expect(read.byteCount == 8192)
  }

  @Test(arguments: 0..<30)
  func `a record cut short is none`(part: Int) {
    let bytes = record(1)
    let cut = Array(bytes[..<(bytes.count * part / 30)])
    let parsed = BackupRecord(parsing: cut.span.bytes)
    #expect(parsed == nil || parsed?.protectionClass == 1)
  }

  @Test func `a manifest says of each file where it was and how it was protected`() throws {
    let builder = try SQLiteBuilder()
    try builder.execute(
      "CREATE TABLE Files(fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, flags INTEGER, file BLOB)"
    )
    let hex = record(4).map { [$0].hexadecimal }.joined()
    try builder.execute(
      "INSERT INTO Files VALUES('ab01', 'AppDomain-org.example', 'Library/Application Support/store.sqlite', 1, x'\(hex)')"
    )
    try builder.execute(
      "INSERT INTO Files VALUES('ab02', 'AppDomain-org.example', 'Library', 2, NULL)")
    let bytes = try #require(builder.files()["store.db"])
    let sink = StatementSink.reading(bytes, name: "Manifest.db")
    let files = sink.facts.filter { $0.subject == .file }
    #expect(files.map(\.name) == ["store.sqlite"])
    #expect(files[0].values["protection"] == ["none"])
    #expect(files[0].values["area"] == ["application-support"])
    #expect(files[0].values["app"] == ["true"])
    #expect(files[0].values["backup"] == ["included"])
  }

  @Test func `a cached response names the parameters of its request, not their values`() throws {
    let builder = try SQLiteBuilder()
    try builder.execute(
      "CREATE TABLE cfurl_cache_response(entry_ID INTEGER PRIMARY KEY, request_key TEXT)")
    try builder.execute(
      "INSERT INTO cfurl_cache_response VALUES(1, 'https://example.org/a?page=2&access_token=t0p&flag')"
    )
    let bytes = try #require(builder.files()["store.db"])
    let sink = StatementSink.reading(bytes, name: "Cache.db")
    let record = try #require(sink.fact(.record, "cached response"))
    #expect(record.values["parameter"] == ["page", "access_token"])
    #expect(record.values["host"] == ["example.org"])
    #expect(record.values.values.joined().allSatisfy { !$0.contains("t0p") })
  }

  @Test(arguments: [
    ("Documents/a.txt", "documents", true), ("Library/Preferences/x.plist", "preferences", true),
    ("Library/Caches/org.example/Cache.db", "http-cache", false),
    ("Library/Caches/org.example/a.bin", "caches", false), ("tmp/a", "tmp", false),
    ("Library/SplashBoard/Snapshots/s/a.ktx", "snapshots", true),
    ("Library/Cookies/Cookies.binarycookies", "cookies", true),
    ("data/Containers/1/Library/WebKit/WebsiteData/a", "webkit", true),
    ("Library/Application Support/s.sqlite", "application-support", true),
    ("Library/Logs/a.ips", "logs", true), ("Documents/app.log", "logs", true),
  ])
  func `a path says which part of a container it is in`(
    path: String, area: String, isBackedUp: Bool
  ) {
    let place = ContainerPath(path)
    #expect(place.area?.rawValue == area)
    #expect(place.isBackedUp == isBackedUp)
  }

  @Test(arguments: ["a.txt", "Sources/App/Documents.swift", "", "/", "Payload/A.app/Info.plist"])
  func `a path outside of a container says nothing`(path: String) {
    #expect(ContainerPath(path).area == nil)
    #expect(ContainerPath(path).isBackedUp == nil)
  }
}

@Suite struct `Cookies` {
  @Test func `are read with their domains and flags`() {
    let file = CookieFixture.file([
      [
        .init(domain: "example.org", name: "session_id", path: "/", value: "abc123", flags: 5),
        .init(domain: ".example.net", name: "theme", path: "/a", value: "", flags: 0),
      ],
      [.init(domain: "example.com", name: "x", path: "/", value: "yes", flags: 1)],
    ])
    let sink = StatementSink.reading(file, name: "Cookies.binarycookies")
    let cookies = sink.facts
    #expect(cookies.map(\.name) == ["session_id", "theme", "x"])
    #expect(cookies[0].values["domain"] == ["example.org"])
    #expect(cookies[0].values["secure"] == ["true"])
    #expect(cookies[0].values["http-only"] == ["true"])
    #expect(cookies[1].values["content"] == ["empty"])
    #expect(cookies[2].values["http-only"] == ["false"])
    #expect(sink.places.map(\.context.key) == ["session_id", "x"])
    if case .pieces(let pieces) = sink.places[0].origin {
      let piece = pieces[0]
      #expect(file[piece.source..<piece.source + piece.count].elementsEqual("abc123".utf8))
    }
    #expect(sink.codes == [])
  }

  @Test(arguments: 0..<60)
  func `cut short anywhere are read as far as they go`(part: Int) {
    let file = CookieFixture.file([
      [.init(domain: "example.org", name: "session_id", path: "/", value: "abc123", flags: 5)]
    ])
    let cut = Array(file[..<(file.count * part / 60)])
    let sink = StatementSink.reading(cut, name: "c")
    #expect(sink.facts.count <= 1)
  }

  @Test func `with absurd counts end at once`() {
    var file = Array("cook".utf8)
    file.appendBigEndian(UInt32(0xffff))
    file += [UInt8](repeating: 0xff, count: 64)
    let sink = StatementSink.reading(file, name: "c")
    #expect(sink.facts.isEmpty && sink.codes == [.formatDamaged])
  }
}
