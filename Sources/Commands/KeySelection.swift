import Bytes
import SQLiteFormat

/// The database keys of a command line.
enum KeySelection {
  /// `hex=…` with 64, 96 or 160 digits, `passphrase=…`, or `salt=…` for files whose salt is kept
  /// elsewhere; the value itself, `@FILE` or `env:NAME`. Every salt is tried with every key. A key that
  /// was replaced stands behind `old=`: `old=hex=…`, `old=passphrase:…`.
  static func keys(_ arguments: Arguments) throws -> [DatabaseKey] {
    var keys: [DatabaseKey] = []
    var salts: [[UInt8]] = []
    for argument in arguments.all("--key") {
      if argument.hasPrefix("old=") || argument.hasPrefix("old:") {
        keys.append(.old(try key(String(argument.dropFirst(4)))))
      } else if argument.hasPrefix("salt=") {
        salts.append(try salt(String(argument.dropFirst(5))))
      } else {
        keys.append(try key(argument))
      }
    }
    guard salts.isEmpty || !keys.isEmpty else {
      throw UsageError.badValue("--key", "has a salt and no key that it belongs to")
    }
    return keys + salts.flatMap { salt in keys.compactMap { $0.salted(with: salt) } }
  }

  private static func salt(_ argument: String) throws -> [UInt8] {
    let value = try SecretArgument.value(argument)
    guard let salt = [UInt8](hexadecimal: value), salt.count == 16 else {
      throw UsageError.badValue("--key", "salt must have 32 hexadecimal digits")
    }
    return salt
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
    "--key",
    "must be hex=VALUE, passphrase=VALUE or salt=VALUE, with old= before a key that was replaced")
}
