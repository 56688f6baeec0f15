package import VaultKeys

/// Where a vault's files lie. No name says what is real, decoy or empty, nor what is inside:
///
///     lock                      held while a session is open
///     slots                     two copies of the key slots
///     ballast                   room to delete in when the disk is full
///     device, device.key        the embedded secret store, where no other is used
///     erase.<32 hex>            an erasure that was begun
///     spaces/<32 hex>/keys      two copies of a profile's wrapped keys
///     spaces/<32 hex>/s.<n>     its database of generation n; -wal and -shm only while it is open
///     spaces/<32 hex>/a/<32 hex>  sealed attachments
///     spaces/<32 hex>/cache, tmp  what may be thrown away
package struct Layout: Equatable, Sendable {
  package let root: String

  package init(root: String) {
    self.root = root
  }

  package var lock: String { root + "/lock" }
  package var slots: String { root + "/slots" }
  package var ballast: String { root + "/ballast" }
  package var spaces: String { root + "/spaces" }

  package func profile(_ identifier: ProfileIdentifier) -> ProfileLayout {
    ProfileLayout(folder: "\(spaces)/\(identifier)", identifier: identifier)
  }

  package func tombstone(_ name: String) -> String { "\(root)/erase.\(name)" }
}

/// Where one profile's files lie.
package struct ProfileLayout: Equatable, Sendable {
  package let folder: String
  package let identifier: ProfileIdentifier

  package var keys: String { folder + "/keys" }
  package var attachments: String { folder + "/a" }
  package var cache: String { folder + "/cache" }
  package var temporary: String { folder + "/tmp" }

  package func database(_ generation: UInt64) -> String { "\(folder)/s.\(generation)" }

  /// The files SQLite keeps beside a database.
  package static let sidecars = ["-wal", "-shm", "-journal"]

  /// Names of database files, with their sidecars, that belong to other generations.
  package func leftovers(besides generation: UInt64) throws(DiskFailure) -> [String] {
    let current = "s.\(generation)"
    let known = [current] + Self.sidecars.map { current + $0 }
    return try Disk.names(in: folder).filter { $0.hasPrefix("s.") && !known.contains($0) }
  }
}
