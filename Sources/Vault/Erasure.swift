import SecretBytes
import VaultKeys

/// What an erasure removes: an exact list, made before anything is touched, and kept in a file until
/// all of it is gone. Nothing is ever removed by a prefix or a pattern.
struct Erasure: Equatable, Sendable {
  /// Key slots to overwrite.
  var slots: [Int] = []
  /// Profiles whose keys are overwritten and whose folders are removed.
  var profiles: [ProfileIdentifier] = []
  /// Items of the secret store to remove.
  var secrets: [SecretItem.Identity] = []
  /// Whether the vault itself goes: slots, lock, ballast, the embedded secrets.
  var isWhole = false

  private static let firstLine = "vault erasure 1"

  /// One resource a line.
  var encoded: [UInt8] {
    var lines = [Self.firstLine]
    lines += slots.map { "slot \($0)" }
    lines += profiles.map { "profile \($0)" }
    lines += secrets.map { "secret \($0.service) \($0.account)" }
    if isWhole { lines.append("vault") }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  init() {}

  init?(parsing bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.first == Self.firstLine[...] else { return nil }
    for line in lines.dropFirst() {
      let words = line.split(separator: " ").map(String.init)
      switch (words.first, words.count) {
      case ("slot", 2): slots += Int(words[1]).map { [$0] } ?? []
      case ("profile", 2): profiles += ProfileIdentifier(hexDigits: words[1]).map { [$0] } ?? []
      case ("secret", 3):
        secrets.append(SecretItem.Identity(service: words[1], account: words[2]))
      case ("vault", 1): isWhole = true
      default: return nil
      }
    }
  }
}

extension Erasure {
  /// Writes the list. From the moment it has its name, the erasure happens: now, or at the next call
  /// to ``Vault/finishErasures()``.
  func begin(at layout: Layout) throws(VaultError) -> String {
    let name = Random.bytes(16).hexDigits
    let draft = layout.root + "/" + ProfileMaker.prefix + name
    let final = layout.tombstone(name)
    let bytes = encoded
    try Ballast.makingRoom(in: layout) { () throws(VaultError) in
      try onDisk { () throws(DiskFailure) in
        try Disk.write(bytes, to: draft)
        try Disk.sync(draft)
        try Disk.rename(draft, to: final)
        try Disk.syncFolder(layout.root)
      }
    }
    return final
  }

  /// Removes what the list names: keys first, then files, then checks. Every step can be cut and done
  /// again.
  func finish(at layout: Layout, secrets store: any SecretStore, tombstone: String)
    throws(VaultError)
  {
    try overwriteKeys(layout)
    try removeSecrets(store)
    for profile in profiles { try remove(layout.profile(profile)) }
    if Disk.exists(layout.spaces) {
      try onDisk { () throws(DiskFailure) in try Disk.syncFolder(layout.spaces) }
    }
    if isWhole { try removeVault(layout) }
    try verify(layout, tombstone: tombstone)
    try onDisk { () throws(DiskFailure) in
      try Disk.remove(tombstone)
      try Disk.syncFolder(layout.root)
    }
    if isWhole { try onDisk { () throws(DiskFailure) in try Disk.removeFolder(layout.root) } }
  }

  /// After this nothing that is left can be read, whatever happens to the rest.
  private func overwriteKeys(_ layout: Layout) throws(VaultError) {
    if isWhole {
      try overwrite(layout.slots)
    } else if !slots.isEmpty {
      var file = try SlotFile(reading: layout.slots)
      var table = file.table
      for slot in slots where (0..<SlotTable.slotCount).contains(slot) { table.clear(slot: slot) }
      try file.replace(by: table)
    }
    for profile in profiles { try overwrite(layout.profile(profile).keys) }
  }

  private func overwrite(_ path: String) throws(VaultError) {
    guard let size = Disk.size(path), size > 0 else { return }
    try onDisk { () throws(DiskFailure) in
      try Disk.write(Random.bytes(size), to: path)
      try Disk.sync(path)
    }
  }

  private func removeSecrets(_ store: any SecretStore) throws(VaultError) {
    guard !secrets.isEmpty else { return }
    do throws(SecretStoreError) { try store.remove(exactly: secrets) } catch {
      // A second run after the embedded store's own files are gone finds nothing to remove, and a
      // damaged one must not keep the vault from being erased: its files are on the list too.
      guard error == .notFound || error == .damaged && store is FileSecretStore else {
        throw .secrets(error)
      }
    }
  }

  private func remove(_ profile: ProfileLayout) throws(VaultError) {
    guard Disk.exists(profile.folder) else { return }
    try onDisk { () throws(DiskFailure) in
      // The folders are the profile's own, so everything in them is on the list.
      for name in try Disk.names(in: profile.folder) where name != "keys" {
        let path = profile.folder + "/" + name
        if Disk.isFolder(path) { try Disk.removeTree(path) } else { try Disk.remove(path) }
      }
      try Disk.syncFolder(profile.folder)
      try Disk.remove(profile.keys)
      try Disk.removeFolder(profile.folder)
    }
  }

