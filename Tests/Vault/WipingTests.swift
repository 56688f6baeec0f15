import CFaultControl
import Glibc
import SecretBytes
import Testing
import Vault
import VaultKeys

/// The memory of a process that locked its vault, looked at from outside; and of one that forgot to wipe.
/// What it frees stays as it is: nothing is hidden by being used again.
@Suite struct `A wipe of key memory` {
  @Test func `leaves neither password nor device key, and one that is left out is seen`()
    async throws
  {
    let scratch = Scratch()
    let password = Random.bytes(64)
    try Disk.write(password, to: scratch.path + "/password")
    var typed = password
    let secret = SecretBytes(wiping: &typed)
    _ = try await Vault.create(at: scratch.root, password: secret, hashing: .weakest)
    let key = try Disk.read(scratch.root + "/device.key", limit: 64)
    #expect(key.count == 32)
    let library = Probe.path.parentFolder + "/libvestige-faults.so"
    // Without root a process that forbids dumps cannot be looked at.
    guard Memory.isReadable, Disk.exists(library) else { return }
    let page = scratch.path + "/page"
    try makePage(at: page, withoutProtections: UInt32(FAULT_NO_WIPE))
    let holding = ["hold", scratch.root, scratch.path + "/password"]
    let forgetful = ["LD_PRELOAD=\(library)", "VESTIGE_FAULTS=\(page)"]
    // Halves: the first bytes of a freed block may be overwritten by whoever keeps the blocks.
    for (name, bytes) in [("password", password), ("device key", key)] {
      let half = Array(bytes[(bytes.count / 2)...])
      let left = try Probe.count(of: half, inMemoryAfter: holding)
      #expect(left == 0, "the \(name)")
    }
    let half = Array(password[32...])
    let forgotten = try Probe.count(of: half, inMemoryAfter: holding, environment: forgetful)
    #expect(forgotten > 0)
  }

  /// Orders for the library that is preloaded.
  private func makePage(at path: String, withoutProtections protections: UInt32) throws {
    var bytes = [UInt8](repeating: 0, count: Int(FAULT_CONTROL_SIZE))
    bytes.withUnsafeMutableBytes { bytes in
      let control = bytes.assumingMemoryBound(to: fault_control.self)
      control[0].magic = UInt32(FAULT_MAGIC)
      control[0].protections_off = protections
    }
    try Disk.write(bytes, to: path)
  }
}

extension Memory {
  /// How often bytes are found in what a process may write to.
  static func count(of needle: [UInt8], in process: pid_t) throws -> Int {
    let maps = String(
      decoding: try Disk.read("/proc/\(process)/maps", limit: 1 << 20), as: UTF8.self)
    let memory = open("/proc/\(process)/mem", O_RDONLY)
    guard memory >= 0 else { throw Failed(description: "its memory cannot be read") }
    defer { close(memory) }
    var found = 0
    for line in maps.split(separator: "\n") where line.contains(" rw") {
      let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { Int($0, radix: 16) }
      guard ends.count == 2 else { continue }
      var bytes = [UInt8](repeating: 0, count: ends[1] - ends[0])
      let count = pread(memory, &bytes, bytes.count, ends[0])
      if count > 0 { found += occurrences(of: needle, in: bytes[..<count]) }
    }
    return found
  }

  private static func occurrences(of needle: [UInt8], in bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, bytes.count >= needle.count else { return 0 }
      let last = bytes.count - needle.count
      var found = 0
      var start = 0
      while start <= last, let hit = memchr(base + start, Int32(needle[0]), last - start + 1) {
        if memcmp(hit, needle, needle.count) == 0 { found += 1 }
        start = UnsafeRawPointer(hit) - base + 1
      }
      return found
    }
  }
}
