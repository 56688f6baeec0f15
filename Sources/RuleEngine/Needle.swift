package import Findings

/// A protected value that must not be found in clear, and the kind that says which forms it takes in
/// storage. It prints as its id, never as its value.
package struct Needle: Sendable, CustomStringConvertible, CustomReflectable {
  package enum Kind: String, CaseIterable, Sendable {
    case text, date, number, phone, email, passphrase
    case bytesHex = "bytes-hex"
    case keyHex = "key-hex"
  }

  package var id: String
  package var kind: Kind
  /// The value as the user wrote it.
  package var value: String
  package var severity: Severity
  package var note: String?

  package init(
    id: String, kind: Kind, value: String, severity: Severity = .high, note: String? = nil
  ) {
    self.id = id
    self.kind = kind
    self.value = value
    self.severity = severity
    self.note = note
  }

  package var description: String { "needle \(id)" }
  package var customMirror: Mirror { Mirror(self, children: ["id": id]) }

  /// Name of the rule that its findings carry.
  package var rule: String { "needle.\(kind.rawValue)" }
}

/// A needle cannot be searched for: which, and why. The value is never part of it.
package struct NeedleError: Equatable, Sendable {
  package var id: String
  package var problem: String
  package var remedy: String
}

extension NeedleError: Explained {}