  private func removeVault(_ layout: Layout) throws(VaultError) {
    try onDisk { () throws(DiskFailure) in
      for name in try Disk.names(in: layout.root) where name.hasPrefix(ProfileMaker.prefix) {
        try Disk.removeTree(layout.root + "/" + name)
      }
      for path in files(layout) { try Disk.remove(path) }
      try Disk.removeFolder(layout.spaces)
      try Disk.syncFolder(layout.root)
    }
  }

  private func files(_ layout: Layout) -> [String] {
    let embedded = ["device.key", "device.new", "device"].map { layout.root + "/" + $0 }
    return embedded + [layout.ballast, layout.lock, layout.slots]
  }

  private func verify(_ layout: Layout, tombstone: String) throws(VaultError) {
    var left = profiles.map { layout.profile($0).folder }.filter(Disk.exists)
    if isWhole {
      let names = try onDisk { () throws(DiskFailure) in try Disk.names(in: layout.root) }
      left += names.map { layout.root + "/" + $0 }.filter { $0 != tombstone }
    }
    guard left.isEmpty else { throw .eraseIncomplete(paths: left) }
  }
}

// MARK: Commands

extension Vault {
  /// Goes on with every erasure that was begun and cut off. True if there was one.
  @discardableResult
  public func finishErasures() throws(VaultError) -> Bool {
    guard Disk.exists(layout.root) else { return false }
    let names = try onDisk { () throws(DiskFailure) in try Disk.names(in: layout.root) }
    let pending = names.filter { $0.hasPrefix("erase.") }
    guard !pending.isEmpty else { return false }
    let lock = try VaultLock(layout)
    defer { withExtendedLifetime(lock) {} }
    for name in pending {
      let path = layout.root + "/" + name
      let bytes = try onDisk { () throws(DiskFailure) in try Disk.read(path, limit: 1 << 20) }
      guard let erasure = Erasure(parsing: bytes) else { throw .erasePending }
      try erasure.finish(at: layout, secrets: secrets, tombstone: path)
    }
    return true
  }

  /// Removes the whole vault: every space, known to the caller or not, the slots, and the device
  /// secret. It needs no password, only the right to write the files.
  public func format() throws(VaultError) {
    if try finishErasures(), !exists { return }
    guard Disk.exists(layout.spaces) || exists else { throw .notAVault(path: layout.root) }
    let lock = try VaultLock(layout)
    defer { withExtendedLifetime(lock) {} }
    var erasure = Erasure()
    erasure.isWhole = true
    // Damaged slots must not keep a vault from being erased; then only the secret's name is lost.
    if let slots = try? SlotFile(reading: layout.slots) {
      erasure.secrets = [SecretItem(neutral: slots.table.deviceName).identity]
    }
    if Disk.exists(layout.spaces) {
      let names = try onDisk { () throws(DiskFailure) in try Disk.names(in: layout.spaces) }
      erasure.profiles = names.compactMap { ProfileIdentifier(hexDigits: $0) }
    }
    let tombstone = try erasure.begin(at: layout)
    try erasure.finish(at: layout, secrets: secrets, tombstone: tombstone)
  }
}

extension Session {
  /// Removes one profile, with everything in its folder; not profile 0, which is the space's own.
  public func eraseProfile(_ number: Int) async throws(VaultError) {
    guard number != 0 else { throw .limit("profile 0 goes with its space: erase that") }
    let layout = layout
    let identifier = try withSpace { space throws(VaultError) in space.profileIdentifier(number) }
    guard Disk.exists(layout.profile(identifier).folder) else {
      // One that was lost is given up.
      guard (0..<Self.profileLimit).contains(number), profileList()[number] else {
        throw .noSuchProfile(number)
      }
      return note(profile: number, exists: false)
    }
    // From here on it need not be missed: what is begun is ended, by the next session if not by this.
    note(profile: number, exists: false)
    try await profiles.removeValue(forKey: number)?.close()
    var erasure = Erasure()
    erasure.profiles = [identifier]
    let tombstone = try erasure.begin(at: layout)
    try erasure.finish(at: layout, secrets: vault.secrets, tombstone: tombstone)
  }

  /// Removes this space: its key slot, and all of its profiles. Other passwords go on to open theirs.
  /// The session is locked afterwards.
  public func eraseSpace() async throws(VaultError) {
    let layout = layout
    var erasure = Erasure()
    let numbers = try profileNumbers()
    erasure = try withSpace { space throws(VaultError) in
      var erasure = Erasure()
      erasure.slots = [space.slot]
      erasure.profiles = numbers.map { space.profileIdentifier($0) }
      return erasure
    }
    for profile in profiles.values { try await profile.close() }
    profiles = [:]
    let tombstone = try erasure.begin(at: layout)
    try erasure.finish(at: layout, secrets: vault.secrets, tombstone: tombstone)
    try await lock()
  }
}
