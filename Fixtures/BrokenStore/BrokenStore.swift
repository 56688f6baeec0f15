import CSodium
import DriverProtocol
import Glibc

/// A store of a SQLCipher database a profile. The key of each, and which file it opens, is an item of
/// the keychain: replacing that item is what commits a rotation.
final class BrokenStore: StoreDriver {
  private let fault: Fault
  private var folder = ""
  private var keychain = Keychain(folder: "")
  private var tables: [Int: Table] = [:]
  private var isOpen = false
  private var isDecoy = false
  private static let newestSchema = 2

  init(_ fault: Fault) {
    self.fault = fault
  }

  func answer(_ request: DriverRequest) async throws(Refusal) -> [String: JSONValue] {
    switch request.verb {
    case .hello: return hello()
    case .create: return try create(request)
    case .unlock: return try unlock(request)
    case .lock, .close: return close()
    case .addProfile:
      try makeProfile(1)
      return ["profile": .integer(1)]
    case .put: return try put(request)
    case .get: return try get(request)
    case .list:
      return ["ids": .strings(try table(request).rows("SELECT id FROM items").map { $0[0] })]
    case .search: return try search(request)
    case .delete: return try delete(request)
    case .attach: return try attach(request)
    case .attachment: return try attachment(request)
    case .rotate: return try rotate()
    case .migrate: return try migrate(request)
    case .erase: return try erase(request)
    case .format: return format(request)
    case .decoy: return try setDecoy(request)
    case .backup: return try backUp(request)
    case .status: return ["in-use": .boolean(isOpen)]
    case .keys: return keys()
    case .places:
      return [
        "files": .strings([try request.text("dir")]), "temporary": .array([]),
        "keys": .strings([try request.text("home") + "/keychain"]),
      ]
    case .passwd: throw Refusal(.unsupported, "the keys are in the keychain")
    }
  }

  private func hello() -> [String: JSONValue] {
    var done: [Capability] = [
      .search, .delete, .attach, .erase, .format, .backup, .profiles, .older, .newer,
    ]
    if fault.usesCipher { done += [.rotate, .keys] }
    if fault == .decoy { done.append(.decoy) }
    // What is sealed cannot be searched, and is not.
    if fault == .fields { done.removeAll { $0 == .search } }
    return ["store": .string("broken: \(fault.rawValue)"), "can": .strings(done.map(\.rawValue))]
  }

  // MARK: Places

  private func use(_ request: DriverRequest) throws(Refusal) {
    folder = try request.text("dir")
    keychain = Keychain(folder: try request.text("home") + "/keychain")
  }

  /// What an item of the keychain says: the key, and the number of the file it opens.
  private func item(_ name: String) throws(Refusal) -> (key: String, file: Int) {
    guard let bytes = Files.read(keychain.path(name)), bytes.count == 33 else {
      throw Refusal(.missing, "there is no key in the keychain")
    }
    return (Keychain.hexadecimal(Array(bytes[..<32])), Int(bytes[32]))
  }

