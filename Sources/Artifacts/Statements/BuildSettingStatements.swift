import Bytes
package import Findings
import Formats

/// Build settings that stand for keys of Info.plist: `INFOPLIST_KEY_NSCameraUsageDescription = "…";` in a
/// project of Xcode, and the same without quotes in an `.xcconfig`. Xcode writes the list from them, so a
/// project may have no Info.plist at all.
package struct BuildSettingStatements: StatementReader {
  package let subjects: [Fact.Subject] = [.property]

  private static let prefix = Array("INFOPLIST_KEY_".utf8)
  /// Further settings repeat what others say, or are no project's.
  private static let most = 4_096

  package init() {}

  package func mayState(name: String, head: RawSpan) -> Bool {
    let file = name.lastComponent
    return file.hasSuffix(".pbxproj") || file.hasSuffix(".xcconfig")
  }

  package func state(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard sink.wants(.property), let bytes = content(of: input) else { return }
    let text = bytes.span.bytes
    var offset = 0
    var line = 1
    // Every target and configuration has its own copy.
    var known: Set<[String]> = []
    while offset < bytes.count, known.count < Self.most, !sink.isExhausted {
      let end = text.firstOffset(of: 0x0A, in: offset..<bytes.count) ?? bytes.count
      if let setting = Self.setting(in: bytes[offset..<end]),
        known.insert([setting.key, setting.value]).inserted
      {
        state(setting, line, into: &sink)
      }
      offset = end + 1
      line += 1
    }
  }

  private struct Setting {
    var key: String
    var value: String
    var range: Range<Int>
  }

  private func state(_ setting: Setting, _ line: Int, into sink: inout some FragmentSink) {
    var context = Context()
    context.key = setting.key
    let piece = Piece(offset: 0, source: setting.range.lowerBound, count: setting.range.count)
    sink.state(
      Fact(
        .property, setting.key,
        values: [
          "value": [setting.value], "kind": ["string"], "count": ["1"], "from": ["Info.plist"],
          "setting": ["true"],
        ],
        at: Place(
          steps: ["key", setting.key], context: context, origin: .pieces([piece]), line: line)))
  }

  /// `INFOPLIST_KEY_Name[sdk=iphoneos*] = "text";`
  private static func setting(in line: ArraySlice<UInt8>) -> Setting? {
    guard let start = line.firstIndex(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x22 }),
      line[start...].starts(with: prefix)
    else { return nil }
    var rest = line[(start + prefix.count)...]
    let name = rest.prefix { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == 0x5F
    }
    rest = rest[name.endIndex...]
    // A condition has an equals sign of its own.
    while rest.first == 0x5B, let close = rest.firstIndex(of: 0x5D) { rest = rest[(close + 1)...] }
    guard !name.isEmpty, let equals = rest.firstIndex(of: 0x3D) else { return nil }
    return Setting(
      key: String(decoding: name, as: UTF8.self), value: value(rest[(equals + 1)...]),
      range: start..<line.endIndex)
  }

  private static func value(_ bytes: ArraySlice<UInt8>) -> String {
    var text = String(decoding: bytes, as: UTF8.self)[...]
    let isSpace = { (character: Character) in character.isWhitespace }
    text = text.drop(while: isSpace)
    while let last = text.last, isSpace(last) || last == ";" { text = text.dropLast() }
    if text.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    return String(text).replacing("\\\"", with: "\"")
  }
}
