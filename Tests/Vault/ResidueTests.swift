import CCrypto
import Glibc
import SecretBytes
import Testing
import Vault
import VaultFaults
import VaultKeys

/// What is deleted, replaced or closed is gone: from the files as they lie, from the pages behind the
/// encryption, and from the process's memory.
@Suite struct `Residue` {
  @Test func `of messages is in no file, as written, deleted, rotated or closed`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 100)
    let session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    try await profile.write { t throws(VaultError) in
      try t.setDraft(Canary.text, in: t.conversation(named: Canary.text))
      try t.put(Canary.bytes, kind: Canary.text, name: Canary.text)
    }
    _ = try await profile.attach(Canary.text) { _ throws(VaultError) in [] }
    func check(_ moment: String) throws {
      for (path, bytes) in try files(below: scratch.root) {
        let isFound = bytes.contains(Canary.bytes)
        #expect(!isFound, "\(moment): \(path)")
      }
    }
    try check("open")
    try await profile.delete((1...100).map { Message.ID(number: $0) })
    try check("deleted")
    try await profile.close()
    try await session.rotateDatabaseKey()
    try await session.lock()
    try check("closed")
    // The same search finds what is there.
    try Disk.write(Array("xx".utf8) + Canary.bytes, to: scratch.root + "/planted")
    #expect(try files(below: scratch.root).contains { $0.value.contains(Canary.bytes) })
  }

  @Test func `of deleted words is in no page behind the encryption`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 300)
    let outside = try await VaultFiles(scratch.root)
    let canary = Array(Canary.text.utf8)
    #expect(try outside.pages().contains { $0.contains(canary) }, "the control")
    let session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    try await profile.delete((1...300).map { Message.ID(number: $0) })
    try await session.lock()
    let left = try outside.pages().enumerated().filter { $0.element.contains(canary) }
    #expect(left.isEmpty, "pages \(left.map { $0.offset + 1 })")
  }

  @Test func `of keys is not in memory after closing`() async throws {
    // Without root, a process that forbade dumps cannot read its own memory either.
    guard Memory.isReadable else { return }
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 10)
    let key = try await VaultFiles(scratch.root).databaseKey()
    let session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    try await profile.fill(10)
    let whileOpen = Memory.count(of: key)
    try await session.lock()
    #expect(whileOpen > 0, "the control: an open connection holds its key")
    #expect(Memory.count(of: key) == 0)
  }

  @Test func `of a secret is wiped before its memory is given back`() {
    let before = SecretBytes.wipedCount
    do { _ = SecretBytes(randomCount: 64) }
    #expect(SecretBytes.wipedCount > before)
  }
}

extension VaultFiles {
  /// The database's pages, decrypted without SQLCipher: freed ones and slack too.
  func pages() throws -> [[UInt8]] {
    let path = home.database(1)
    let format = try SQLiteLibrary.checked().newestFormat
    let bytes = try Disk.read(path, limit: Disk.size(path) ?? 0)
    let key = try databaseKey()
    return stride(from: 0, to: bytes.count, by: 4096).map { offset in
      let page = Array(bytes[offset..<offset + 4096])
      let start = offset == 0 ? 16 : 0
      let end = 4096 - format.reservedCount
      return decrypt(Array(page[start..<end]), key: key, vector: Array(page[end..<end + 16]))
    }
  }

  private func decrypt(
    _ bytes: [UInt8], key: borrowing SecretBytes, vector: [UInt8]
  ) -> [UInt8] {
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    var plain = [UInt8](repeating: 0, count: bytes.count + 16)
    var count: Int32 = 0
    key.withBytes { key in
      _ = EVP_DecryptInit_ex(context, EVP_aes_256_cbc(), nil, key.bound, vector)
    }
    EVP_CIPHER_CTX_set_padding(context, 0)
    EVP_DecryptUpdate(context, &plain, &count, bytes, Int32(bytes.count))
    return Array(plain.prefix(Int(count)))
  }
}

/// This process's own memory.
enum Memory {
  static var isReadable: Bool {
    let memory = open("/proc/self/mem", O_RDONLY)
    defer { close(memory) }
    return memory >= 0
  }

  /// How often a key is found, raw or as hexadecimal digits, outside of where it is kept.
  static func count(of key: borrowing SecretBytes) -> Int {
    let kept = key.withBytes { UInt(bitPattern: $0.baseAddress) }
    return regions().filter { !$0.contains(kept) }.reduce(0) { total, region in
      total + count(of: key, in: region)
    }
  }

  private static func count(of key: borrowing SecretBytes, in region: Range<UInt>) -> Int {
    // Read through the kernel: a page may be gone or guarded by now.
    let memory = open("/proc/self/mem", O_RDONLY)
    defer { close(memory) }
    let chunk = 1 << 20
    var found = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk + 64, alignment: 16)
    defer {
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      buffer.deallocate()
    }
    let own = UInt(bitPattern: buffer.baseAddress)
    if region.contains(own) { return 0 }
    var start = region.lowerBound
    while start < region.upperBound {
      let wanted = min(chunk + 64, Int(region.upperBound - start))
      let count = pread(memory, buffer.baseAddress, wanted, Int(bitPattern: start))
      if count > 0 { found += occurrences(key, UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
      start += UInt(chunk)
    }
    return found
  }

  private static func occurrences(
    _ key: borrowing SecretBytes, _ bytes: UnsafeRawBufferPointer
  ) -> Int {
    key.withBytes { key in
      guard let base = bytes.baseAddress, bytes.count >= 64 else { return 0 }
      var found = 0
      var start = 0
      let digits = Array("0123456789abcdef".utf8)
      let hexStart = digits[Int(key[0] >> 4)]
      for first in [key[0], hexStart] {
        start = 0
        while start < bytes.count - 64,
          let hit = memchr(base + start, Int32(first), bytes.count - 64 - start)
        {
          let offset = UnsafeRawPointer(hit) - base
          let isRaw = memcmp(hit, key.bound, 32) == 0
          let isHex = (0..<32).allSatisfy {
            bytes[offset + 2 * $0] == digits[Int(key[$0] >> 4)]
              && bytes[offset + 2 * $0 + 1] == digits[Int(key[$0] & 15)]
          }
          if isRaw || isHex { found += 1 }
          start = offset + 1
        }
      }
      return found
    }
  }

  private static func regions() -> [Range<UInt>] {
    guard let text = try? Disk.read("/proc/self/maps", limit: 1 << 20) else { return [] }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count >= 2, words[1].hasPrefix("rw"), !line.contains("secretmem") else {
        return nil
      }
      let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2 else { return nil }
      return ends[0]..<ends[1]
    }
  }
}
