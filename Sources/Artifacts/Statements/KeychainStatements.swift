import Bytes
package import Findings
import Formats

/// Dumps of a keychain by common tools: objection's JSON and the text of keychain-dumper. It reads beside
/// whatever else reads the text, and only states what items there are.
package struct KeychainStatements: StatementReader {
  package let subjects: [Fact.Subject] = [.keychainItem]

  private static let largest = 32 << 20

  package init() {}

  package func mayState(name: String, head: RawSpan) -> Bool {
    let window = 0..<min(head.byteCount, 4096)
    if head.firstOffset(of: "\"accessible_attribute\"", in: window) != nil { return true }
    return head.firstOffset(of: "Entitlement Group:", in: window) != nil
      && head.firstOffset(of: "Accessible Attribute:", in: window) != nil
  }

  package func state(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard input.source.byteCount <= Self.largest else {
      sink.missing([.keychainItem], because: "the dump is larger than 32 MiB")
      return
    }
    guard let bytes = try? input.source.bytes(at: 0, count: input.source.byteCount) else { return }
    let text = bytes.span.bytes
    let lines = LineTable(of: text)
    if text.firstOffset(of: "\"accessible_attribute\"", in: 0..<text.byteCount) != nil {
      readJSON(text, lines, into: &sink)
    } else {
      readText(text, lines, into: &sink)
    }
  }

  private func place(_ range: Range<Int>, _ lines: LineTable) -> Place {
    Place(
      steps: [], origin: .pieces([Piece(offset: 0, source: range.lowerBound, count: range.count)]),
      line: lines.line(of: range.lowerBound))
  }

  // MARK: objection

  private func readJSON(_ text: RawSpan, _ lines: LineTable, into sink: inout some FragmentSink) {
    var walk = JSONWalk(text)
    var item: [String: String] = [:]
    var start = -1
    var end = 0
    var key = ""
    func flush(_ sink: inout some FragmentSink) {
      guard start >= 0, item["accessible_attribute"] != nil || item["service"] != nil else {
        return
      }
      sink.state(Self.item(item).fact(at: place(start..<max(start, end), lines)))
    }
    while let value = walk.next() {
      if let object = walk.objectStart, object != start {
        flush(&sink)
        (item, start) = ([:], object)
      }
      if sink.isExhausted { return }
      let stored = text.clamped(to: value.token.range)
      if value.isKey {
        key = stored.repairedText()
      } else if item.count < 64, stored.byteCount <= 4096 {
        item[key] = BackslashEscapes.decode(stored)?.text ?? stored.repairedText()
      }
      end = value.token.end
    }
    flush(&sink)
  }

  private static func item(_ values: [String: String]) -> KeychainItem {
    func text(_ key: String) -> String? {
      guard let value = values[key], !["", "null", "None", "(null)"].contains(value) else {
        return nil
      }
      return value
    }
    var item = KeychainItem(source: "dump")
    item.itemClass = itemClass(text("item_class") ?? text("class") ?? "")
    item.service = text("service") ?? text("server")
    item.account = text("account")
    item.label = text("label")
    item.group = text("entitlement_group")
    item.accessible = text("accessible_attribute").flatMap { value in
      KeychainItem.accessible(String(value.prefix { $0 != "," && $0 != " " }))
    }
    item.hasAccessControl = text("access_control") != nil
    item.isSynced = text("synchronizable").map { $0 == "1" || $0 == "true" }
    item.token = text("token_id") ?? text("tkid")
    return item
  }

  private static func itemClass(_ word: String) -> String {
    let word = word.lowercased()
    if word.contains("genericpassword") || word.contains("generic password") || word == "genp" {
      return "generic-password"
    }
    if word.contains("internet") || word == "inet" { return "internet-password" }
    if word.contains("cert") { return "certificate" }
    return word.contains("key") ? "key" : word
  }

  // MARK: keychain-dumper

  private static let names = [
    "Service": "service", "Server": "server", "Account": "account", "Label": "label",
    "Entitlement Group": "entitlement_group", "Accessible Attribute": "accessible_attribute",
    "Synchronizable": "synchronizable",
  ]

  private func readText(_ text: RawSpan, _ lines: LineTable, into sink: inout some FragmentSink) {
    var item: [String: String] = [:]
    var heading = ""
    var start = 0
    var offset = 0
    func flush(_ end: Int, _ sink: inout some FragmentSink) {
      guard item["accessible_attribute"] != nil else { return }
      item["item_class"] = heading
      sink.state(Self.item(item).fact(at: place(start..<end, lines)))
      item = [:]
    }
    var previous = ""
    while offset < text.byteCount {
      let end = text.firstOffset(of: 0x0a, from: offset) ?? text.byteCount
      let line = text.clamped(to: offset..<min(end, offset + 4096)).repairedText()
      if line.hasPrefix("----") {
        flush(offset, &sink)
        (heading, start) = (previous, offset)
      } else if let colon = line.firstIndex(of: ":"), let name = Self.names[String(line[..<colon])]
      {
        // A second service starts the next item where there is no heading.
        if name == "service", item["service"] != nil { flush(offset, &sink) }
        if item.isEmpty { start = offset }
        item[name] = String(line[line.index(after: colon)...].drop { $0 == " " })
      }
      previous = line
      offset = end + 1
      if sink.isExhausted { return }
    }
    flush(text.byteCount, &sink)
  }
}
