import Glibc
import SecretBytes
import Synchronization
import Testing
import Vault
import VaultFaults
import VaultKeys

/// Tells tasks to stop.
private final class End: Sendable {
  let isReached = Atomic(false)
}

/// What is wrong is said by its own error, and the files stay as they are.
@Suite struct `A damaged or foreign vault` {
  @Test func `with a wrong password says so`() async throws {
    try await expect(.key(.wrongPassword), password: "two") { _ in }
  }

  @Test func `on another device says so`() async throws {
    try await expect(.key(.wrongDevice)) { files in
      // A store of the same item with another secret in it.
      let table = try SlotTable(
        parsing: try #require(TwoCopies.decode(try Disk.read(files.slots, limit: 8192)).first).body)
      try Disk.remove(files.root + "/device")
      try Disk.remove(files.root + "/device.key")
      let other = FileSecretStore(
        path: files.root + "/device", keyPath: files.root + "/device.key")
      try other.add(
        SecretBytes(randomCount: 32), as: SecretItem(neutral: table.deviceName))
    }
  }

  @Test func `without its device secret never gets a new one`() async throws {
    try await expect(.secrets(.notFound)) { files in
      try Disk.remove(files.root + "/device")
    }
  }

  @Test(arguments: 0..<4)
  func `with a changed slot opens only what was not changed`(slot: Int) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 1)
    let path = scratch.root + "/slots"
    let bytes = try Disk.read(path, limit: 8192)
    var copy = try #require(TwoCopies.decode(bytes).first)
    copy.body[64 + slot * 136 + 40] ^= 1
    let changed = TwoCopies.encode(sequence: copy.sequence, body: copy.body)
    try Disk.write(changed + changed, to: path)
    do {
      let session = try await vault.unlock(password: secret("one"))
      try await session.expect(messages: 1, in: 0)
      try await session.lock()
    } catch VaultError.key(.wrongPassword) {}
  }

  @Test func `with a changed header of the slots opens nothing`() async throws {
    try await expect(.key(.wrongPassword)) { files in
      let bytes = try Disk.read(files.slots, limit: 8192)
      var copy = try #require(TwoCopies.decode(bytes).first)
      copy.body[12] = 2  // passes
      let changed = TwoCopies.encode(sequence: copy.sequence, body: copy.body)
      try Disk.write(changed + changed, to: files.slots)
    }
  }

  @Test func `that asks for all memory is refused before it gets it`() async throws {
    try await expect(.key(.parametersRefused(mebibytes: 4_194_303, passes: 1))) { files in
      let bytes = try Disk.read(files.slots, limit: 8192)
      var copy = try #require(TwoCopies.decode(bytes).first)
      copy.body.replaceSubrange(8..<12, with: [255, 255, 255, 255])
      let changed = TwoCopies.encode(sequence: copy.sequence, body: copy.body)
      try Disk.write(changed + changed, to: files.slots)
    }
  }

  @Test func `with both copies of the slots torn says so`() async throws {
    try await expect(.key(.slotsDamaged)) { files in
      try flip(files.slots, at: 100)
      try flip(files.slots, at: 4196)
    }
  }

  @Test(arguments: [0, 4096])
  func `with one copy of the slots torn opens and heals it`(offset: Int) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let path = scratch.root + "/slots"
    let whole = try Disk.read(path, limit: 8192)
    try Disk.write(Random.bytes(50), to: path, at: offset + 100)
    try await vault.unlock(password: secret("one")).lock()
    #expect(try Disk.read(path, limit: 8192) == whole)
  }

  @Test func `without slots is not taken for an empty folder`() async throws {
    try await expect(.slotsMissing(path: "")) { files in try Disk.remove(files.slots) }
    let scratch = Scratch()
    _ = try await scratch.makeVault()
    try Disk.remove(scratch.root + "/slots")
    await #expect(throws: VaultError.slotsMissing(path: scratch.root)) {
      _ = try await Vault.create(at: scratch.root, password: secret("x"), hashing: .weakest)
    }
  }

  @Test func `with the keys of another profile is refused`() async throws {
    try await expect(.key(.itemRefused(.manifest))) { files in
      let other = try #require(files.others.first)
      let bytes = try Disk.read(other.keys, limit: 8192)
      try Disk.write(bytes, to: files.home.keys)
    }
  }

  @Test func `with the database of another profile is refused`() async throws {
    try await expect(.wrongKeyOrCorrupt) { files in
      let other = try #require(files.others.first)
      let bytes = try Disk.read(other.database(1), limit: 1 << 22)
      try Disk.truncate(files.home.database(1), to: bytes.count)
      try Disk.write(bytes, to: files.home.database(1))
    }
  }

  @Test func `with both copies of a profile's keys torn says so`() async throws {
    try await expect(.key(.keysDamaged)) { files in
      try flip(files.home.keys, at: 100)
      try flip(files.home.keys, at: 4196)
    }
  }

  @Test func `with a database but no keys keeps the database`() async throws {
    try await expect(.orphanStore(profile: .none)) { files in
      try Disk.remove(files.home.keys)
    }
  }

  @Test func `with a profile whose keys are gone opens the others`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 3)
    let session = try await vault.unlock(password: secret("one"))
    let number = try await session.addProfile()
    try await session.lock()
    // Every key file but that of the home profile: the second profile's, and those of the other spaces.
    for other in try await VaultFiles(scratch.root).others { try Disk.remove(other.keys) }
    let again = try await vault.unlock(password: secret("one"))
    try await again.expect(messages: 3, in: 0)
    #expect(try await again.profileNumbers() == [0, number])
    let error = await #expect(throws: VaultError.self) { _ = try await again.openProfile(number) }
    #expect(error?.kind == VaultError.orphanStore(profile: .none).kind)
    // Its number is not taken for free, and it can be given up.
    #expect(try await again.addProfile() == number + 1)
    try await again.eraseProfile(number)
    #expect(try await again.profileNumbers() == [0, number + 1])
    try await again.lock()
  }

  @Test func `with a profile whose folder is gone says so, and makes no other in its place`()
    async throws
  {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 3)
    let session = try await vault.unlock(password: secret("one"))
    let before = Set(try Disk.names(in: Layout(root: scratch.root).spaces))
    let number = try await session.addProfile()
    try await session.lock()
    let spaces = Layout(root: scratch.root).spaces
    let name = try #require(Set(try Disk.names(in: spaces)).subtracting(before).first)
    try Disk.rename(spaces + "/" + name, to: scratch.root + "/away")
    let again = try await vault.unlock(password: secret("one"))
    try await again.expect(messages: 3, in: 0)
    let lost = await #expect(throws: VaultError.self) { _ = try await again.openProfile(number) }
    #expect(lost?.kind == VaultError.storeMissing(profile: .none).kind)
    let never = await #expect(throws: VaultError.self) { _ = try await again.openProfile(9) }
    #expect(never == .noSuchProfile(9))
    #expect(try await again.addProfile() == number + 1)
    // Brought back it opens; lost again it can be given up, and its number is free.
    try Disk.rename(scratch.root + "/away", to: spaces + "/" + name)
    try await again.openProfile(number).close()
    try Disk.rename(spaces + "/" + name, to: scratch.root + "/away")
    try await again.eraseProfile(number)
    let gone = await #expect(throws: VaultError.self) { _ = try await again.openProfile(number) }
    #expect(gone == .noSuchProfile(number))
    try Disk.removeTree(scratch.root + "/away")
    #expect(try await again.addProfile() == number)
    try await again.lock()
  }

  @Test(
    arguments: ["slots", "device", "device.key", "keys"])
  func `with a pipe in the place of a file does not wait for it`(name: String) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let files = try await VaultFiles(scratch.root)
    let path = name == "keys" ? files.home.keys : files.root + "/" + name
    try Disk.remove(path)
    try #require(mkfifo(path, 0o600) == 0)
    await #expect(throws: VaultError.self) {
      let session = try await vault.unlock(password: secret("one"))
      defer { withExtendedLifetime(session) {} }
      _ = try await session.openProfile()
    }
  }

  @Test(arguments: [true, false])
  func `with keys but no database makes none`(isEmpty: Bool) async throws {
    try await expect(.storeMissing(profile: .none)) { files in
      try Disk.remove(files.home.database(1))
      if isEmpty { try Disk.write([], to: files.home.database(1)) }
    }
  }

  @Test(arguments: [1, 100, 4095, 4096, 8192, 40_960])
  func `with a database cut short says so`(count: Int) async throws {
    try await expect(.damaged) { files in
      try Disk.truncate(files.home.database(1), to: count)
    }
  }

  @Test func `with a changed first page does not open`() async throws {
    try await expect(.wrongKeyOrCorrupt) { files in
      try flip(files.home.database(1), at: 2000)
    }
  }

  @Test func `with a plain database in place of the sealed one is not read`() async throws {
    try await expect(.plaintextFound(path: "")) { files in
      try Disk.write(Array("SQLite format 3\0".utf8), to: files.home.database(1))
    }
  }

  @Test func `beside the log of another database says so`() async throws {
    // A log of another store: what is left when it is copied while open.
    let donor = Scratch()
    let donorVault = try await donor.makeVault(messages: 5)
    let donorSession = try await donorVault.unlock(password: secret("one"))
    let profile = try await donorSession.openProfile()
    try await profile.fill(5)
    let names = try files(below: donor.root)
    let log = try #require(names.first { $0.key.hasSuffix("-wal") && !$0.value.isEmpty }?.value)
    try await donorSession.lock()
    try await expect(.staleSidecar) { files in
      try Disk.write(log, to: files.home.database(1) + "-wal")
    }
  }

  @Test func `of a newer version is not read`() async throws {
    try await expect(.schemaTooNew(stored: 9, newest: Schema.newest)) { files in
      try files.edit("PRAGMA user_version=9")
    }
  }

  @Test func `with other tables is not read`() async throws {
    try await expect(.schemaUnknown) { files in try files.edit("CREATE TABLE other(x)") }
    try await expect(.schemaUnknown) { files in try files.edit("PRAGMA application_id=5") }
  }

  @Test func `in SQLCipher's newer format is refused by an older library`() async throws {
    let library = try SQLiteLibrary.checked()
    guard library.newestFormat == .three else { return }
    try await expect(.cipherFormatUnsupported(stored: 4, library: library.cipherVersion)) {
      try $0.describe { $0.cipherFormat = 4 }
    }
  }

  @Test func `with a page changed is found by the page verifier`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 200)
    let files = try await VaultFiles(scratch.root)
    let path = files.home.database(1)
    let verifier = PageVerifier(format: try SQLiteLibrary.checked().newestFormat)
    let key = try files.databaseKey()
    let count = try verifier.verify(path, key: key)
    #expect(count > 10)
    for page in [1, 2, count] {
      let original = try Disk.read(path, at: (page - 1) * 4096, limit: 4096)
      var changed = original
      changed[100] ^= 1
      try Disk.write(changed, to: path, at: (page - 1) * 4096)
      #expect(throws: VaultError.pageDamaged(page: page)) { try verifier.verify(path, key: key) }
      try Disk.write([UInt8](repeating: 0, count: 4096), to: path, at: (page - 1) * 4096)
      #expect(throws: VaultError.self) { try verifier.verify(path, key: key) }
      try Disk.write(original, to: path, at: (page - 1) * 4096)
    }
    try verifier.verify(path, key: key)
    _ = vault
  }

  @Test func `is in use by one session at a time`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let session = try await vault.unlock(password: secret("one"))
    await #expect(throws: VaultError.busy) { _ = try await vault.unlock(password: secret("one")) }
    try await session.lock()
    try await vault.unlock(password: secret("one")).lock()
  }

  @Test func `that is in use closes nothing of others when it refuses`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let session = try await vault.unlock(password: secret("one"))
    let end = End()
    let stolen = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<3 {
        group.addTask {
          var stolen = 0
          while !end.isReached.load(ordering: .relaxed) {
            let descriptor = open("/dev/null", O_RDONLY)
            for _ in 0..<20 { sched_yield() }
            if descriptor >= 0, close(descriptor) != 0 { stolen += 1 }
            await Task.yield()
          }
          return stolen
        }
      }
      for _ in 0..<4_000 {
        await #expect(throws: VaultError.busy) {
          _ = try await vault.unlock(password: secret("one"))
        }
      }
      end.isReached.store(true, ordering: .relaxed)
      return await group.reduce(0, +)
    }
    #expect(stolen == 0)
    try await session.lock()
  }

  /// Changes a byte to another one. Any constant may be what stands there: most bytes are random.
  private func flip(_ path: String, at offset: Int) throws {
    let bytes = try Disk.read(path, limit: 1 << 24)
    try Disk.write([bytes[offset] ^ 0xff], to: path, at: offset)
  }

  /// Damages a vault, expects the error, and expects no file to be changed by it.
  private func expect(
    _ expected: VaultError, password: String = "one", _ damage: (VaultFiles) async throws -> Void
  ) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 50)
    try await damage(VaultFiles(scratch.root))
    let before = try files(below: scratch.root)
    do {
      let session = try await vault.unlock(password: secret(password))
      defer { withExtendedLifetime(session) {} }
      do {
        _ = try await session.openProfile()
      } catch {
        try await session.lock()
        throw error
      }
      try await session.lock()
      Issue.record("nothing was refused")
    } catch let error as VaultError {
      #expect(error.kind == expected.kind)
      #expect(!error.problem.isEmpty && !error.remedy.isEmpty)
    }
    let after = try files(below: scratch.root)
    // Outside of the macro, which would print every byte.
    let isUnchanged = before == after
    #expect(isUnchanged, "files were changed")
  }
}

