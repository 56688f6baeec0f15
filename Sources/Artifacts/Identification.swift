/// What a file is, for the report: told by its content, never by its name.
package struct Identification: Equatable, Sendable {
  /// Short name of the format: `sqlite`, `zip`, `mach-o`, `text`, `data`.
  package var kind: String
  /// Media type, where there is one that people know.
  package var mime: String

  package init(kind: String, mime: String) {
    self.kind = kind
    self.mime = mime
  }

  /// No known format and no text.
  package static let data = Identification(kind: "data", mime: "application/octet-stream")
  package static let empty = Identification(kind: "empty", mime: "application/x-empty")
}

/// Bytes at an offset that give a format away.
struct Signature: Sendable {
  var bytes: [UInt8]
  var offset = 0
  var found: Identification

  init(_ bytes: [UInt8], at offset: Int = 0, _ kind: String, _ mime: String) {
    self.bytes = bytes
    self.offset = offset
    found = Identification(kind: kind, mime: mime)
  }

  init(_ text: String, at offset: Int = 0, _ kind: String, _ mime: String) {
    self.init(Array(text.utf8), at: offset, kind, mime)
  }
}
