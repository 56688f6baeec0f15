import CWipingFree
import DriverProtocol
import Glibc
import SecretBytes
import Vault
import VaultKeys

/// Drives one vault at a time. An item is a message with its text and a record with everything,
/// written in one transaction.
final class VaultDriver: StoreDriver {
  private var vault: Vault?
  private var session: Session?
  /// Whether this process made a store of an older version, and fills it as that one would have.
  private var isOlder = false

  func answer(_ request: DriverRequest) async throws(Refusal) -> [String: JSONValue] {
    do {
      return try await perform(request)
    } catch let refusal as Refusal {
      throw refusal
    } catch let error as VaultError {
      throw Refusal(error.kind, error.problem)
    } catch {
      throw Refusal(.refused, "unexpected error of kind \(type(of: error))")
    }
  }

  private func perform(_ request: DriverRequest) async throws -> [String: JSONValue] {
    switch request.verb {
    case .hello: return hello(request)
    case .create: return try await create(request)
    case .unlock: return try await unlock(request)
    case .lock, .close: return try await lock(closing: request.verb == .close)
    case .addProfile: return ["profile": .integer(try await open().addProfile())]
    case .put: return try await put(request)
    case .get: return ["fields": try await item(request).fields]
    case .list: return ["ids": .strings(try await ids(request))]
    case .search: return ["ids": .strings(try await search(request))]
    case .delete: return try await delete(request)
    case .attach: return try await attach(request)
    case .attachment: return try await attachment(request)
    case .migrate: return try await closed(request) { try await $0.migrate($1) }
    case .rotate: return try await rotate(request)
    case .passwd:
      try await open().changePassword(
        from: try request.secret("current"), to: try request.secret("new"))
      return [:]
    case .decoy:
      try await open().setDecoyPassword(
        current: try request.secret("current"), decoy: try request.secret("decoy"))
      return [:]
    case .erase: return try await erase(request)
    case .format:
      try await session?.lock()
      (session, vault) = (nil, nil)
      try Vault(at: request.text("dir")).format()
      return [:]
    case .status:
      let status = try Vault(at: request.text("dir")).status()
      return ["in-use": .boolean(status.isInUse), "erasing": .boolean(status.isErasurePending)]
    case .places: return places(try request.text("dir"))
    case .keys: return try await keys(request)
    case .backup: throw Refusal(.unsupported, "a backup of a vault is a copy of its folder")
    }
  }

  private func open() throws(Refusal) -> Session {
    guard let session else { throw Refusal(.locked, "the vault is locked") }
    return session
  }

  private func profile(_ request: DriverRequest) async throws -> Profile {
    try await open().openProfile(request.profile)
  }

  // MARK: Life

  private func hello(_ request: DriverRequest) -> [String: JSONValue] {
    // Whoever examines the memory must be able to read it; a program that opens a vault forbids it.
    if request.members["examined"]?.boolean != true { ProcessMemory.forbidDumps() }
    let done: [Capability] = [
      .search, .delete, .attach, .rotate, .passwd, .decoy, .erase, .format, .keys, .profiles,
      .older, .newer, .passwords,
    ]
    return ["store": .string("vault"), "can": .strings(done.map(\.rawValue))]
  }

  private func create(_ request: DriverRequest) async throws -> [String: JSONValue] {
    let cheap = request.members["cheap"]?.boolean == true
    let schema: Int? =
      switch request.members["schema"]?.string {
      case "older": Schema.oldest
      case "newer": nil
      default: Schema.newest
      }
    let vault = Vault(at: try request.text("dir"))
    let password = try request.secret("password")
    try await vault.make(
      password: password, hashing: cheap ? .weakest : .standard, schema: schema ?? Schema.newest)
    isOlder = schema == Schema.oldest
    if schema == nil {
      let session = try await vault.unlock(password: password)
      try await session.pretendNewerSchema()
      try await session.lock()
    }
    return [:]
  }

  /// An erasure that was cut off goes on first: it was decided, and cannot be undone.
  private func unlock(_ request: DriverRequest) async throws -> [String: JSONValue] {
    try await session?.lock()
    session = nil
    let vault = Vault(at: try request.text("dir"))
    try vault.finishErasures()
    session = try await vault.unlock(password: try request.secret("password"))
    self.vault = vault
    return [:]
  }

  private func lock(closing: Bool) async throws -> [String: JSONValue] {
    try await session?.lock()
    session = nil
    if closing { (vault, isOlder) = (nil, false) }
    wiping_free_clear_stacks()
    return [:]
  }

  /// What needs the profile closed: rotation and migration.
  private func closed(
    _ request: DriverRequest, _ body: (Session, Int) async throws -> Void
  ) async throws -> [String: JSONValue] {
    let session = try open()
    // A profile that waits for its migration does not open, and need not be closed.
    if let profile = try? await session.openProfile(request.profile) { try await profile.close() }
    try await body(session, request.profile)
    return [:]
  }

  private func rotate(_ request: DriverRequest) async throws -> [String: JSONValue] {
    let session = try open()
    for number in try await session.profileNumbers() {
      try await session.openProfile(number).close()
    }
    let password = try request.secret("password")
    for number in try await session.profileNumbers() {
      try await session.rotateDatabaseKey(of: number)
    }
    try await session.rotateMasterKey(password: password)
    return [:]
  }

