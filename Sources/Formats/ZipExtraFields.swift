import Bytes

/// The tagged fields behind a member's name (APPNOTE §4.5): tag and size, two bytes each, then the
/// field.
package enum ZipExtraFields {
  /// Info-ZIP's name and comment in UTF-8 (§4.6.9, §4.6.8).
  package static let unicodePath: UInt16 = 0x7075
  package static let unicodeComment: UInt16 = 0x6375

  /// The content of the first field with `tag`; empty where there is none.
  package static func first(_ tag: UInt16, in extra: [UInt8]) -> [UInt8] {
    guard extra.count >= 4 else { return [] }
    let bytes = unsafe extra.span.bytes
    var offset = 0
    while let found = try? bytes.littleEndianInteger(at: offset, as: UInt16.self),
      let size = try? bytes.littleEndianInteger(at: offset + 2, as: UInt16.self)
    {
      let start = offset + 4
      let end = start + Int(size)
      guard end <= extra.count else { return [] }
      if found == tag { return Array(extra[start..<end]) }
      offset = end
    }
    return []
  }

  /// The UTF-8 text of a Unicode field: after a version byte and the CRC-32 of the plain one.
  package static func text(_ tag: UInt16, in extra: [UInt8]) -> String? {
    let field = first(tag, in: extra)
    guard field.count > 5, field[0] == 1 else { return nil }
    return String(validating: field[5...], as: UTF8.self)
  }
}
