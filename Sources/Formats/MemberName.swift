/// Names of archive members as text: what they were stored in, and the steps of a locator they make.
package enum MemberName {
  /// The text of a stored name: UTF-8 where it is, else GBK where every high byte is part of a
  /// GB 2312 pair (Chinese Windows writes such names and sets no flag), else code page 437, the
  /// format's own (APPNOTE §D.1).
  package static func text(_ stored: [UInt8]) -> String {
    if let text = String(validating: stored, as: UTF8.self) { return text }
    if isGB2312(stored), let text = LegacyText.gbk(stored) { return text }
    return LegacyText.codePage437(stored)
  }

  /// Steps of a locator, one a path component. What would lead out of the archive or upset a terminal
  /// is percent-escaped, so that a locator can be shown and split anywhere.
  package static func steps(_ name: String) -> [String] {
    var steps: [String] = []
    for part in name.utf8.split(separator: 0x2F) where !part.elementsEqual(".".utf8) {
      steps.append(part.elementsEqual("..".utf8) ? "%2E%2E" : printable(part))
    }
    return steps.isEmpty ? ["%2F"] : steps
  }

  private static func printable(_ part: Substring.UTF8View) -> String {
    guard part.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return String(Substring(part)) }
    var shown: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in part {
      if byte < 0x20 || byte == 0x7F {
        shown += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        shown.append(byte)
      }
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// Whether extracting under this name may write outside of the folder it is extracted to: with `..`, a
  /// drive, or cut by a NUL. Absolute names are not counted: every tool strips the slash, and dumps of
  /// whole file systems are full of them.
  package static func leadsOutside(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    if bytes.contains(0) { return true }
    if bytes.count >= 2, bytes[1] == 0x3A, (bytes[0] | 0x20) >= 0x61, (bytes[0] | 0x20) <= 0x7A {
      return true
    }
    return bytes.split(whereSeparator: { $0 == 0x2F || $0 == 0x5C }).contains([0x2E, 0x2E])
  }

  private static func isGB2312(_ bytes: [UInt8]) -> Bool {
    var index = 0
    while index < bytes.count {
      if bytes[index] < 0x80 {
        index += 1
        continue
      }
      guard (0xA1...0xF7).contains(bytes[index]), index + 1 < bytes.count, bytes[index + 1] >= 0xA1,
        bytes[index + 1] != 0xFF
      else { return false }
      index += 2
    }
    return true
  }
}
