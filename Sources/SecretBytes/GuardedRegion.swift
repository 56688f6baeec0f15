import CSodium
import CVaultShim
import Glibc
import Synchronization

/// One allocation of guarded memory: inaccessible pages around it, inaccessible itself while nobody
/// uses it, zeroed before it is given back.
final class GuardedRegion: Sendable {
  let count: Int
  let backing: SecretBytes.Backing
  private let address: Address
  /// How many readers and writers there are: the page is closed again when the last one leaves.
  private let users = Mutex(0)

  /// What the process did with its secrets, for the tests of the release path: `memfd_secret` pages
  /// cannot be scanned from outside.
  struct Ledger {
    var live = 0
    var wiped = 0
  }
  static let ledger = Mutex(Ledger())

  /// The pointers never change after `init` and the bytes behind them are guarded by ownership: a
  /// region belongs to exactly one non-copyable `SecretBytes`.
  private struct Address: @unchecked Sendable {
    let bytes: UnsafeMutableRawPointer
    let mapping: UnsafeMutableRawBufferPointer
  }

  /// Wiped, closed pages of the kernel's secret memory for the next secrets: to make such a page, and to
  /// give it back, interrupts every processor.
  private struct Spares {
    private var addresses: [Address] = []
    /// A forked child does not have the pages.
    private var owner: Int32 = 0
    private static let most = 32

    mutating func keep(_ address: Address) -> Bool {
      forgetThoseOfAnotherProcess()
      guard addresses.count < Self.most, address.mapping.count == 3 * GuardedRegion.pageSize else {
        return false
      }
      addresses.append(address)
      return true
    }

    mutating func take(_ count: Int) -> Address? {
      guard count <= GuardedRegion.pageSize else { return nil }
      forgetThoseOfAnotherProcess()
      return addresses.popLast()
    }

    private mutating func forgetThoseOfAnotherProcess() {
      guard owner != getpid() else { return }
      owner = getpid()
      addresses = []
    }
  }
  private static let spares = Mutex(Spares())
  private static let pageSize = sysconf(Int32(_SC_PAGESIZE))

  var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: address.bytes, count: count)
  }

  init(count: Int) {
    precondition(count >= 0)
    Random.prepare()
    self.count = count
    if let spare = Self.spares.withLock({ $0.take(count) }) {
      backing = .kernelSecret
      address = spare
      protect(PROT_READ | PROT_WRITE)
    } else if let mapping = Self.mapKernelSecret(count) {
      backing = .kernelSecret
      address = mapping
    } else {
      let (mapping, isLocked) = Self.allocateSodium(count)
      backing = isLocked ? .sodium : .sodiumUnlocked
      address = mapping
    }
    Self.ledger.withLock { $0.live += 1 }
    protect(PROT_NONE)
  }

  deinit {
    protect(PROT_READ | PROT_WRITE)
    sodium_memzero(address.bytes, count)
    let isWiped = sodium_is_zero(address.bytes.assumingMemoryBound(to: UInt8.self), count) == 1
    switch backing {
    case .kernelSecret:
      protect(PROT_NONE)
      if !isWiped || !Self.spares.withLock({ $0.keep(address) }) {
        munmap(address.mapping.baseAddress, address.mapping.count)
      }
    case .sodium, .sodiumUnlocked: sodium_free(address.bytes)
    }
    Self.ledger.withLock {
      $0.live -= 1
      if isWiped { $0.wiped += 1 }
    }
  }

  func beginAccess(writing: Bool) {
    users.withLock { users in
      // A second user while there is one only ever needs more access, never less.
      if users == 0 || writing { protect(writing ? PROT_READ | PROT_WRITE : PROT_READ) }
      users += 1
    }
  }

  func endAccess() {
    users.withLock { users in
      users -= 1
      if users == 0 { protect(PROT_NONE) }
    }
  }

  private func protect(_ access: Int32) {
    switch backing {
    case .kernelSecret:
      let page = Self.pageSize
      let start = address.mapping.baseAddress.map { $0 + page }
      mprotect(start, address.mapping.count - 2 * page, access)
    case .sodium, .sodiumUnlocked:
      switch access {
      case PROT_NONE: sodium_mprotect_noaccess(address.bytes)
      case PROT_READ: sodium_mprotect_readonly(address.bytes)
      default: sodium_mprotect_readwrite(address.bytes)
      }
    }
  }

  /// Whole pages of secret memory between two pages that nothing may touch.
  private static func mapKernelSecret(_ count: Int) -> Address? {
    let descriptor = vault_memfd_secret()
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let page = pageSize
    let inner = max((count + page - 1) / page, 1) * page
    guard ftruncate(descriptor, inner) == 0 else { return nil }
    let whole = mmap(nil, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let whole, whole != MAP_FAILED else { return nil }
    let secret = mmap(
      whole + page, inner, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0)
    // A forked child would share the pages, and keep them after the owner wiped its own mapping.
    guard let secret, secret != MAP_FAILED, madvise(secret, inner, MADV_DONTFORK) == 0 else {
      munmap(whole, inner + 2 * page)
      return nil
    }
    return Address(
      bytes: secret,
      mapping: UnsafeMutableRawBufferPointer(start: whole, count: inner + 2 * page))
  }

  /// libsodium aligns to the end of a page, so that a read past the end faults.
  private static func allocateSodium(_ count: Int) -> (Address, isLocked: Bool) {
    guard let bytes = sodium_malloc(max(count, 1)) else {
      fatalError("no memory for a key of \(count) bytes")
    }
    sodium_memzero(bytes, max(count, 1))
    // sodium_malloc goes on when mlock fails; asking again tells whether it did.
    let isLocked = mlock(bytes, max(count, 1)) == 0
    let mapping = UnsafeMutableRawBufferPointer(start: bytes, count: count)
    return (Address(bytes: bytes, mapping: mapping), isLocked)
  }
}
