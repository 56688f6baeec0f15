import CWipingFree
import CrashImages
import Glibc
import SecretBytes
import Vault
import VaultFaults
import VaultKeys

// A process for the tests to start and to kill:
//
//   vault-probe identity            which SQLCipher answers, or why it is refused
//   vault-probe rotate DIR N half|whole   rotates the key of DIR and kills itself at file change N
//   vault-probe make DIR            makes a vault with messages; open DIR counts them
//   vault-probe fill DIR            adds messages until the disk is full, deletes, and says what is left
//   vault-probe starve VERB DIR N   does one thing while allocation N is refused: open, passwd, rotate,
//                                   migrate or erase
//   vault-probe hold DIR FILE       opens DIR with the password in FILE, locks it, says so, and waits to
//                                   be looked at
//   vault-probe secret STORE VERB [TEXT]  one call of a secret store: service, or tpm:DIR:PIN:REGISTER

let arguments = CommandLine.arguments

func password() -> SecretBytes {
  var bytes = Array("one".utf8)
  return SecretBytes(wiping: &bytes)
}

switch arguments.dropFirst().first {
case "identity": identify()
case "rotate": try await rotate(arguments[2], Int(arguments[3]) ?? 0, arguments[4])
case "make": _ = try await make(arguments[2])
case "open": print(await openAndCount(arguments[2]))
case "fill": try await fill(arguments[2])
case "starve": await starve(arguments[2], arguments[3], Int(arguments[4]) ?? 0)
case "hold": try await hold(arguments[2], arguments[3])
case "secret": print(callStore(arguments[2], arguments[3], arguments.dropFirst(4).first ?? ""))
default: exit(2)
}

func identify() {
  do throws(VaultError) {
    print(try SQLiteLibrary.checked().cipherVersion)
  } catch {
    print(error.problem)
    exit(1)
  }
}

/// Rotates both keys and kills this process at one of the file changes.
func rotate(_ root: String, _ target: Int, _ mode: String) async throws {
  let counter = ChangeCounter()
  let judge: @Sendable (FileChange) -> FaultInjector.Verdict = { change in
    guard counter.next() == target else { return .pass }
    if mode == "half" { change.makeHalf() }
    kill(getpid(), SIGKILL)
    return .pass
  }
  try await FaultInjector.watching(root, judge: judge) { try await rotateBoth(root) }
  print(counter.count)
}

func rotateBoth(_ root: String) async throws {
  var vault = Vault(at: root)
  vault.vfs = FaultInjector.layer
  let session = try await vault.unlock(password: password())
  try await session.rotateDatabaseKey()
  try await session.rotateMasterKey(password: password())
  try await session.lock()
}

/// Prints what came of it: `done`, `spared` where the allocation never came, or what was wrong.
func starve(_ verb: String, _ root: String, _ target: Int) async {
  MemoryRefusal.arm(target)
  do throws(VaultError) {
    let session = try await Vault(at: root).unlock(password: password())
    switch verb {
    case "passwd": try await session.changePassword(from: password(), to: bytes("two"))
    case "rotate": try await session.rotateDatabaseKey()
    case "migrate": try await session.migrate()
    case "erase": try await session.eraseSpace()
    default: _ = try await session.openProfile()
    }
    if verb != "erase" { try await session.lock() }
    print(MemoryRefusal.wasReached ? "done" : "spared")
  } catch {
    print(error.problem)
  }
}

/// Fills a small disk through the vault, then deletes half of what was written.
func fill(_ root: String) async throws {
  let vault = try await Vault.create(at: root, password: password(), hashing: .weakest)
  let session = try await vault.unlock(password: password())
  let profile = try await session.openProfile()
  var stored: [Message.ID] = []
  var wasFull = false
  while stored.count < 10_000, !wasFull {
    do {
      let added = try await add(50, to: profile)
      stored.append(contentsOf: added)
    } catch VaultError.full {
      wasFull = true
    }
  }
  let count = try await profile.read { t throws(VaultError) in try t.messageCount() }
  let isIndexClean = try await delete(Array(stored.prefix(stored.count / 2)), in: profile)
  let left = try await profile.read { t throws(VaultError) in try t.messageCount() }
  try await session.lock()
  let isWhole = count == stored.count && left == stored.count - stored.count / 2
  print(isIndexClean ? "clean" : "words left")
  print(wasFull && isWhole ? "full, then deleted" : "stored \(stored.count), \(count), \(left)")
}