  private func erase(_ request: DriverRequest) async throws -> [String: JSONValue] {
    if request.profile == 0 {
      try await open().eraseSpace()
      session = nil
    } else {
      try await open().eraseProfile(request.profile)
    }
    return [:]
  }

  private func places(_ folder: String) -> [String: JSONValue] {
    // The embedded secret store stands for the device's own.
    [
      "files": .strings([folder]), "temporary": .array([]),
      "keys": .strings([folder + "/device", folder + "/device.key"]),
    ]
  }

  /// The raw keys, for a harness that looks for them: never asked of the process whose memory is
  /// examined.
  private func keys(_ request: DriverRequest) async throws -> [String: JSONValue] {
    let session = try open()
    var keys: [JSONValue] = []
    for number in try await session.profileNumbers() {
      let key = try await session.databaseKey(of: number)
      keys.append(
        .object([
          "name": .string("database-\(number)"), "hex": .string(key.withBytes { $0.hexDigits }),
        ]))
    }
    return ["keys": .array(keys)]
  }
}

// MARK: Items

/// What a record of the driver holds: the number of its message, and all fields.
private struct Item {
  static let kind = "item"
  var message: Message.ID
  var attachment: Attachment.ID?
  var fields: JSONValue

  init(message: Message.ID, attachment: Attachment.ID? = nil, fields: JSONValue) {
    self.message = message
    self.attachment = attachment
    self.fields = fields
  }

  init(_ record: Record) throws(VaultError) {
    guard let value = try? JSONValue(parsing: record.value), let number = value["message"]?.integer,
      let fields = value["fields"]
    else {
      throw .damaged
    }
    message = Message.ID(number: Int64(number))
    attachment = value["attachment"]?.integer.map { Attachment.ID(number: Int64($0)) }
    self.fields = fields
  }

  var encoded: [UInt8] {
    var members: [String: JSONValue] = [
      "message": .integer(Int(message.number)), "fields": fields,
    ]
    if let attachment { members["attachment"] = .integer(Int(attachment.number)) }
    return Array(JSONValue.object(members).text.utf8)
  }
}

extension VaultDriver {
  private func put(_ request: DriverRequest) async throws -> [String: JSONValue] {
    let id = try request.text("id")
    let fields = request.members["fields"] ?? .object([:])
    let text = fields["text"]?.string ?? ""
    let write: @Sendable (borrowing Transaction) throws(VaultError) -> Void = {
      t throws(VaultError) in
      let old = try t.record(kind: Item.kind, name: id).map { record throws(VaultError) in
        try Item(record)
      }
      if let old { try t.delete([old.message]) }
      let talk = try t.conversation(named: "items")
      let message = try t.add(text, to: talk, sender: "me", sent: Clock.milliseconds())
      let item = Item(message: message, attachment: old?.attachment, fields: fields)
      try t.put(item.encoded, kind: Item.kind, name: id)
    }
    if isOlder {
      try await open().writeAsStored(write)
    } else {
      try await profile(request).write(write)
    }
    return [:]
  }

  private func item(_ request: DriverRequest) async throws -> Item {
    let id = try request.text("id")
    let record = try await profile(request).read { t throws(VaultError) in
      try t.record(kind: Item.kind, name: id)
    }
    guard let record else { throw VaultError.notFound }
    return try Item(record)
  }

  private func ids(_ request: DriverRequest) async throws -> [String] {
    try await profile(request).read { t throws(VaultError) in
      try t.records(kind: Item.kind).map(\.name)
    }
  }

  private func search(_ request: DriverRequest) async throws -> [String] {
    let query = try request.text("text")
    let (found, records) = try await profile(request).read { t throws(VaultError) in
      (try t.search(query).map(\.id), try t.records(kind: Item.kind))
    }
    return try records.filter { found.contains(try Item($0).message) }.map(\.name)
  }

  private func delete(_ request: DriverRequest) async throws -> [String: JSONValue] {
    let id = try request.text("id")
    let item = try await item(request)
    let profile = try await profile(request)
    try await profile.write { t throws(VaultError) in
      try t.removeRecord(kind: Item.kind, name: id)
      try t.delete([item.message])
    }
    if let attachment = item.attachment { try await profile.deleteAttachment(attachment) }
    try await profile.checkpoint()
    return [:]
  }

  private func attach(_ request: DriverRequest) async throws -> [String: JSONValue] {
    let id = try request.text("id")
    var item = try await item(request)
    let source = TextSource(Array(try request.text("text").utf8))
    let profile = try await profile(request)
    item.attachment = try await profile.attach(try request.text("name"), to: item.message) {
      count throws(VaultError) in source.next(count)
    }
    let encoded = item.encoded
    try await profile.write { t throws(VaultError) in
      try t.put(encoded, kind: Item.kind, name: id)
    }
    return [:]
  }

  private func attachment(_ request: DriverRequest) async throws -> [String: JSONValue] {
    let item = try await item(request)
    guard let id = item.attachment else { throw VaultError.notFound }
    let profile = try await profile(request)
    let sink = TextSource([])
    try await profile.readAttachment(id) { piece throws(VaultError) in sink.append(piece) }
    let name = try await profile.attachments().first { $0.id == id }?.name
    return [
      "name": .string(name ?? ""), "text": .string(String(decoding: sink.all, as: UTF8.self)),
    ]
  }
}