extension VaultError {
  /// The case without the values that only a run knows.
  var kind: String {
    switch self {
    case .storeMissing: "storeMissing"
    case .orphanStore: "orphanStore"
    case .plaintextFound: "plaintextFound"
    case .slotsMissing: "slotsMissing"
    default: "\(self)"
    }
  }
}

extension ProfileIdentifier {
  static let none = ProfileIdentifier(bytes: [UInt8](repeating: 0, count: 16))
}

/// The files of a vault of password `one`, from outside.
struct VaultFiles {
  let root: String
  let home: ProfileLayout
  let others: [ProfileLayout]

  var slots: String { root + "/slots" }

  init(_ root: String) async throws {
    self.root = root
    let session = try await Vault(at: root).unlock(password: secret("one"))
    let home = try await session.openProfile().identifier
    try await session.lock()
    let layout = Layout(root: root)
    self.home = layout.profile(home)
    others = try Disk.names(in: layout.spaces).compactMap { ProfileIdentifier(hexDigits: $0) }
      .filter { $0 != home }.map { layout.profile($0) }
  }

  private func space() throws -> SpaceKey {
    let copy = try #require(TwoCopies.decode(try Disk.read(slots, limit: 8192)).first)
    let table = try SlotTable(parsing: copy.body)
    let store = FileSecretStore(path: root + "/device", keyPath: root + "/device.key")
    let device = try store.read(SecretItem(neutral: table.deviceName).identity)
    return try table.open(table.derive(password: secret("one"), deviceSecret: device))
  }

