import SQLiteFormat

/// The database keys of a command line.
enum KeySelection {
  /// `hex=…` with 64, 96 or 160 digits, or `passphrase=…`; the value itself, `@FILE` or `env:NAME`.
  static func keys(_ arguments: Arguments) throws -> [DatabaseKey] {
    try arguments.all("--key").map { argument in
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw malformed }
      let value = try SecretArgument.value(String(parts[1]))
      switch parts[0] {
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
  }

  private static let malformed = UsageError.badValue(
    "--key", "must be hex=VALUE or passphrase=VALUE")
}
