import Bytes
import SQLiteFormat

/// The database keys of a command line.
enum KeySelection {
  /// `hex=…` with 64, 96 or 160 digits, `passphrase=…`, or `salt=…` for files whose salt is kept
  /// elsewhere; the value itself, `@FILE` or `env:NAME`. Every salt is tried with every key.
  static func keys(_ arguments: Arguments) throws -> [DatabaseKey] {
    var keys: [DatabaseKey] = []
    var salts: [[UInt8]] = []
    for argument in arguments.all("--key") {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw malformed }
      let value = try SecretArgument.value(String(parts[1]))
      switch parts[0] {
      case "hex":
        guard let key = DatabaseKey(hexadecimal: value) else {
          throw UsageError.badValue("--key", "hex must have 64, 96 or 160 hexadecimal digits")
        }
        keys.append(key)
      case "passphrase":
        guard !value.isEmpty else { throw UsageError.badValue("--key", "has an empty passphrase") }
        keys.append(.passphrase(Array(value.utf8)))
      case "salt":
        guard let salt = [UInt8](hexadecimal: value), salt.count == 16 else {
          throw UsageError.badValue("--key", "salt must have 32 hexadecimal digits")
        }
        salts.append(salt)
      default:
        throw malformed
      }
    }
    guard salts.isEmpty || !keys.isEmpty else {
      throw UsageError.badValue("--key", "has a salt and no key that it belongs to")
    }
    return keys + salts.flatMap { salt in keys.compactMap { $0.salted(with: salt) } }
  }

  private static let malformed = UsageError.badValue(
    "--key", "must be hex=VALUE, passphrase=VALUE or salt=VALUE")
}
