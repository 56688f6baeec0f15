import Glibc
import SecretBytes
import Testing
import VaultKeys

@Suite struct `Key slots` {
  private var device: SecretBytes { secret("a device secret of thirty-two b.") }

  private func table() -> SlotTable {
    SlotTable(hashing: .weakest, deviceName: Random.bytes(16), deviceSecret: device)
  }

  @Test(arguments: 0..<4)
  func `open with the password they were made with, and no other`(slot: Int) throws {
    var table = table()
    let space = SpaceKey(randomForSlot: slot)
    table.store(space, for: try table.derive(password: secret("right"), deviceSecret: device))
    let read = try SlotTable(parsing: table.encoded)
    let opened = try read.open(read.derive(password: secret("right"), deviceSecret: device))
    let isSame =
      opened.master.isEqual(to: space.master) && opened.identifier.isEqual(to: space.identifier)
    #expect(isSame)
    #expect(throws: KeyError.wrongPassword) {
      _ = try read.open(read.derive(password: secret("wrong"), deviceSecret: device))
    }
    #expect(throws: KeyError.wrongDevice) {
      _ = try read.derive(password: secret("right"), deviceSecret: SecretBytes(randomCount: 32))
    }
  }

  @Test func `refuse every changed byte of a slot and of the header`() throws {
    var table = table()
    let key = try table.derive(password: secret("right"), deviceSecret: device)
    table.store(SpaceKey(randomForSlot: 0), for: key)
    // The device's check value and name are compared, not sealed under the password alone.
    for index in Array(64..<200) {
      var bytes = table.encoded
      bytes[index] ^= 1
      let changed = try SlotTable(parsing: bytes)
      #expect(throws: KeyError.wrongPassword) { _ = try changed.open(key) }
    }
    for index in 0..<64 {
      var bytes = table.encoded
      bytes[index] ^= 1
      #expect(throws: KeyError.self) {
        let changed = try SlotTable(parsing: bytes)
        _ = try changed.open(
          changed.derive(password: secret("right"), deviceSecret: device))
      }
    }
  }

  @Test func `in use and empty ones look alike`() throws {
    var table = table()
    table.store(
      SpaceKey(randomForSlot: 2),
      for: try table.derive(password: secret("right"), deviceSecret: device))
    let bytes = table.encoded
    for slot in 0..<4 {
      let part = bytes[64 + slot * 136..<64 + (slot + 1) * 136]
      // 136 random bytes: about 105 different values, never a long run.
      #expect(Set(part).count > 80)
    }
  }

  @Test(arguments: 0..<700)
  func `cut short anywhere are refused, never trapped on`(count: Int) {
    let bytes = Array(table().encoded.prefix(count))
    if count < 608 {
      #expect(throws: KeyError.slotsDamaged) { _ = try SlotTable(parsing: bytes) }
    }
  }
}

