/// What can be wrong with a password, a key slot or a wrapped key.
public enum KeyError: Error, Equatable, Sendable {
  /// No slot opens with this password. A changed slot looks the same, by design.
  case wrongPassword
  /// The device secret is not the one the slots were made with.
  case wrongDevice
  /// The password already opens another slot.
  case passwordTaken
  /// Neither copy of the slot table is whole.
  case slotsDamaged
  /// The slot table was written by a newer program.
  case slotsTooNew(version: UInt16)
  /// The table asks for more memory or passes than is allowed.
  case parametersRefused(mebibytes: Int, passes: Int)
  /// The system does not have the memory that the password derivation needs.
  case outOfMemory(mebibytes: Int)
  /// Neither copy of a profile's keys is whole.
  case keysDamaged
  /// A wrapped key was changed, or belongs to another profile, purpose or generation.
  case itemRefused(Purpose)
  /// There is no key of this purpose.
  case itemMissing(Purpose)
  /// A secret is longer than an item can hold.
  case tooLong(limit: Int)

  /// What is wrong, lower case, never a secret.
  public var problem: String {
    switch self {
    case .wrongPassword: "no key slot opens with this password"
    case .wrongDevice: "the device secret is not the one this vault was made with"
    case .passwordTaken: "this password cannot be used"
    case .slotsDamaged: "neither copy of the key slots is whole"
    case .slotsTooNew(let version): "the key slots are of version \(version)"
    case .parametersRefused(let mebibytes, let passes):
      "the key slots ask for \(mebibytes) MiB and \(passes) passes a password"
    case .outOfMemory(let mebibytes): "deriving the key needs \(mebibytes) MiB of memory"
    case .keysDamaged: "neither copy of the profile's keys is whole"
    case .itemRefused(let purpose):
      "the wrapped \(purpose) key was changed or belongs to another profile or generation"
    case .itemMissing(let purpose): "there is no \(purpose) key"
    case .tooLong(let limit): "the secret is longer than \(limit) bytes"
    }
  }

  /// What the person can do.
  public var remedy: String {
    switch self {
    case .wrongPassword: "try again; nothing was changed"
    case .wrongDevice: "unlock on the device, or with the secret store, that the vault was made on"
    case .passwordTaken: "choose another one"
    case .slotsDamaged, .keysDamaged: "restore the file from a backup; nothing was deleted"
    case .slotsTooNew: "update the program; nothing was changed"
    case .parametersRefused: "the file was probably changed: restore it from a backup"
    case .outOfMemory: "close other programs and try again"
    case .itemRefused: "restore the profile's folder from one backup, whole; nothing was deleted"
    case .itemMissing: "store one first"
    case .tooLong: "store the secret as an attachment or a record instead"
    }
  }
}
