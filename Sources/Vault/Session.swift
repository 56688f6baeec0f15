import SecretBytes
import VaultKeys

/// An unlocked space: it holds the space's key, opens profiles, and changes passwords and keys.
///
/// While a session exists no other one, in any process, can open the vault. ``lock()`` closes the
/// profiles and wipes the key.
public actor Session {
  let vault: Vault
  let executor = QueueExecutor(label: "vault.session")
  private var lockHeld: VaultLock?
  var space: SpaceKey?
  var profiles: [Int: Profile] = [:]
  private var opening: [Int: Task<Result<Profile, VaultError>, Never>] = [:]

  /// More profiles than this a space cannot have.
  public static let profileLimit = 64

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  init(of vault: Vault) {
    self.vault = vault
  }

  var layout: Layout { vault.layout }

  /// The space's key, lent for one operation.
  func withSpace<Result: ~Copyable>(
    _ body: (borrowing SpaceKey) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    switch space {
    case .some(let space): return try body(space)
    case .none: throw .closed
    }
  }
}

// MARK: Locking and unlocking

extension Session {
  func unlock(password: borrowing SecretBytes) throws(VaultError) {
    guard Disk.exists(layout.root), Disk.exists(layout.spaces) || Disk.exists(layout.slots) else {
      throw .notAVault(path: layout.root)
    }
    let held = try VaultLock(layout)
    try checkTombstones()
    guard Disk.exists(layout.slots) else { throw .slotsMissing(path: layout.root) }
    let slots = try SlotFile(reading: layout.slots)
    let deviceSecret = try deviceSecret(of: slots.table)
    try checkFolders()
    let opened = try mapping { () throws(KeyError) in
      let key = try slots.table.derive(password: password, deviceSecret: deviceSecret)
      return try slots.table.open(key)
    }
    space = consume opened
    lockHeld = held
  }

  func deviceSecret(of table: SlotTable) throws(VaultError) -> SecretBytes {
    let item = SecretItem(neutral: table.deviceName)
    do throws(SecretStoreError) {
      return try vault.secrets.read(item.identity)
    } catch {
      throw .secrets(error)
    }
  }

  private func checkTombstones() throws(VaultError) {
    let names = try onDisk { () throws(DiskFailure) in try Disk.names(in: layout.root) }
    guard !names.contains(where: { $0.hasPrefix("erase.") }) else { throw .erasePending }
    for name in names where name.hasPrefix(ProfileMaker.prefix) {
      try onDisk { () throws(DiskFailure) in
        try Disk.removeTree(layout.root + "/" + name)
      }
    }
  }

  /// Databases whose key file is gone are kept and reported, never taken for free space.
  private func checkFolders() throws(VaultError) {
    let names = try onDisk { () throws(DiskFailure) in try Disk.names(in: layout.spaces) }
    for name in names {
      guard let identifier = ProfileIdentifier(hexDigits: name) else { continue }
      guard Disk.exists(layout.profile(identifier).keys) else {
        throw .orphanStore(profile: identifier)
      }
    }
  }

  /// Closes every profile and wipes the key. The vault is locked when it returns, whatever it throws.
  public func lock(timeout: Duration = .seconds(5)) async throws(VaultError) {
    let open = profiles.sorted { $0.key < $1.key }
    profiles = [:]
    space = nil
    var failure: VaultError?
    for (_, profile) in open {
      do throws(VaultError) { try await profile.close(timeout: timeout) } catch {
        failure = failure ?? error
      }
    }
    lockHeld = nil
    if let failure { throw failure }
  }
}

// MARK: Creating

extension Session {
  /// Writes the slots last: a folder without them is a vault that was never finished.
  func create(
    password: borrowing SecretBytes, hashing: PasswordHashing, schema: Int = Schema.newest
  ) throws(VaultError) {
    let layout = layout
    try checkEmpty()
    try onDisk { () throws(DiskFailure) in
      try Disk.makeFolder(layout.root)
      try Disk.makeFolder(layout.spaces)
    }
    lockHeld = try VaultLock(layout)
    defer { lockHeld = nil }
    let deviceName = Random.bytes(16)
    let deviceSecret = SecretBytes(randomCount: 32)
    do throws(SecretStoreError) {
      try vault.secrets.add(deviceSecret, as: SecretItem(neutral: deviceName))
    } catch {
      throw .secrets(error)
    }
    var table = SlotTable(hashing: hashing, deviceName: deviceName, deviceSecret: deviceSecret)
    let first = try makeSpaces(schema: schema)
    let key = try mapping { () throws(KeyError) in
      try table.derive(password: password, deviceSecret: deviceSecret)
    }
    table.store(first, for: key)
    Ballast.restore(at: layout.ballast)
    let body = table.encoded
    try onDisk { () throws(DiskFailure) in try KeyFile.create(layout.slots, body: body) }
  }

  private func checkEmpty() throws(VaultError) {
    guard Disk.exists(layout.root) else { return }
    let names = try onDisk { () throws(DiskFailure) in try Disk.names(in: layout.root) }
    if names.isEmpty { return }
    let isOurs = names.contains("spaces") && !names.contains("slots")
    throw isOurs ? .slotsMissing(path: layout.root) : .alreadyExists(path: layout.root)
  }

