import Bytes

/// A value that Core Data stores outside: a byte 2 and the name of a file (FORMATS.md, "Core Data").
enum ExternalBlob {
  /// The name, a UUID in text, or nothing where the value is no such reference.
  static func identifier(in blob: RawSpan) -> String? {
    guard blob[at: 0] == 2, blob.byteCount == 37 || blob.byteCount == 38 && blob[at: 37] == 0 else {
      return nil
    }
    for offset in 1..<37 {
      guard let byte = blob[at: offset] else { return nil }
      let isDash = [9, 14, 19, 24].contains(offset)
      let isDigit = Character(Unicode.Scalar(byte)).isHexDigit
      guard isDash ? byte == UInt8(ascii: "-") : isDigit else { return nil }
    }
    return blob.clamped(to: 1..<37).utf8Text()
  }

  /// Where the file lies, seen from the folder of the store.
  static func path(of file: String, store: String) -> String {
    let base = store.split(separator: "/").last.map(String.init) ?? store
    let stem = base.split(separator: ".", omittingEmptySubsequences: false).dropLast()
    let name = stem.isEmpty ? base : stem.joined(separator: ".")
    return ".\(name)_SUPPORT/_EXTERNAL_DATA/\(file)"
  }
}
