/// Names of archive members as text: what they were stored in, and the steps of a locator they make.
package enum MemberName {
  /// The text of a stored name: UTF-8 where it is, else GBK where every high byte is part of a
  /// GB 2312 pair (Chinese Windows writes such names and sets no flag), else code page 437, the
  /// format's own (APPNOTE §D.1).
  package static func text(_ stored: [UInt8]) -> String {
    if let text = String(validating: stored, as: UTF8.self) { return bounded(text) }
    if isGB2312(stored), let text = LegacyText.gbk(stored) { return bounded(text) }
    return bounded(LegacyText.codePage437(stored))
  }

  /// The longest path that systems open. What is longer is seldom a name: a damaged length takes in what
  /// follows, which is to be searched and not to be repeated in every line that says where something lies.
  private static let longest = 4_096
  /// What of a name stands in a sentence.
  package static let longestShown = 240

  /// A name cut where it is too long for one, with a number that tells it from others that start alike.
  package static func bounded(_ name: String) -> String {
    guard name.utf8.count > longest else { return name }
    // FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
    let number = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return start(of: name, longest) + "…" + String(number, radix: 16)
  }

  /// The name for a sentence: its start and end where it is long, and nothing that upsets a terminal.
  package static func shown(_ name: String, atMost count: Int = longestShown) -> String {
    guard name.utf8.count > count else { return printable(name) }
    let end = name.unicodeScalars.suffix(count / 8)
    return printable(start(of: name, count / 2) + "…" + String(end))
  }

  private static func start(of name: String, _ count: Int) -> String {
    var end = name.utf8.index(name.startIndex, offsetBy: count)
    while end > name.startIndex, end.samePosition(in: name.unicodeScalars) == nil {
      end = name.utf8.index(before: end)
    }
    return String(name[..<end])
  }

  /// Steps of a locator, one a path component. What would lead out of the archive or upset a terminal
  /// is percent-escaped, so that a locator can be shown and split anywhere.
  package static func steps(_ name: String) -> [String] {
    var steps: [String] = []
    for part in name.utf8.split(separator: 0x2F) where !part.elementsEqual(".".utf8) {
      steps.append(part.elementsEqual("..".utf8) ? "%2E%2E" : printable(String(Substring(part))))
    }
    return steps.isEmpty ? ["%2F"] : steps
  }

  /// The text with every control character percent-escaped.
  package static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var shown = ""
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    for scalar in text.unicodeScalars {
      guard isControl(scalar) else {
        shown.unicodeScalars.append(scalar)
        continue
      }
      for byte in String(scalar).utf8 {
        shown.unicodeScalars.append("%")
        shown.unicodeScalars.append(digits[Int(byte >> 4)])
        shown.unicodeScalars.append(digits[Int(byte & 15)])
      }
    }
    return shown
  }

  /// Those of ASCII, and those of eight bits, with which terminals are driven too.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
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
