import CSQLCipher

/// One compiled statement. Values are bound as bytes, in SQLite's own wiped memory; none is ever
/// written into the text of a statement.
package final class Statement {
  private let handle: OpaquePointer
  private unowned let connection: Connection
  private(set) var isInUse = false

  init(_ handle: OpaquePointer, on connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// Binds values to the places of the statement, in order.
  @discardableResult
  package func bind(_ values: Value...) throws(VaultError) -> Statement {
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    return self
  }

  private func bind(_ value: Value, at place: Int32) throws(VaultError) {
    let result =
      switch value {
      case .null: sqlite3_bind_null(handle, place)
      case .int(let number): sqlite3_bind_int64(handle, place, number)
      case .real(let number): sqlite3_bind_double(handle, place, number)
      case .text(var text):
        text.withUTF8 { utf8 in
          utf8.withMemoryRebound(to: CChar.self) {
            sqlite3_bind_text64(
              handle, place, $0.baseAddress, UInt64($0.count), Self.transient, UInt8(SQLITE_UTF8))
          }
        }
      case .blob(let bytes):
        bytes.isEmpty
          ? sqlite3_bind_zeroblob(handle, place, 0)
          : sqlite3_bind_blob64(handle, place, bytes, UInt64(bytes.count), Self.transient)
      }
    guard result == SQLITE_OK else { throw connection.failure(result) }
  }

  /// SQLite makes a copy of its own.
  static var transient: sqlite3_destructor_type? {
    unsafeBitCast(-1, to: sqlite3_destructor_type?.self)
  }

  /// Runs the statement to its end.
  package func run() throws(VaultError) {
    isInUse = true
    defer { finish() }
    while try step() {}
  }

  /// Reads every row.
  package func rows<Result>(_ read: (borrowing Row) -> Result) throws(VaultError) -> [Result] {
    isInUse = true
    defer { finish() }
    var results: [Result] = []
    while try step() { results.append(read(Row(handle))) }
    return results
  }

  /// Reads the first row, if there is one.
  package func first<Result>(_ read: (borrowing Row) -> Result) throws(VaultError) -> Result? {
    isInUse = true
    defer { finish() }
    guard try step() else { return nil }
    return read(Row(handle))
  }

  private func step() throws(VaultError) -> Bool {
    if connection.isStopped { throw .cancelled }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.failure(code)
    }
  }

  private func finish() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    isInUse = false
  }

  /// What can be bound.
  package enum Value {
    case null
    case int(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    package static func int(_ number: Int) -> Value { .int(Int64(number)) }
    package static func text(orNull text: String?) -> Value { text.map(Value.text) ?? .null }
  }
}

/// The row a statement stands on; it cannot leave the closure it was lent to.
package struct Row: ~Copyable {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  package func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }
  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  package func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  package func blob(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}
