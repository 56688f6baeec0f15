/// A sealed file that belongs to a profile. Its name, size and key are in the encrypted database; the
/// file's own name is random.
public struct Attachment: Equatable, Sendable, Identifiable {
  /// Names an attachment inside its profile's database.
  public struct ID: Hashable, Sendable {
    package let row: Int64
    package init(row: Int64) { self.row = row }
    /// The number a person can type.
    public var number: Int64 { row }
    /// What a person typed; nothing need be there under it.
    public init(number: Int64) { row = number }
  }
  /// What reads and removes it.
  public let id: ID
  /// The file's name, as it was given.
  public let name: String
  /// Bytes of content.
  public let size: Int
  /// The message it belongs to, if any.
  public let message: Message.ID?
}
