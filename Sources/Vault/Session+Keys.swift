public import SecretBytes
public import VaultKeys

/// Changing what opens the vault.
extension Session {
  /// Replaces the password of this space. Both copies of the slots are written again, so that no slot
  /// for the old password is left. It does not replace the keys behind it: after a leak, do this first
  /// and then ``rotateMasterKey(password:)`` and ``rotateDatabaseKey(of:)``.
  public func changePassword(
    from current: borrowing SecretBytes, to new: borrowing SecretBytes
  ) throws(VaultError) {
    var slots = try SlotFile(reading: layout.slots)
    let deviceSecret = try deviceSecret(of: slots.table)
    var table = slots.table
    let currentKey = try mapping { () throws(KeyError) in
      try table.derive(password: current, deviceSecret: deviceSecret)
    }
    let newKey = try mapping { () throws(KeyError) in
      try table.derive(password: new, deviceSecret: deviceSecret)
    }
    try withSpace { space throws(VaultError) in
      try Self.check(currentKey, opens: space, in: table)
      try Self.checkUnused(newKey, in: table)
      table.store(space, for: newKey)
    }
    try slots.replace(by: table)
  }

  /// Gives a password to the space that this one can open for a decoy. What it opens was made together
  /// with the vault, is empty, and shares nothing with this space.
  ///
  /// Every space can do this, a decoy too: being able to says nothing about being the first.
  public func setDecoyPassword(
    current: borrowing SecretBytes, decoy: borrowing SecretBytes
  ) async throws(VaultError) {
    var slots = try SlotFile(reading: layout.slots)
    let deviceSecret = try deviceSecret(of: slots.table)
    var table = slots.table
    let currentKey = try mapping { () throws(KeyError) in
      try table.derive(password: current, deviceSecret: deviceSecret)
    }
    let decoyKey = try mapping { () throws(KeyError) in
      try table.derive(password: decoy, deviceSecret: deviceSecret)
    }
    try withSpace { space throws(VaultError) in
      try Self.check(currentKey, opens: space, in: table)
      try Self.checkUnused(decoyKey, in: table)
    }
    let next = try await nextSpace()
    // Its holder may have replaced its key or erased it: then it is no longer ours to open.
    let files = layout.profile(next.profileIdentifier(0))
    guard Disk.exists(files.keys) else { throw .limit("no further decoy space is free") }
    do throws(VaultError) {
      _ = try RingFile(
        reading: files, with: ItemSealer(space: next, profile: files.identifier))
    } catch {
      throw .limit("no further decoy space is free")
    }
    table.store(next, for: decoyKey)
    try slots.replace(by: table)
  }

  private func nextSpace() async throws(VaultError) -> SpaceKey {
    let wasOpen = profiles[0]?.isOpen == true
    let home = try await openProfile(0)
    let stored = try await home.read { transaction throws(VaultError) in
      try transaction.setting(SpaceLink.name)
    }
    if !wasOpen { try await home.close() }
    guard var bytes = stored, bytes.contains(where: { $0 != 0 }) else {
      throw .limit("no further decoy space is free")
    }
    guard let space = SpaceKey(encoded: SecretBytes(wiping: &bytes)) else { throw .damaged }
    return space
  }

  /// Replaces the key that wraps all keys of this space's profiles. The profiles must be closed.
  ///
  /// Each profile gets its keys wrapped again beside the old wrapping; writing the slots commits all of
  /// them at once; then the old wrappings are overwritten. A cut leaves the old or the new key in
  /// force for all profiles, and the next unlocking finishes it. If the slots cannot be written, the
  /// session is over: unlock again, and the key that is in force is used.
  public func rotateMasterKey(password: borrowing SecretBytes) throws(VaultError) {
    try checkClosed()
    var slots = try SlotFile(reading: layout.slots)
    let deviceSecret = try deviceSecret(of: slots.table)
    var table = slots.table
    let key = try mapping { () throws(KeyError) in
      try table.derive(password: password, deviceSecret: deviceSecret)
    }
    try withSpace { space throws(VaultError) in try Self.check(key, opens: space, in: table) }
    let numbers = try profileNumbers()
    let fresh = try withSpace { space throws(VaultError) in space.replacingMaster() }
    for number in numbers {
      let files = try ringFile(number)
      let old = try sealer(for: files)
      let new = ItemSealer(space: fresh, profile: files.layout.identifier)
      let ring = try mapping { () throws(KeyError) in
        try files.ring.rewrapped(from: old, to: new)
      }
      try files.prepare(ring, with: new)
    }
    table.store(fresh, for: key)
    do throws(VaultError) {
      try slots.replace(by: table)
    } catch {
      // Whether the new key is in force is not known here: the slots on the disk decide. This session
      // would take its old key for the right one, and overwrite the new wrappings with old ones.
      space = nil
      throw error
    }
    space = consume fresh
    // Reading a key file with the new key overwrites the old copy.
    for number in numbers { _ = try ringFile(number) }
  }

