/// One message of a conversation.
public struct Message: Equatable, Sendable, Identifiable {
  /// Names a message inside its profile's database.
  public struct ID: Hashable, Sendable {
    package let row: Int64
    package init(row: Int64) { self.row = row }
    /// The number a person can type.
    public var number: Int64 { row }
    /// What a person typed; nothing need be there under it.
    public init(number: Int64) { row = number }
  }

  /// What a page goes on from and what deletes it.
  public let id: ID
  /// The conversation it stands in.
  public let conversation: Conversation.ID
  /// Milliseconds since 1970.
  public let sent: Int64
  /// Who wrote it, as the app names people.
  public let sender: String
  /// Its text.
  public let body: String
  /// Whether it may be shown once only; such a message is not in the search index.
  public let isViewOnce: Bool

  /// Where a message stands in its conversation: pages go on from here.
  public var position: Position { Position(sent: sent, row: id.row) }

  /// A place between two messages of a conversation.
  public struct Position: Hashable, Sendable {
    let sent: Int64
    let row: Int64
  }
}

/// A conversation's name, known inside the encrypted database only.
public struct Conversation: Equatable, Sendable, Identifiable {
  /// Names a conversation inside its profile's database.
  public struct ID: Hashable, Sendable {
    package let row: Int64
    package init(row: Int64) { self.row = row }
  }
  /// What messages and drafts belong to.
  public let id: ID
  /// The name it was made under, once in a profile.
  public let name: String
}

/// What the network sends for a message: made once, the same at each try.
public struct Envelope: Equatable, Sendable {
  /// The message it carries.
  public let message: Message.ID
  /// The bytes to send, sealed by the protocol.
  public let bytes: [UInt8]
  /// Tells the server that a second try is the same message.
  public let idempotencyKey: [UInt8]
}