  private func newKey() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&bytes, 32)
    return bytes
  }

  private func name(_ profile: Int) -> String { isDecoy ? "decoy" : "p\(profile)" }

  private func path(_ name: String, _ file: Int) -> String { "\(folder)/\(name).\(file).db" }

  private func connect(_ path: String, _ key: String, creating: Bool = false) throws(Refusal)
    -> Table
  {
    try Table(
      path, key: fault.usesCipher ? key : nil, creating: creating,
      keepsDeleted: fault == .deletion, sortsInFiles: fault == .temporary)
  }

  // MARK: Life

  private func create(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    try use(request)
    guard !Files.exists(keychain.path("p0")) else { throw Refusal(.exists, "there is a store") }
    mkdir(folder, 0o700)
    Files.sync(String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]))
    let version =
      switch request.members["schema"]?.string {
      case "older": Self.newestSchema - 1
      case "newer": Self.newestSchema + 1
      default: Self.newestSchema
      }
    isDecoy = false
    try makeProfile(0, version: version)
    return close()
  }

  private func makeProfile(_ profile: Int, version: Int = newestSchema) throws(Refusal) {
    let name = name(profile)
    guard !Files.exists(keychain.path(name)) else { throw Refusal(.exists, "there is one") }
    let key = newKey()
    let path = path(name, 1)
    // What a cut left of an earlier try has no key and is worth nothing.
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    let table = try connect(path, Keychain.hexadecimal(key), creating: true)
    try table.run("PRAGMA user_version=\(version)")
    table.close()
    Files.sync(folder)
    try keychain.keep(key + [1], name)
    if fault == .plist {
      let text = "<plist version=\"1.0\"><dict><key>DatabaseKey\(profile)</key><string>"
      try Files.write(
        Array((text + Keychain.hexadecimal(key) + "</string></dict></plist>\n").utf8),
        to: "\(folder)/Preferences\(profile).plist")
    }
  }

  private func unlock(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    _ = close()
    try use(request)
    isDecoy = try isDecoyPassword(request.text("password"))
    try finishErasures()
    isOpen = true
    do throws(Refusal) { _ = try table(0) } catch {
      isOpen = false
      throw error
    }
    return [:]
  }

  private func table(_ request: DriverRequest) throws(Refusal) -> Table {
    try table(request.profile)
  }

  private func table(_ profile: Int) throws(Refusal) -> Table {
    guard isOpen else { throw Refusal(.locked, "the store is locked") }
    if let table = tables[profile] { return table }
    let name = name(profile)
    let (key, file) = try item(name)
    let table = try connect(path(name, file), key)
    let version = try table.rows("PRAGMA user_version").first.flatMap { Int($0[0]) } ?? 0
    guard version <= Self.newestSchema else {
      table.close()
      throw Refusal(.schemaTooNew, "written by a newer program")
    }
    // Other files are what a rotation left that was cut off.
    for other in Files.names(folder) where other.hasPrefix(name + ".") && other.contains(".db") {
      if !other.hasPrefix("\(name).\(file).db") { unlink("\(folder)/\(other)") }
    }
    if fault == .temporary {
      try table.run("PRAGMA temp.cache_size=1; CREATE TEMP TABLE recent(id TEXT, fields TEXT)")
    }
    tables[profile] = table
    return table
  }

  private func close() -> [String: JSONValue] {
    for table in tables.values { table.close(leavesLog: fault == .rekey) }
    tables = [:]
    isOpen = false
    return [:]
  }

  private func migrate(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    try table(request).run(
      """
      BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS drafts(id TEXT PRIMARY KEY, body TEXT);
      PRAGMA user_version=\(Self.newestSchema); COMMIT
      """)
    return [:]
  }

  private func keys() -> [String: JSONValue] {
    let keys = (0...1).compactMap { profile -> JSONValue? in
      guard let (key, _) = try? item(name(profile)) else { return nil }
      return .object(["name": .string("database-\(profile)"), "hex": .string(key)])
    }
    return ["keys": .array(keys)]
  }
}

// MARK: Items

extension BrokenStore {
  private func put(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    let id = try request.text("id")
    let fields = request.members["fields"] ?? .object([:])
    let table = try table(request)
    let stored = try fault == .fields ? seal(fields) : fields
    try table.run("BEGIN IMMEDIATE")
    do throws(Refusal) {
      try table.rows("DELETE FROM words WHERE id=?", [id])
      try table.rows(
        "INSERT OR REPLACE INTO items(id, name, fields) VALUES(?,?,?)",
        [id, fields["name"]?.string ?? "", stored.text])
      if fault != .fields {
        try table.rows(
          "INSERT INTO words(id, body) VALUES(?,?)", [id, fields["text"]?.string ?? ""])
      }
      try table.run("COMMIT")
    } catch {
      try? table.run("ROLLBACK")
      throw error
    }
    if fault == .temporary {
      try table.rows("INSERT INTO recent VALUES(?,?)", [id, stored.text])
    }
    if fault == .logging {
      let line = Array("stored \(id): \(fields.text)\n".utf8)
      _ = write(STDERR_FILENO, line, line.count)
    }
    return [:]
  }

