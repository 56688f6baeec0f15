import CVaultShim
public import SecretBytes

/// Secrets sealed by the machine's TPM 2.0: what the Secure Enclave is on Apple's devices.
///
/// Each item is a file that only this TPM opens, with the right PIN and, if asked for, only while the
/// machine's boot state is the one it was sealed in. Wrong PINs are counted by the TPM, which locks
/// itself after some. Clearing the TPM makes every item unreadable at once. The TPM's libraries are
/// loaded when the store is first used; which TPM is used says `TPM2TOOLS_TCTI`, as for its own tools.
public struct TPMSecretStore: SecretStore {
  private let folder: String
  private let register: Int?
  private let pin: @Sendable () throws(SecretStoreError) -> SecretBytes

  private static let longest = 128
  private static let longestPIN = 32
  private static let magic = Array("VTP1".utf8)

  /// - Parameters:
  ///   - folder: Where the sealed items are kept; made with the first one.
  ///   - register: A platform configuration register (SHA-256 bank) that must not change.
  ///   - pin: Asked for at each use; an empty one means that the TPM alone is enough.
  public init(
    folder: String, register: Int? = nil,
    pin: @escaping @Sendable () throws(SecretStoreError) -> SecretBytes = {
      SecretBytes(zeroCount: 0)
    }
  ) {
    self.folder = folder
    self.register = register
    self.pin = pin
  }

  public func add(_ secret: borrowing SecretBytes, as item: SecretItem) throws(SecretStoreError) {
    guard !Disk.exists(path(item.identity)) else { throw .duplicate }
    try write(secret, item.identity)
  }

  public func update(
    _ secret: borrowing SecretBytes, of item: SecretItem.Identity
  ) throws(SecretStoreError) {
    guard Disk.exists(path(item)) else { throw .notFound }
    try write(secret, item)
  }

  public func read(_ item: SecretItem.Identity) throws(SecretStoreError) -> SecretBytes {
    let path = path(item)
    guard Disk.exists(path) else { throw .notFound }
    let file = try disk { () throws(DiskFailure) in try Disk.read(path, limit: 8192) }
    guard let (stored, blob) = Self.parse(file), stored == item else { throw .damaged }
    let buffer = SecretBytes(zeroCount: Self.longest)
    var count = Self.longest
    let pin = try checkedPIN()
    let result = buffer.withMutableBytes { buffer in
      pin.withBytes { pin in
        vault_tpm_unseal(
          blob, blob.count, pin.baseAddress, pin.count, Int32(register ?? -1), buffer.baseAddress,
          &count)
      }
    }
    // A blob of another TPM, or of this one before it was cleared, is there and will never open.
    if Int(result) == VAULT_STORE_NOT_FOUND { throw .stateChanged }
    try SecretStoreError.check(result, Self.advice)
    return buffer.withBytes {
      SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
  }

  public func remove(_ item: SecretItem.Identity) throws(SecretStoreError) {
    let path = path(item)
    guard Disk.exists(path) else { throw .notFound }
    try disk { () throws(DiskFailure) in
      try Disk.write(Random.bytes(Disk.size(path) ?? 0), to: path)
      try Disk.sync(path)
      try Disk.remove(path)
      try Disk.syncFolder(folder)
    }
  }

  public func items() throws(SecretStoreError) -> [SecretItem.Identity] {
    guard Disk.exists(folder) else { return [] }
    return try disk { () throws(DiskFailure) in
      var names: [SecretItem.Identity] = []
      for name in try Disk.names(in: folder) {
        let file = try Disk.read(folder + "/" + name, limit: 8192)
        if let (item, _) = Self.parse(file) { names.append(item) }
      }
      return names.sorted()
    }
  }

  private static let advice =
    "no TPM answers, its libraries are missing, or the program was built without libtss2-dev"

  private func write(
    _ secret: borrowing SecretBytes, _ item: SecretItem.Identity
  ) throws(SecretStoreError) {
    guard secret.count <= Self.longest else { throw .tooLong(limit: Self.longest) }
    var blob = [UInt8](repeating: 0, count: 4096)
    var count = blob.count
    let pin = try checkedPIN()
    let result = secret.withBytes { secret in
      pin.withBytes { pin in
        vault_tpm_seal(
          secret.baseAddress, secret.count, pin.baseAddress, pin.count, Int32(register ?? -1),
          &blob,
          &count)
      }
    }
    try SecretStoreError.check(result, Self.advice)
    let file = Self.encode(item, blob: blob[..<count])
    let path = path(item)
    try disk { () throws(DiskFailure) in
      try Disk.makeFolder(folder)
      try Disk.remove(path + ".new")
      try Disk.write(file, to: path + ".new")
      try Disk.sync(path + ".new")
      try Disk.rename(path + ".new", to: path)
      try Disk.syncFolder(folder)
    }
  }

  private func checkedPIN() throws(SecretStoreError) -> SecretBytes {
    let pin = try pin()
    guard pin.count <= Self.longestPIN else { throw .tooLong(limit: Self.longestPIN) }
    return pin
  }

  /// Three names, each with its length, then what the TPM sealed.
  private static func encode(
    _ item: SecretItem.Identity, blob: ArraySlice<UInt8>
  ) -> [UInt8] {
    var file = magic
    for name in [item.service, item.account, item.accessGroup ?? ""] {
      file.append(littleEndian: UInt16(truncatingIfNeeded: name.utf8.count))
      file.append(contentsOf: name.utf8)
    }
    return file + blob
  }

  private static func parse(_ file: [UInt8]) -> (SecretItem.Identity, [UInt8])? {
    guard file.starts(with: magic) else { return nil }
    var offset = magic.count
    var names: [String] = []
    for _ in 0..<3 {
      guard file.count - offset >= 2 else { return nil }
      let count = Int(file.littleEndian(at: offset, as: UInt16.self))
      guard file.count - offset - 2 >= count else { return nil }
      names.append(String(decoding: file[offset + 2..<offset + 2 + count], as: UTF8.self))
      offset += 2 + count
    }
    let item = SecretItem.Identity(
      service: names[0], account: names[1], accessGroup: names[2].isEmpty ? nil : names[2])
    return (item, Array(file[offset...]))
  }

  private func path(_ item: SecretItem.Identity) -> String {
    let name = Self.encode(item, blob: [])
    return folder + "/" + Primitives.digest(name).prefix(16).hexDigits
  }

  private func disk<Result>(
    _ body: () throws(DiskFailure) -> Result
  ) throws(SecretStoreError) -> Result {
    do throws(DiskFailure) { return try body() } catch { throw SecretStoreError(error) }
  }
}