  /// Moves a profile to a new database file under a new key, and wraps its attachments' keys with a new
  /// one. The profile must be closed.
  public func rotateDatabaseKey(of number: Int = 0) throws(VaultError) {
    try moveDatabase(of: number, to: Schema.newest)
  }

  /// Brings a profile's tables to this program's version, in a new file; the original is kept until the
  /// new one is whole. A profile of that version already is left as it is.
  public func migrate(_ number: Int = 0) throws(VaultError) {
    let stored = Int(try ringFile(number).ring.manifest.schema)
    guard stored != Schema.newest else { return }
    try moveDatabase(of: number, to: Schema.newest)
  }

  private func moveDatabase(of number: Int, to schema: Int) throws(VaultError) {
    if let open = profiles[number], open.isOpen { throw .busy }
    let files = try ringFile(number)
    var source = try opening(files)
    let stored = Int(files.ring.manifest.schema)
    guard stored <= Schema.newest else {
      throw .schemaTooNew(stored: stored, newest: Schema.newest)
    }
    guard stored >= Schema.oldest else { throw .schemaUnknown }
    source.schema = stored
    let copy = ShadowCopy(files: files, source: source, targetSchema: schema)
    _ = try copy.run(with: sealer(for: files))
  }

  /// Keeps a key for the app itself in the profile, under the purpose's own item.
  public func setKey(
    _ secret: borrowing SecretBytes, for purpose: Purpose, of number: Int = 0
  ) throws(VaultError) {
    try checkIsAppKey(purpose)
    var files = try ringFile(number)
    let sealer = try sealer(for: files)
    var ring = files.ring
    try mapping { () throws(KeyError) in try ring.replace(purpose, by: secret, with: sealer) }
    try files.replace(by: ring, with: sealer)
  }

  /// The key kept under a purpose, for as long as the caller holds it.
  public func key(
    for purpose: Purpose, of number: Int = 0
  ) throws(VaultError) -> SecretBytes {
    try checkIsAppKey(purpose)
    let files = try ringFile(number)
    let sealer = try sealer(for: files)
    return try mapping { () throws(KeyError) in try files.ring.secret(purpose, with: sealer) }
  }

  /// Overwrites the key kept under a purpose; what it sealed is lost for good.
  public func eraseKey(for purpose: Purpose, of number: Int = 0) throws(VaultError) {
    try checkIsAppKey(purpose)
    var files = try ringFile(number)
    var ring = files.ring
    ring.erase(purpose)
    try files.replace(by: ring, with: sealer(for: files))
  }

  private func checkIsAppKey(_ purpose: Purpose) throws(VaultError) {
    switch purpose {
    case .identity, .device, .push: return
    case .manifest, .database, .attachments:
      throw .limit("the \(purpose) key belongs to the vault itself")
    }
  }

  func checkClosed() throws(VaultError) {
    guard !profiles.values.contains(where: \.isOpen) else { throw .busy }
  }

  private static func check(
    _ key: borrowing PasswordKey, opens space: borrowing SpaceKey, in table: SlotTable
  ) throws(VaultError) {
    let opened = try mapping { () throws(KeyError) in try table.open(key) }
    guard opened.master.isEqual(to: space.master) else { throw .key(.wrongPassword) }
  }

  private static func checkUnused(
    _ key: borrowing PasswordKey, in table: SlotTable
  ) throws(VaultError) {
    do throws(KeyError) {
      _ = try table.open(key)
    } catch {
      return
    }
    throw .key(.passwordTaken)
  }
}