  private func get(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    let id = try request.text("id")
    let rows = try table(request).rows("SELECT fields FROM items WHERE id=?", [id])
    guard let row = rows.first else { throw Refusal(.notFound, "there is no such item") }
    guard let fields = try? JSONValue(parsing: row[0].utf8) else {
      throw Refusal(.damaged, "the item is damaged")
    }
    return ["fields": try fault == .fields ? open(fields) : fields]
  }

  private func search(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    let rows = try table(request).rows(
      "SELECT id FROM words WHERE words MATCH ?", ["body:" + (try request.text("text"))])
    return ["ids": .strings(rows.map { $0[0] })]
  }

  private func delete(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    let id = try request.text("id")
    let table = try table(request)
    try table.run("BEGIN IMMEDIATE")
    do throws(Refusal) {
      for name in ["items", "words", "attachments"] {
        try table.rows("DELETE FROM \(name) WHERE id=?", [id])
      }
      if fault != .deletion { try table.run("INSERT INTO words(words) VALUES('optimize')") }
      try table.run("COMMIT")
    } catch {
      try? table.run("ROLLBACK")
      throw error
    }
    try table.run("PRAGMA wal_checkpoint(TRUNCATE)")
    return [:]
  }

  private func attach(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    let id = try request.text("id")
    let text = try request.text("text")
    let name = try request.text("name")
    let body = try fault == .fields ? sealed(text) : text
    try table(request).rows(
      "INSERT OR REPLACE INTO attachments(id, name, body) VALUES(?,?,?)", [id, name, body])
    return [:]
  }

  private func attachment(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    let id = try request.text("id")
    let rows = try table(request).rows("SELECT name, body FROM attachments WHERE id=?", [id])
    guard let row = rows.first else { throw Refusal(.notFound, "there is none") }
    let text = try fault == .fields ? opened(row[1]) : row[1]
    return ["name": .string(row[0]), "text": .string(text)]
  }

  // MARK: Sealed fields

  /// What the tutorial holds to be sensitive; the rest "is only metadata".
  private static let sensitive = ["text", "born", "token", "note", "filler"]

  private func seal(_ fields: JSONValue) throws(Refusal) -> JSONValue {
    var members = fields.object ?? [:]
    for name in Self.sensitive {
      if let value = members[name]?.string { members[name] = .string(try sealed(value)) }
    }
    return .object(members)
  }

  private func open(_ fields: JSONValue) throws(Refusal) -> JSONValue {
    var members = fields.object ?? [:]
    for name in Self.sensitive {
      if let value = members[name]?.string { members[name] = .string(try opened(value)) }
    }
    return .object(members)
  }

  private func sealed(_ text: String) throws(Refusal) -> String {
    let key = Keychain.bytes(try item("p0").key)
    var nonce = [UInt8](repeating: 0, count: 12)
    randombytes_buf(&nonce, 12)
    let plain = Array(text.utf8)
    var box = [UInt8](repeating: 0, count: plain.count + 16)
    crypto_aead_chacha20poly1305_ietf_encrypt(
      &box, nil, plain, UInt64(plain.count), nil, 0, nil, nonce, key)
    return Keychain.hexadecimal(nonce + box)
  }

  private func opened(_ text: String) throws(Refusal) -> String {
    let key = Keychain.bytes(try item("p0").key)
    let bytes = Keychain.bytes(text)
    guard bytes.count >= 28 else { throw Refusal(.damaged, "a sealed value is cut off") }
    let box = Array(bytes[12...])
    var plain = [UInt8](repeating: 0, count: box.count - 16)
    let result = crypto_aead_chacha20poly1305_ietf_decrypt(
      &plain, nil, nil, box, UInt64(box.count), nil, 0, Array(bytes[..<12]), key)
    guard result == 0 else { throw Refusal(.damaged, "a sealed value was changed") }
    return String(decoding: plain, as: UTF8.self)
  }
}