@Suite struct `Wrapped keys` {
  @Test func `open only for their profile, purpose and generation`() throws {
    let space = SpaceKey(randomForSlot: 0)
    let sealer = ItemSealer(space: space, profile: space.profileIdentifier(0))
    let wrapped = try sealer.wrap(secret("key"), purpose: .identity, generation: 3)
    let opened = try sealer.unwrap(wrapped, purpose: .identity, generation: 3)
    #expect(text(opened) == "key")
    #expect(throws: KeyError.itemRefused(.device)) {
      _ = try sealer.unwrap(wrapped, purpose: .device, generation: 3)
    }
    #expect(throws: KeyError.itemRefused(.identity)) {
      _ = try sealer.unwrap(wrapped, purpose: .identity, generation: 2)
    }
    let other = ItemSealer(space: space, profile: space.profileIdentifier(1))
    #expect(throws: KeyError.itemRefused(.identity)) {
      _ = try other.unwrap(wrapped, purpose: .identity, generation: 3)
    }
    let stranger = ItemSealer(
      space: SpaceKey(randomForSlot: 0), profile: space.profileIdentifier(0))
    #expect(throws: KeyError.itemRefused(.identity)) {
      _ = try stranger.unwrap(wrapped, purpose: .identity, generation: 3)
    }
  }

  @Test func `can be replaced and erased one by one`() throws {
    let space = SpaceKey(randomForSlot: 0)
    let sealer = ItemSealer(space: space, profile: space.profileIdentifier(0))
    var ring = KeyRing(
      manifest: Manifest(fileGeneration: 1, cipherFormat: 3, schema: 1, pageCount: 9))
    try ring.replace(.identity, by: secret("one"), with: sealer)
    try ring.replace(.push, by: secret("two"), with: sealer)
    let before = ring
    try ring.replace(.identity, by: secret("three"), with: sealer)
    #expect(text(try ring.secret(.push, with: sealer)) == "two")
    #expect(text(try ring.secret(.identity, with: sealer)) == "three")
    ring.erase(.push)
    #expect(throws: KeyError.itemMissing(.push)) { _ = try ring.secret(.push, with: sealer) }
    #expect(ring.generation(of: .push) == 2)
    let body = try ring.encoded(sequence: 7, with: sealer)
    let copy = TwoCopies.Copy(place: 0, sequence: 7, body: body)
    let read = try KeyRing(parsing: copy, with: sealer)
    #expect(read.manifest == ring.manifest)
    #expect(text(try read.secret(.identity, with: sealer)) == "three")
    // An item of an older copy cannot be put back.
    let older = try before.encoded(sequence: 6, with: sealer)
    var mixed = body
    let item = 8 + 8 + 8 + ItemSealer.sealedCount + 8
    mixed.replaceSubrange(item..., with: older[item...])
    #expect(throws: KeyError.self) {
      _ = try KeyRing(
        parsing: TwoCopies.Copy(place: 0, sequence: 7, body: mixed), with: sealer)
    }
  }
}

@Suite struct `A secret store` {
  @Test func `in a file keeps, replaces and removes exactly what it is told`() throws {
    let folder = Folder()
    let store = FileSecretStore(path: folder.path + "/s", keyPath: folder.path + "/s.key")
    let one = SecretItem(service: "a", account: "1")
    let two = SecretItem(service: "a", account: "12")
    #expect(throws: SecretStoreError.notFound) { _ = try store.read(one.identity) }
    try store.add(secret("first"), as: one)
    try store.add(secret("second"), as: two)
    #expect(throws: SecretStoreError.duplicate) { try store.add(secret("x"), as: one) }
    try store.update(secret("third"), of: one.identity)
    #expect(text(try store.read(one.identity)) == "third")
    try store.remove(exactly: [one.identity])
    #expect(try store.items() == [two.identity])
    #expect(text(try store.read(two.identity)) == "second")
    // A sealed file that lost its key never gets a new one.
    try Disk.remove(folder.path + "/s.key")
    #expect(throws: SecretStoreError.notFound) { _ = try store.read(two.identity) }
    #expect(throws: SecretStoreError.self) { try store.add(secret("x"), as: one) }
  }

  @Test func `that is cut at any byte is damaged, never empty`() throws {
    let folder = Folder()
    let store = FileSecretStore(path: folder.path + "/s", keyPath: folder.path + "/s.key")
    let item = SecretItem(neutral: Random.bytes(16))
    try store.add(secret("first"), as: item)
    let whole = try Disk.read(folder.path + "/s", limit: 4096)
    for count in 0..<whole.count {
      try Disk.truncate(folder.path + "/s", to: count)
      #expect(throws: SecretStoreError.damaged) { _ = try store.read(item.identity) }
      try Disk.write(whole, to: folder.path + "/s")
    }
  }

