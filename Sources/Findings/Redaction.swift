/// How values are shown: enough to recognise one's own, not enough to use it.
package enum Redaction {
  /// Always the same number of dots, so that they do not tell the length.
  package static let dots = "•••••••"

  /// The masked value: its first two characters where it has at least twelve, otherwise none.
  package static func mask(_ value: RawSpan) -> String {
    guard value.byteCount >= 12 else { return dots }
    var shown = ""
    for offset in 0..<2 {
      let byte = unsafe value.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      guard byte > 0x20, byte < 0x7f else { return dots }
      shown.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return shown + dots
  }
}
