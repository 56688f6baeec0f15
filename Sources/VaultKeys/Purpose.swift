/// What a wrapped key is for. Each is an item of its own, so that each can be replaced and erased
/// without touching the others.
public enum Purpose: UInt8, CaseIterable, Sendable, CustomStringConvertible {
  /// What the profile's files are: generation, cipher format, schema. No key, wrapped all the same.
  case manifest = 0
  /// Key and salt of the database.
  case database = 1
  /// The private key of the person's identity.
  case identity = 2
  /// The private key of this device.
  case device = 3
  /// The credential that routes push notifications.
  case push = 4
  /// The key that wraps the keys of the attachments.
  case attachments = 5

  /// The word that errors use.
  public var description: String {
    switch self {
    case .manifest: "manifest"
    case .database: "database"
    case .identity: "identity"
    case .device: "device"
    case .push: "push"
    case .attachments: "attachments"
    }
  }
}