  @Test func `tells locked from not found, as the device's state goes on`() throws {
    let store = FakeSecretStore()
    let strict = SecretItem(service: "a", account: "1", accessibility: .whenUnlocked)
    let lenient = SecretItem(service: "a", account: "2", accessibility: .afterFirstUnlock)
    var watched = SecretItem(service: "a", account: "3")
    watched.needsUserPresence = true
    for item in [strict, lenient, watched] { try store.add(secret("x"), as: item) }
    store.enter(.beforeFirstUnlock)
    for item in [strict, lenient] {
      #expect(throws: SecretStoreError.beforeFirstUnlock) { _ = try store.read(item.identity) }
    }
    store.enter(.locked)
    #expect(throws: SecretStoreError.locked) { _ = try store.read(strict.identity) }
    #expect(try store.read(lenient.identity).count == 1)
    store.enter(.unlocked)
    #expect(try store.read(strict.identity).count == 1)
    store.setUserPresent(false)
    #expect(throws: SecretStoreError.userPresenceRequired) { _ = try store.read(watched.identity) }
    #expect(throws: SecretStoreError.notFound) {
      _ = try store.read(SecretItem.Identity(service: "a", account: "4"))
    }
  }

  @Test func `of passwords replaces in place and never deletes first`() throws {
    let store = FakeSecretStore()
    let keeper = PasswordKeeper(store)
    try keeper.store(secret("aa"), of: "dd", for: "demo", updateExisting: true)
    #expect(throws: SecretStoreError.duplicate) {
      try keeper.store(secret("bb"), of: "dd", for: "demo", updateExisting: false)
    }
    #expect(text(try keeper.password(of: "dd", for: "demo")) == "aa")
    // The replacement fails: the old password is still there.
    store.fail(with: [.duplicate, .failed(code: 1)])
    #expect(throws: SecretStoreError.failed(code: 1)) {
      try keeper.store(secret("cc"), of: "dd", for: "demo", updateExisting: true)
    }
    #expect(text(try keeper.password(of: "dd", for: "demo")) == "aa")
    try keeper.store(secret("cc"), of: "dd", for: "demo", updateExisting: true)
    #expect(text(try keeper.password(of: "dd", for: "demo")) == "cc")
    try keeper.delete("dd", for: "demo")
    #expect(throws: SecretStoreError.notFound) { _ = try keeper.password(of: "dd", for: "demo") }
  }

  @Test func `uses the access groups of the entitlements`() throws {
    func file(_ groups: [String]) -> [UInt8] {
      let strings = groups.map { "<string>\($0)</string>" }.joined(separator: "\n  ")
      return Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>keychain-access-groups</key>
        <array>\(strings)</array></dict></plist>
        """.utf8)
    }
    let groups = try AccessGroups(entitlements: file(["TEAM.family", "TEAM.app"]))
    #expect(groups.defaultName == "TEAM.family")
    #expect(throws: SecretStoreError.denied) { _ = try groups.resolve("TEAM.other") }
    #expect(throws: EntitlementsError.wildcard("TEAM.*")) {
      _ = try AccessGroups(entitlements: file(["TEAM.*"]))
    }
    #expect(throws: EntitlementsError.noGroup) { _ = try AccessGroups(entitlements: file([])) }
    let store = FakeSecretStore(groups: groups)
    try store.add(secret("x"), as: SecretItem(service: "a", account: "1"))
    #expect(try store.items().first?.accessGroup == "TEAM.family")
    #expect(throws: SecretStoreError.denied) {
      try store.add(secret("x"), as: SecretItem(service: "a", account: "1", accessGroup: "other"))
    }
  }
}

func secret(_ text: String) -> SecretBytes {
  var bytes = Array(text.utf8)
  return SecretBytes(wiping: &bytes)
}

func text(_ secret: consuming SecretBytes) -> String {
  secret.withBytes { String(decoding: $0, as: UTF8.self) }
}

final class Folder: Sendable {
  let path: String

  init() {
    var name = Array("/tmp/vault-keys-XXXXXX".utf8CString)
    path = name.withUnsafeMutableBufferPointer { name in
      name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/tmp"
    }
  }

  deinit { try? Disk.removeTree(path) }
}
