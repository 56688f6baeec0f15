/// An app's container as a phone would hold it, with values left where apps leave them, and things
/// that only look like leaks. Tests and `make demo` scan it.
///
/// Its bytes are the same every time, but for the encrypted store, whose initialisation vectors the
/// library draws at random.
package struct SampleContainer {
  /// One value that was left behind, and where a scan must find it.
  package struct Planted: Sendable, CustomStringConvertible {
    package var path: String
    /// Id of the needle, or of the rule.
    package var what: String
    /// As reports say it.
    package var liveness: String

    package init(_ what: String, in path: String, _ liveness: String = "live") {
      self.path = path
      self.what = what
      self.liveness = liveness
    }

    package var description: String { "\(what), \(liveness), in \(path)" }
  }

  package static let planted = [
    Planted("name", in: notes),
    Planted("name", in: notes, "deleted"),
    Planted("database-key", in: notes),
    Planted("name", in: notes + ".bak"),
    Planted("birth-date", in: model + "-wal"),
    Planted("phone", in: model + "-wal", "superseded"),
    Planted("phone", in: outbox + "-journal", "stale"),
    Planted("member-number", in: preferences),
    Planted("birth-date", in: preferences),
    Planted("birth-date", in: syncedPreferences),
    Planted("database-key", in: syncedPreferences),
    Planted("name", in: syncedPreferences),
    Planted("name", in: savedState),
    Planted("member-number", in: log),
    Planted("secrets.github-token", in: log),
    Planted("name", in: log + ".1.gz"),
    Planted("phone", in: response),
    Planted("name", in: export),
    Planted("birth-date", in: export),
    Planted("name", in: bundle),
    Planted("secrets.pem-private-key", in: bundle),
  ]

  /// Files in which nothing may be found.
  package static let lookAlikes = [
    vault, "Documents/README.txt", "Documents/SHA256SUMS", "Documents/config.example.json",
    "Documents/server-public.pem", "Documents/package.lock.json",
  ]

  /// The store that is encrypted: what a scan cannot read it must say.
  package static let vault = "Documents/Vault.sqlite"

  static let notes = "Documents/Notes.sqlite"
  static let model = "Library/Application Support/Model.sqlite"
  static let outbox = "Library/Application Support/Outbox.sqlite"
  static let preferences = "Library/Preferences/org.example.tidal.plist"
  static let syncedPreferences = "Library/SyncedPreferences/org.example.tidal.plist"
  static let savedState = "Library/Saved Application State/org.example.tidal.savedState/data.data"
  static let log = "Library/Caches/Logs/tidal.log"
  static let response = "Library/Caches/Responses/profile.json"
  static let export = "tmp/export.txt"
  static let bundle = "tmp/Tidal.ipa"

  /// Writes the container into a folder that is empty or does not exist yet.
  package static func write(to path: String) throws {
    let folder = try FixtureFolder(empty: path)
    let workshop = try FixtureFolder(temporary: "sample-container")
    defer { workshop.remove() }
    try writeDatabases(to: folder, workshop)
    try writePropertyLists(to: folder)
    try writeTexts(to: folder)
    try folder.write(appBundle(workshop), to: bundle)
    try writeLookAlikes(to: folder, workshop)
  }

  private static func writePropertyLists(to folder: FixtureFolder) throws {
    var list = PropertyListBuilder()
    let top = list.dictionary([
      ("birthDate", list.date(SampleValues.birthDateSince2001)),
      ("launchCount", list.integer(12)),
      ("memberNumber", list.integer(Int64(SampleValues.memberNumber))),
    ])
    try folder.write(list.file(top: top), to: preferences)

    let key = SampleValues.base64(SampleValues.databaseKey)
    try folder.write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>birthday</key>
      \t<date>\(SampleValues.birthDate)T00:00:00Z</date>
      \t<key>profileName</key>
      \t<string>\(SampleValues.name)</string>
      \t<key>store</key>
      \t<data>
      \t\(key)
      \t</data>
      </dict>
      </plist>

      """, to: syncedPreferences)

    var archive = KeyedArchiveBuilder()
    let root = archive.dictionary([
      (archive.string("selectedContact"), archive.string(SampleValues.name)),
      (archive.string("scrollPosition"), archive.string("184")),
    ])
    try folder.write(archive.file(root: root), to: savedState)
  }

  private static func writeTexts(to folder: FixtureFolder) throws {
    try folder.write(
      """
      2025-03-02 08:14:51.201 INFO  launch version=4.2.0 build=1187
      2025-03-02 08:14:51.993 DEBUG sync GET /v2/members/\(SampleValues.memberNumber)/notes 200
      2025-03-02 08:14:52.040 DEBUG sync Authorization: token \(SampleValues.accessToken)
      2025-03-02 08:14:52.377 INFO  sync finished notes=2 seconds=0.38

      """, to: log)
    let rotated = """
      2025-03-01 19:02:10.118 INFO  launch version=4.2.0 build=1187
      2025-03-01 19:02:12.640 INFO  session signed in as \(SampleValues.name)

      """
    try folder.write(DeflateFixture.compress(Array(rotated.utf8), .gzip), to: log + ".1.gz")
    let body = "{\"id\":17,\"telephone\":\"\(SampleValues.groupedPhone)\",\"plan\":\"annual\"}"
    try folder.write(
      """
      {"status":200,"cached":"2025-03-02T08:14:52Z","body":"\(SampleValues.base64(Array(body.utf8)))"}

      """, to: response)
    let text = "\u{FEFF}Contacts\r\n\r\n1\t\(SampleValues.name)\t\(SampleValues.birthDate)\r\n"
    try folder.write(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, to: export)
  }

  /// An app as it is shipped, with a filled database and a key that were meant for testing.
  private static func appBundle(_ workshop: FixtureFolder) throws -> [UInt8] {
    let app = "Payload/Tidal.app/"
    let seed = try database("Seed.sqlite", in: workshop) { database throws(SQLiteFixture.Failure) in
      try database.run(
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, city TEXT)",
        "INSERT INTO person VALUES(1, 'Odile Brandvold', 'Bergen')",
        "INSERT INTO person VALUES(2, '\(SampleValues.name)', 'Porto')")
    }
    let zip = ZipBuilder([
      ZipBuilder.Entry(app + "Info.plist", "<plist><dict></dict></plist>\n"),
      ZipBuilder.Entry(app + "Seed.sqlite", seed),
      ZipBuilder.Entry(app + "push-signing.pem", SampleValues.privateKey),
    ])
    return zip.bytes()
  }

  private static func writeLookAlikes(
    to folder: FixtureFolder, _ workshop: FixtureFolder
  ) throws {
    let store = try database("Vault.sqlite", in: workshop, rawKey: SampleValues.vaultKey) {
      database throws(SQLiteFixture.Failure) in
      try database.run(
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, born TEXT)",
        "INSERT INTO person VALUES(1, '\(SampleValues.name)', '\(SampleValues.birthDate)')")
    }
    try folder.write(store, to: vault)
    try folder.write(SampleValues.publicKey, to: "Documents/server-public.pem")
    try folder.write(
      """
      An access token looks like \(SampleValues.accessTokenLookAlike).
      Put yours into config.json; config.example.json shows where.

      """, to: "Documents/README.txt")
    let sums = ["map-tiles.bin", "glyphs.bin"].enumerated().map { index, name in
      "\(SampleValues.hexadecimal(SampleValues.bytes(32, seed: UInt64(1_000 * (index + 1)))))  \(name)\n"
    }
    try folder.write(sums.joined(), to: "Documents/SHA256SUMS")
    try folder.write(
      """
      {
        "api_key": "<your-key-here>",
        "password": "${TIDAL_PASSWORD}",
        "encryption_key": "\(String(repeating: "0", count: 64))",
        "installation": "8f14e45f-ceea-467f-a8f2-52b1c0d47a11"
      }

      """, to: "Documents/config.example.json")
    let integrity = SampleValues.base64(SampleValues.bytes(64, seed: 12))
    try folder.write(
      """
      {"packages": {"tide-tables": {"version": "3.1.4", "integrity": "sha512-\(integrity)"}}}

      """, to: "Documents/package.lock.json")
  }
}