  private func ring() throws -> KeyRing {
    let copy = try #require(TwoCopies.decode(try Disk.read(home.keys, limit: 8192)).first)
    return try KeyRing(
      parsing: copy, with: ItemSealer(space: space(), profile: home.identifier))
  }

  /// The 32 bytes of the database's key.
  func databaseKey() throws -> SecretBytes {
    try keySpecification().key()
  }

  func keySpecification() throws -> KeySpecification {
    let sealer = try ItemSealer(space: space(), profile: home.identifier)
    guard let key = KeySpecification(raw: try ring().secret(.database, with: sealer)) else {
      throw VaultError.damaged
    }
    return key
  }

  /// Changes the database behind the vault's back, with its own key.
  func edit(_ sql: String) throws {
    let format = try SQLiteLibrary.checked().newestFormat
    let connection = try Connection(
      path: home.database(1), key: keySpecification(), format: format)
    try connection.execute(sql)
    try connection.close()
  }

  /// Writes the key file again with another manifest.
  func describe(_ edit: (inout Manifest) -> Void) throws {
    var ring = try ring()
    var manifest = ring.manifest
    edit(&manifest)
    ring.describe(manifest)
    let sequence = ring.sequence + 1
    let body = try ring.encoded(
      sequence: sequence, with: ItemSealer(space: space(), profile: home.identifier))
    let copy = TwoCopies.encode(sequence: sequence, body: body)
    try Disk.write(copy + copy, to: home.keys)
  }
}
