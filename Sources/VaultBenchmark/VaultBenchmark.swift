import CCrypto
import CSQLCipher
import SecretBytes
import Vault
import VaultKeys

/// Measures the vault against plain SQLite through the same code, and against SQLCipher's own
/// interface, in one run on one machine: only the ratios mean something.
package enum VaultBenchmark {
  /// Prints the table. `folder` must not exist; it is removed at the end.
  package static func run(messages: Int, folder: String) async throws {
    try Disk.makeFolder(folder)
    defer { try? Disk.removeTree(folder) }
    let rounds = 400
    let plain = try await ProfileRun(folder: folder + "/plain", count: messages, rounds: rounds)
      .measure(isPlain: true)
    try Disk.removeTree(folder + "/plain")
    let vault = try await ProfileRun(folder: folder + "/vault", count: messages, rounds: rounds)
      .measure(isPlain: false)
    try Disk.removeTree(folder + "/vault")
    let bare = try BareRun(folder: folder + "/bare", count: messages, rounds: rounds).measure()
    try Disk.removeTree(folder + "/bare")

    let library = try SQLiteLibrary.checked()
    print("SQLCipher \(library.cipherVersion), SQLite \(library.version), \(messages) messages")
    print("row\tplain\tvault\tbare SQLCipher\tvault/plain\tvault/bare")
    row("insert, CPU s", plain.insertCPU, vault.insertCPU, bare.insertCPU)
    row("insert, wall s", plain.insertSeconds, vault.insertSeconds, bare.insertSeconds)
    row("newest 50", \.page, plain, vault, bare)
    row("newest 50, p95 ms", plain.page.late, vault.page.late, bare.page.late)
    row("search rare", \.rare, plain, vault, bare)
    row("search two words", \.two, plain, vault, bare)
    row("search prefix", \.prefix, plain, vault, bare)
    row("search Chinese", \.chinese, plain, vault, bare)
    row("open and read", \.open, plain, vault, bare)
    row("open and read by a reader beside", \.openWithReader, plain, vault, bare)
    row("size, MiB", mebibytes(plain.bytes), mebibytes(vault.bytes), mebibytes(bare.bytes))
    try await rotation(folder: folder, messages: min(messages, 200_000))
    try await unlocks(folder: folder)
    try items(folder: folder)
    ciphers()
  }

  private static func mebibytes(_ bytes: Int) -> Double { Double(bytes) / 1_048_576 }

  private static func row(_ name: String, _ plain: Double, _ vault: Double, _ bare: Double) {
    let ratios = [vault / plain, vault / bare].map { rounded($0, 2) }
    print(
      "\(name)\t\(rounded(plain, 3))\t\(rounded(vault, 3))\t\(rounded(bare, 3))\t\(ratios[0])\t\(ratios[1])"
    )
  }

  /// How long calls take, and how much of that is work.
  private static func row(
    _ name: String, _ times: KeyPath<Measurement, Measurement.Times>, _ plain: Measurement,
    _ vault: Measurement, _ bare: Measurement
  ) {
    let all = [plain, vault, bare].map { $0[keyPath: times] }
    row("\(name), p50 ms", all[0].median, all[1].median, all[2].median)
    row("\(name), CPU p50 ms", all[0].medianWork, all[1].medianWork, all[2].medianWork)
  }

  private static func rounded(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    return "\((value * scale).rounded() / scale)"
  }

  /// The whole rotation: copy, verification of every page and tree, commit.
  private static func rotation(folder: String, messages: Int) async throws {
    let password = SecretBytes(randomCount: 16)
    let vault = try await Vault.create(
      at: folder + "/rotation", password: password, hashing: .weakest)
    let session = try await vault.unlock(password: password)
    let profile = try await session.openProfile(readers: 0)
    var source = MessageSource()
    let talks = try await profile.write { t throws(VaultError) in
      var talks: [Conversation.ID] = []
      for number in 0..<MessageSource.conversationCount {
        talks.append(try t.conversation(named: "c\(number)"))
      }
      return talks
    }
    // As they come in life: each in another conversation than the one before.
    for first in stride(from: 0, to: messages, by: 1000) {
      let batch = (first..<min(first + 1000, messages)).map { number in
        (talks[source.conversation(number)], source.text(number), Int64(number) * 1000)
      }
      try await profile.write { t throws(VaultError) in
        for (talk, text, sent) in batch { try t.add(text, to: talk, sender: "someone", sent: sent) }
      }
    }
    try await profile.close()
    let path = folder + "/rotation/spaces/\(profile.identifier)"
    let size = try Disk.names(in: path).compactMap { Disk.size(path + "/" + $0) }.max() ?? 0
    let (start, startCPU) = (Stopwatch.wall(), Stopwatch.cpu())
    try await session.rotateDatabaseKey()
    let (seconds, cpu) = (Stopwatch.wall() - start, Stopwatch.cpu() - startCPU)
    try await session.lock()
    let scale = 400 / mebibytes(size)
    print(
      "rotation of \(rounded(mebibytes(size), 1)) MiB: \(rounded(seconds, 2)) s, CPU "
        + "\(rounded(cpu, 2)) s; for 400 MiB \(rounded(seconds * scale, 2)) s, CPU "
        + "\(rounded(cpu * scale, 2)) s")
  }

  /// Times to open the first space, a decoy, and nothing.
  private static func unlocks(folder: String) async throws {
    let outcome = try await UnlockRun(folder: folder + "/unlocks", rounds: 100).measure()
    for (name, times) in [
      ("first space", outcome.real), ("decoy", outcome.decoy), ("wrong password", outcome.wrong),
    ] {
      let ranks = [0.05, 0.25, 0.5, 0.75, 0.95].map { "\(rounded(times.rank($0), 2))" }
      print(
        "unlock and read, \(name): p5 p25 p50 p75 p95 \(ranks.joined(separator: " ")) ms, "
          + "CPU p50 \(rounded(times.medianWork, 2)) ms")
    }
  }

  /// The tutorial's appendix: 100 items saved and loaded, in each store of this machine.
  private static func items(folder: String) throws {
    let file = FileSecretStore(path: folder + "/items", keyPath: folder + "/items.key")
    let stores: [(String, any SecretStore)] = [
      ("file", file), ("secret-service", SecretServiceStore()),
      ("tpm", TPMSecretStore(folder: folder + "/tpm")), ("memory", FakeSecretStore()),
    ]
    for (name, store) in stores {
      let items = (0..<100).map { _ in SecretItem(neutral: Random.bytes(16)) }
      do throws(SecretStoreError) {
        let start = Stopwatch.wall()
        for item in items { try store.add(SecretBytes(randomCount: 32), as: item) }
        let middle = Stopwatch.wall()
        for item in items { _ = try store.read(item.identity) }
        let end = Stopwatch.wall()
        try store.remove(exactly: items.map(\.identity))
        print(
          "100 items in \(name): save \(rounded((middle - start) * 10, 3)) ms each, "
            + "load \(rounded((end - middle) * 10, 3)) ms each")
      } catch {
        print("100 items in \(name): \(error.problem)")
      }
    }
  }

  /// ChaCha20-Poly1305 against AES-256-GCM, both of libcrypto, on this processor.
  private static func ciphers() {
    let chacha = throughput(EVP_chacha20_poly1305())
    let aes = throughput(EVP_aes_256_gcm())
    print(
      "ChaCha20-Poly1305 \(rounded(chacha, 0)) MiB/s, AES-256-GCM \(rounded(aes, 0)) MiB/s: "
        + "ratio \(rounded(chacha / aes, 2))")
  }

  private static func throughput(_ cipher: OpaquePointer?) -> Double {
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    let key = [UInt8](repeating: 1, count: 32)
    let input = [UInt8](repeating: 2, count: 65_536)
    var output = [UInt8](repeating: 0, count: 65_536 + 32)
    var count: Int32 = 0
    EVP_EncryptInit_ex(context, cipher, nil, key, [UInt8](repeating: 3, count: 12))
    let start = Stopwatch.cpu()
    let rounds = 2000
    for _ in 0..<rounds { EVP_EncryptUpdate(context, &output, &count, input, Int32(input.count)) }
    return Double(rounds) / 16 / (Stopwatch.cpu() - start)
  }
}