// MARK: Keys, erasing, backups

extension BrokenStore {
  private func rotate() throws(Refusal) -> [String: JSONValue] {
    for profile in [0, 1] where Files.exists(keychain.path(name(profile))) {
      let name = name(profile)
      let (_, file) = try item(name)
      let key = newKey()
      let table = try table(profile)
      if fault == .rekey {
        try table.rekey(Keychain.hexadecimal(key))
        try keychain.keep(key + [UInt8(file)], name)
        continue
      }
      let next = path(name, file + 1)
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(next + suffix) }
      try table.run("PRAGMA wal_checkpoint(TRUNCATE)")
      let version = try table.rows("PRAGMA user_version").first?[0] ?? "0"
      try table.copy(to: next, key: Keychain.hexadecimal(key))
      let copy = try connect(next, Keychain.hexadecimal(key))
      try copy.run("PRAGMA user_version=\(version)")
      copy.close()
      Files.sync(folder)
      try keychain.keep(key + [UInt8(file + 1)], name)
      table.close()
      tables[profile] = nil
      for suffix in ["", "-wal", "-shm"] { unlink(path(name, file) + suffix) }
      Files.sync(folder)
      if fault == .plist { unlink("\(folder)/Preferences\(profile).plist") }
    }
    return [:]
  }

  private func erase(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    let profile = request.profile
    let name = name(profile)
    guard isOpen else { throw Refusal(.locked, "the store is locked") }
    guard Files.exists(keychain.path(name)) else { throw Refusal(.missing, "there is none") }
    tables.removeValue(forKey: profile)?.close()
    if fault == .erasure {
      removeFiles(of: name)
      keychain.remove(name)
      return [:]
    }
    try Files.write([], to: "\(folder)/\(name).erase")
    try finishErasures()
    return [:]
  }

  private func finishErasures() throws(Refusal) {
    for mark in Files.names(folder) where mark.hasSuffix(".erase") {
      let name = String(mark.dropLast(6))
      keychain.remove(name)
      removeFiles(of: name)
      unlink("\(folder)/\(mark)")
      Files.sync(folder)
    }
  }

  private func removeFiles(of name: String) {
    for file in Files.names(folder) where file.hasPrefix(name + ".") && file.contains(".db") {
      unlink("\(folder)/\(file)")
    }
    unlink("\(folder)/Preferences\(name.dropFirst()).plist")
    Files.sync(folder)
  }

  private func format(_ request: DriverRequest) -> [String: JSONValue] {
    _ = close()
    guard (try? use(request)) != nil else { return [:] }
    for name in Files.names(keychain.folder) { keychain.remove(name) }
    for name in Files.names(folder) { unlink("\(folder)/\(name)") }
    rmdir(folder)
    return [:]
  }

  private func setDecoy(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    guard isOpen else { throw Refusal(.locked, "the store is locked") }
    isDecoy = true
    defer { isDecoy = false }
    try makeProfile(0)
    try keychain.keep(Self.digest(try request.text("decoy")), "decoy-password")
    return [:]
  }

  private func isDecoyPassword(_ password: String) -> Bool {
    guard let digest = Files.read(keychain.path("decoy-password")) else { return false }
    return digest == Self.digest(password)
  }

  private static func digest(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_generichash(&digest, 32, bytes, UInt64(bytes.count), nil, 0)
    return digest
  }

  private func backUp(_ request: DriverRequest) throws(Refusal) -> [String: JSONValue] {
    let target = try request.text("to")
    mkdir(target, 0o700)
    let table = try table(request)
    if fault == .backup {
      try table.copyPlain(to: target + "/copy.db")
      return [:]
    }
    try table.run("PRAGMA wal_checkpoint(TRUNCATE)")
    guard let bytes = Files.read(table.path) else { throw Refusal(.io, "it cannot be read") }
    try Files.write(bytes, to: target + "/copy.db")
    return [:]
  }
}
