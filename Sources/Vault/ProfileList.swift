import VaultKeys

/// The numbers of the profiles that a space has besides its first, kept in the settings of the first: one
/// whose folder is gone is missed, and no blank one takes its place.
///
/// A folder that is there counts without it: an older vault has no list, and a profile may have been made
/// when nothing more could be written.
struct ProfileList {
  static let name = "vault/profiles"
  /// One bit for each number; the databases of all spaces are of one size.
  private(set) var bytes = [UInt8](repeating: 0, count: Session.profileLimit / 8)

  init() {}

  init(_ stored: [UInt8]?) {
    if let stored, stored.count == bytes.count { bytes = stored }
  }

  subscript(_ number: Int) -> Bool {
    get { bytes[number / 8] & 1 << (number % 8) != 0 }
    set {
      if newValue {
        bytes[number / 8] |= 1 << (number % 8)
      } else {
        bytes[number / 8] &= ~(1 << (number % 8))
      }
    }
  }
}

extension Session {
  /// The list, or an empty one where the first profile cannot be read: that keeps nobody out of the others.
  func profileList() -> ProfileList {
    (try? atHome { connection throws(VaultError) in try connection.profileList() }) ?? ProfileList()
  }

  /// Notes that a profile is there, or is not. Where the first profile cannot be written the other goes on
  /// without the note.
  func note(profile number: Int, exists: Bool) {
    try? atHome { connection throws(VaultError) in
      var list = try connection.profileList()
      guard list[number] != exists else { return }
      list[number] = exists
      try connection.statement("INSERT OR REPLACE INTO settings(name, value) VALUES(?,?)")
        .bind(.text(ProfileList.name), .blob(list.bytes)).run()
    }
  }

  /// Works in the database of the first profile over a connection of its own, whoever else has it open.
  private func atHome<Result>(
    _ body: (Connection) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    let files = try ringFile(0)
    var opening = try opening(files)
    opening.schema = Int(files.ring.manifest.schema)
    let connection = try Ballast.makingRoom(in: layout) { () throws(VaultError) in
      try opening.connect()
    }
    do throws(VaultError) {
      try connection.execute("BEGIN IMMEDIATE")
      let result = try body(connection)
      try connection.execute("COMMIT")
      try connection.close()
      return result
    } catch {
      try? connection.execute("ROLLBACK")
      try? connection.close()
      throw error
    }
  }
}

extension Connection {
  fileprivate func profileList() throws(VaultError) -> ProfileList {
    ProfileList(
      try statement("SELECT value FROM settings WHERE name=?").bind(.text(ProfileList.name))
        .first { $0.blob(0) })
  }
}