  /// Four spaces of equal look, in slots of random order. Each knows the one after it, which it can
  /// open for a decoy; none knows the one before, or whether there is one.
  private func makeSpaces(schema: Int) throws(VaultError) -> SpaceKey {
    let maker = ProfileMaker(layout: layout, vfs: vault.vfs)
    var slots = Array(0..<SlotTable.slotCount)
    for index in slots.indices.reversed() {
      slots.swapAt(index, Random.number(below: index + 1))
    }
    var next: SpaceKey?
    for slot in slots {
      let space = SpaceKey(randomForSlot: slot)
      try maker.make(0, of: space, next: next, schema: schema)
      next = consume space
    }
    guard let first = next else { throw .limit("a vault has no slots") }
    return first
  }
}

// MARK: Profiles

extension Session {
  /// The numbers of the space's profiles; 0 is the one that always exists.
  public func profileNumbers() throws(VaultError) -> [Int] {
    let layout = layout
    return try withSpace { space throws(VaultError) in
      (0..<Self.profileLimit).filter {
        $0 == 0 || Disk.exists(layout.profile(space.profileIdentifier($0)).folder)
      }
    }
  }

  /// Adds a profile with a database, keys and attachments of its own.
  public func addProfile() throws(VaultError) -> Int {
    let used = try profileNumbers()
    guard let free = (0..<Self.profileLimit).first(where: { !used.contains($0) }) else {
      throw .limit("a space has at most \(Self.profileLimit) profiles")
    }
    let maker = ProfileMaker(layout: layout, vfs: vault.vfs)
    try withSpace { space throws(VaultError) in try maker.make(free, of: space, next: nil) }
    return free
  }

  /// Opens a profile, or gives the one that is open already.
  /// - Parameter readers: How many transactions can read at the same time as one writes.
  public func openProfile(_ number: Int = 0, readers: Int = 2) async throws(VaultError) -> Profile {
    // Others can be opening or closing the same profile while this waits.
    while let known = profiles[number] {
      if known.isOpen { return known }
      try? await known.close()
      if profiles[number] === known { profiles[number] = nil }
    }
    if let others = opening[number] { return try await others.value.get() }
    let task = Task { await self.open(number, readers: readers) }
    opening[number] = task
    let result = await task.value
    opening[number] = nil
    return try result.get()
  }

  private func open(_ number: Int, readers: Int) async -> Result<Profile, VaultError> {
    do throws(VaultError) {
      let profile = try await connect(number, readers: readers)
      guard space != nil else {
        try await profile.close()
        throw .closed
      }
      profiles[number] = profile
      return .success(profile)
    } catch {
      return .failure(error)
    }
  }

  private func connect(_ number: Int, readers: Int) async throws(VaultError) -> Profile {
    let files = try ringFile(number)
    let opening = try opening(files)
    let attachmentKey = try attachmentKey(files)
    let writer = Database()
    try await writer.open(opening)
    try cleanUp(files)
    var others: [Database] = []
    for _ in 0..<readers {
      let reader = Database()
      try await reader.open(opening.forReading())
      others.append(reader)
    }
    return Profile(
      layout: files.layout, vault: layout, writer: writer, readers: others,
      attachmentKey: attachmentKey)
  }

  /// The key file of a profile, with what is wrong with it.
  func ringFile(_ number: Int) throws(VaultError) -> RingFile {
    let layout = layout
    return try withSpace { space throws(VaultError) in
      let identifier = space.profileIdentifier(number)
      let files = layout.profile(identifier)
      guard Disk.exists(files.folder) else {
        throw number == 0 ? .storeMissing(profile: identifier) : .noSuchProfile(number)
      }
      guard Disk.exists(files.keys) else { throw .orphanStore(profile: identifier) }
      return try RingFile(
        reading: files, with: ItemSealer(space: space, profile: identifier))
    }
  }

  func sealer(for files: RingFile) throws(VaultError) -> ItemSealer {
    try withSpace { space throws(VaultError) in
      ItemSealer(space: space, profile: files.layout.identifier)
    }
  }

  func opening(_ files: RingFile) throws(VaultError) -> DatabaseOpening {
    let sealer = try sealer(for: files)
    let raw = try mapping { () throws(KeyError) in
      try files.ring.secret(.database, with: sealer)
    }
    guard let key = KeySpecification(raw: raw) else { throw .key(.itemRefused(.database)) }
    return DatabaseOpening(
      layout: files.layout, manifest: files.ring.manifest, key: key, vfs: vault.vfs)
  }

  private func attachmentKey(_ files: RingFile) throws(VaultError) -> SecretBytes {
    let sealer = try sealer(for: files)
    return try mapping { () throws(KeyError) in
      try files.ring.secret(.attachments, with: sealer)
    }
  }

  /// Removes what an interrupted rotation left, once the database that counts has opened.
  func cleanUp(_ files: RingFile) throws(VaultError) {
    let layout = files.layout
    let generation = files.ring.manifest.fileGeneration
    try onDisk { () throws(DiskFailure) in
      let leftovers = try layout.leftovers(besides: generation)
      for name in leftovers { try Disk.remove(layout.folder + "/" + name) }
      let temporary = try Disk.names(in: layout.temporary)
      for name in temporary { try Disk.remove(layout.temporary + "/" + name) }
      if !leftovers.isEmpty { try Disk.syncFolder(layout.folder) }
    }
  }
}
