public import VaultKeys

/// What anyone who can read the folder sees of a vault.
public struct VaultStatus: Sendable {
  /// What each guess of a password costs.
  public let hashing: PasswordHashing
  /// Profile folders, in use or not.
  public let folderCount: Int
  /// Whether a session holds the vault.
  public let isInUse: Bool
  /// Whether an erasure was begun and not finished.
  public let isErasurePending: Bool
  /// Version of the linked SQLCipher.
  public let cipherVersion: String
  /// Version of the SQLite in it.
  public let libraryVersion: String
}

extension Vault {
  /// What can be said without a password.
  public func status() throws(VaultError) -> VaultStatus {
    let library = try SQLiteLibrary.checked()
    guard Disk.exists(layout.root), Disk.exists(layout.spaces) || exists else {
      throw .notAVault(path: layout.root)
    }
    let names = try onDisk { () throws(DiskFailure) in try Disk.names(in: layout.root) }
    let folders = try onDisk { () throws(DiskFailure) in try Disk.names(in: layout.spaces) }
    guard exists else { throw .slotsMissing(path: layout.root) }
    let copies = try onDisk { () throws(DiskFailure) in try KeyFile.copies(layout.slots) }
    guard let newest = copies.first else { throw .key(.slotsDamaged) }
    let table = try mapping { () throws(KeyError) in try SlotTable(parsing: newest.body) }
    return VaultStatus(
      hashing: table.hashing,
      folderCount: folders.compactMap { ProfileIdentifier(hexDigits: $0) }.count,
      isInUse: (try? VaultLock(layout)) == nil,
      isErasurePending: names.contains { $0.hasPrefix("erase.") },
      cipherVersion: library.cipherVersion, libraryVersion: library.version)
  }
}
