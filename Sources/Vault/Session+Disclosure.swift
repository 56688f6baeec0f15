package import SecretBytes
import VaultKeys

/// What the proof needs to see and no program may: the keys themselves, and a store of tomorrow.
extension Session {
  /// The 32 bytes of a profile's database key.
  package func databaseKey(of number: Int) throws(VaultError) -> SecretBytes {
    let files = try ringFile(number)
    return try opening(files).key.key()
  }

  /// Writes into the first profile with the tables it has, as the program that made them would have.
  package func writeAsStored(
    _ body: (borrowing Transaction) throws(VaultError) -> Void
  ) throws(VaultError) {
    let files = try ringFile(0)
    var opening = try opening(files)
    opening.schema = Int(files.ring.manifest.schema)
    let connection = try opening.connect(stop: StopFlag())
    try Transaction.run(.write, on: connection, body)
    try connection.checkpoint()
    try connection.close()
  }

  /// Marks the first profile as written by a newer program.
  package func pretendNewerSchema() throws(VaultError) {
    let opening = try opening(ringFile(0))
    let connection = try opening.connect(stop: StopFlag())
    try connection.execute("PRAGMA user_version=\(Schema.newest + 1)")
    try connection.checkpoint()
    try connection.close()
  }
}
