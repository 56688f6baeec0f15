import SQLiteFormat

/// The database keys of a command line.
enum KeySelection {
  /// `hex=…` with 64, 96 or 160 digits, or `passphrase=…`; the value itself, `@FILE` or `env:NAME`. A key
  /// that was replaced stands behind `old=`: `old=hex=…`, `old=passphrase:…`.
  static func keys(_ arguments: Arguments) throws -> [DatabaseKey] {
    try arguments.all("--key").map { argument in
      if argument.hasPrefix("old=") || argument.hasPrefix("old:") {
        return .old(try key(String(argument.dropFirst(4))))
      }
      return try key(argument)
    }
  }

  private static func key(_ argument: String) throws -> DatabaseKey {
    let kind = argument.prefix { $0 != "=" && $0 != ":" }
    guard kind.count < argument.count else { throw malformed }
    let value = try SecretArgument.value(String(argument.dropFirst(kind.count + 1)))
    switch kind {
    case "hex":
      guard let key = DatabaseKey(hexadecimal: value) else {
        throw UsageError.badValue("--key", "hex must have 64, 96 or 160 hexadecimal digits")
      }
      return key
    case "passphrase":
      guard !value.isEmpty else { throw UsageError.badValue("--key", "has an empty passphrase") }
      return .passphrase(Array(value.utf8))
    default:
      throw malformed
    }
  }

  private static let malformed = UsageError.badValue(
    "--key", "must be hex=VALUE or passphrase=VALUE, with old= before it for a replaced key")
}
