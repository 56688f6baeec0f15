import SecretBytes
import VaultKeys

extension Session {
  /// Writes the slots last: a folder without them is a vault that was never finished.
  func create(
    password: borrowing SecretBytes, hashing: PasswordHashing, schema: Int = Schema.newest
  ) throws(VaultError) {
    let layout = layout
    try checkEmpty()
    try onDisk { () throws(DiskFailure) in
      try Disk.makeFolder(layout.root)
      try Disk.syncFolder(layout.root.parentFolder)
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