func add(_ count: Int, to profile: Profile) async throws -> [Message.ID] {
  try await profile.write { t throws(VaultError) in
    let talk = try t.conversation(named: "talk")
    var added: [Message.ID] = []
    for number in 0..<count {
      let text = String(repeating: "word\(number) ", count: 40)
      added.append(try t.add(text, to: talk, sender: "me", sent: 1))
    }
    return added
  }
}

/// Whether there was room to rewrite the search index too.
func delete(_ messages: [Message.ID], in profile: Profile) async throws -> Bool {
  do throws(VaultError) {
    try await profile.delete(messages)
    return true
  } catch {
    guard error == .indexNotCleaned else { throw error }
    return false
  }
}

/// A password as a program gets it from a prompt: in an array, which is wiped when it is taken over.
func typed(_ file: String) -> SecretBytes {
  let descriptor = open(file, O_RDONLY)
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 64)
  _ = read(descriptor, &bytes, bytes.count)
  return SecretBytes(wiping: &bytes)
}

/// Uses a vault and locks it; whoever started this looks at the memory then.
func hold(_ root: String, _ file: String) async throws {
  wiping_free_keep()
  let session = try await Vault(at: root).unlock(password: typed(file))
  let profile = try await session.openProfile()
  _ = try await add(5, to: profile)
  try await session.lock()
  print("locked")
  fflush(nil)
  while true { pause() }
}

/// Does one thing with a secret store and says what came of it.
func callStore(_ name: String, _ verb: String, _ text: String) -> String {
  let item = SecretItem(service: "v1.a3", account: "6f0c", accessGroup: nil)
  let store = store(named: name)
  do throws(SecretStoreError) {
    switch verb {
    case "add": try store.add(bytes(text), as: item)
    case "update": try store.update(bytes(text), of: item.identity)
    case "read":
      let secret = try store.read(item.identity)
      return secret.withBytes { String(decoding: $0, as: UTF8.self) }
    case "remove": try store.remove(exactly: [item.identity])
    default: return try store.items().map { "\($0.service)/\($0.account)" }.joined(separator: " ")
    }
    return "done"
  } catch {
    return "\(error)".prefix { $0 != "(" }.description
  }
}

func bytes(_ text: String) -> SecretBytes {
  var bytes = Array(text.utf8)
  return SecretBytes(wiping: &bytes)
}

func store(named name: String) -> any SecretStore {
  let parts = name.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
  guard parts.count == 4 else { return SecretServiceStore() }
  let pin = parts[2]
  return TPMSecretStore(folder: parts[1], register: Int(parts[3]), pin: { bytes(pin) })
}

func make(_ root: String) async throws -> Int {
  let vault = try await Vault.create(at: root, password: password(), hashing: .weakest)
  let session = try await vault.unlock(password: password())
  let profile = try await session.openProfile()
  let added = try await add(20, to: profile)
  try await session.lock()
  return added.count
}

/// How many messages there are, or why they cannot be read.
func openAndCount(_ root: String) async -> String {
  do throws(VaultError) {
    let session = try await Vault(at: root).unlock(password: password())
    let profile = try await session.openProfile()
    let found = try await profile.read { t throws(VaultError) in try t.search("word7", limit: 99) }
    let all = try await profile.read { t throws(VaultError) in try t.messageCount() }
    try await session.lock()
    return "\(all) messages, \(found.count) found"
  } catch {
    return error.problem
  }
}
