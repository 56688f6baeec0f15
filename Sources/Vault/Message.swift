/// One message of a conversation.
public struct Message: Equatable, Sendable, Identifiable {
  public struct ID: Hashable, Sendable {
    package let row: Int64
    package init(row: Int64) { self.row = row }
    /// The number a person can type.
    public var number: Int64 { row }
    public init(number: Int64) { row = number }
  }

  public let id: ID
  public let conversation: Conversation.ID
  /// Milliseconds since 1970.
  public let sent: Int64
  public let sender: String
  public let body: String
  /// Whether it may be shown once only; such a message is not in the search index.
  public let isViewOnce: Bool

  /// Where a message stands in its conversation: pages go on from here.
  public var position: Position { Position(sent: sent, row: id.row) }

  public struct Position: Hashable, Sendable {
    let sent: Int64
    let row: Int64
  }
}

/// A conversation's name, known inside the encrypted database only.
public struct Conversation: Equatable, Sendable, Identifiable {
  public struct ID: Hashable, Sendable {
    package let row: Int64
    package init(row: Int64) { self.row = row }
  }
  public let id: ID
  public let name: String
}

/// What the network sends for a message: made once, the same at each try.
public struct Envelope: Equatable, Sendable {
  public let message: Message.ID
  /// The bytes to send, sealed by the protocol.
  public let bytes: [UInt8]
  /// Tells the server that a second try is the same message.
  public let idempotencyKey: [UInt8]
}
