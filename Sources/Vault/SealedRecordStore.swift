public import SecretBytes
import VaultKeys

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The tutorial's model done right: a table with clear metadata and sealed values, for apps that keep
/// Core Data's file and seal only what is sensitive.
///
/// The columns are those Core Data would make (`ZPERSONENTITY`, `Z_PK`, …): the sealed ones are not
/// null and in no index. What is not sealed can be read by anyone who has the file: names of types and
/// times belong there, nothing about the person.
public actor SealedRecordStore {
  private let connection: Connection
  private let key: SecretBytes
  private let executor = QueueExecutor(label: "vault.records")

  /// Sealing and opening run on a queue of the store's own, never on the caller's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// What stands in clear beside a sealed value.
  public struct Metadata: Equatable, Sendable {
    /// Whose record it is: an opaque number, since it stands in clear.
    public var user: String
    /// Seconds since 2001, as Core Data keeps dates.
    public var created: Double
    /// What kind of record it is.
    public var type: String

    /// What will be readable without the key.
    public init(user: String, created: Double, type: String) {
      self.user = user
      self.created = created
      self.type = type
    }
  }

  /// One sealed value that does not open.
  public struct Damage: Equatable, Sendable {
    /// The row's number (`Z_PK`).
    public let row: Int64
    /// The column that holds the value.
    public let column: String
    /// Whether it was cut off or changed.
    public let error: SealedBoxError

    package init(row: Int64, column: String, error: SealedBoxError) {
      self.row = row
      self.column = column
      self.error = error
    }
  }

  /// Opens a file, or makes a new one. The key is the caller's, from a ``SecretStore``: if it is not
  /// there, that is a state to show, not a reason to make another.
  public init(
    path: String, key: borrowing SecretBytes, creating: Bool = false
  ) throws(VaultError) {
    guard key.count == SealedBox.keyCount else { throw .secrets(.notFound) }
    guard creating || (Disk.size(path) ?? 0) > 0 else { throw .notAVault(path: path) }
    connection = try Connection(path: path, key: nil, format: .three, creating: creating)
    self.key = key.duplicate()
    if creating {
      try connection.execute(
        """
        CREATE TABLE ZPERSONENTITY(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
          ZCREATEDAT TIMESTAMP, ZUSERID VARCHAR, ZBAZITYPE VARCHAR,
          ZENCRYPTEDBIRTHDATA BLOB NOT NULL, ZENCRYPTEDRESULTDATA BLOB NOT NULL)
        """)
    }
    try connection.execute("PRAGMA secure_delete=1; PRAGMA temp_store=2")
  }

  /// Seals two values as JSON and keeps them with their metadata.
  @discardableResult
  public func add<Birth: Encodable & Sendable, Outcome: Encodable & Sendable>(
    _ metadata: Metadata, birth: Birth, result: Outcome
  ) throws -> Int64 {
    let encoder = JSONEncoder()
    let sealed = try [
      SealedBox.seal(Array(encoder.encode(birth)), key: key),
      SealedBox.seal(Array(encoder.encode(result)), key: key),
    ]
    try connection.statement(
      """
      INSERT INTO ZPERSONENTITY(Z_ENT, Z_OPT, ZCREATEDAT, ZUSERID, ZBAZITYPE,
        ZENCRYPTEDBIRTHDATA, ZENCRYPTEDRESULTDATA) VALUES(1, 1, ?, ?, ?, ?, ?)
      """
    ).bind(
      .real(metadata.created), .text(metadata.user), .text(metadata.type), .blob(sealed[0]),
      .blob(sealed[1])
    ).run()
    return connection.lastRowIdentifier
  }

  /// Opens the birth data of a row.
  public func birth<Value: Decodable & Sendable>(
    of row: Int64, as type: Value.Type = Value.self
  ) throws -> Value {
    let sealed = try connection.statement(
      "SELECT ZENCRYPTEDBIRTHDATA FROM ZPERSONENTITY WHERE Z_PK=?"
    ).bind(.int(row)).first { $0.blob(0) }
    guard let sealed else { throw VaultError.notFound }
    return try JSONDecoder().decode(type, from: Data(SealedBox.open(sealed, key: key)))
  }

  /// Tries every sealed value, and names those that do not open: what a sync that broke bytes leaves.
  public func damage() throws(VaultError) -> [Damage] {
    let rows = try connection.statement(
      """
      SELECT Z_PK, ZENCRYPTEDBIRTHDATA, ZENCRYPTEDRESULTDATA FROM ZPERSONENTITY ORDER BY Z_PK
      """
    ).rows { (row: $0.int64(0), birth: $0.blob(1), result: $0.blob(2)) }
    var damage: [Damage] = []
    for row in rows {
      let columns = [("ZENCRYPTEDBIRTHDATA", row.birth), ("ZENCRYPTEDRESULTDATA", row.result)]
      for (column, sealed) in columns {
        do throws(SealedBoxError) {
          _ = try SealedBox.open(sealed, key: key)
        } catch {
          damage.append(Damage(row: row.row, column: column, error: error))
        }
      }
    }
    return damage
  }

  /// Closes the file.
  public func close() throws(VaultError) {
    try connection.close()
  }
}
