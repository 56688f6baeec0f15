import Findings
package import Languages
package import Reporting

/// An inspection for a terminal of 80 columns: facts, tables and a strip of pages.
package struct InspectionText {
  private let style: TextStyle
  private let values: ValueText
  private static let width = 80
  private static let labelWidth = 30

  private let say: Phrasebook

  package init(style: TextStyle, reveals: Bool, language: Phrasebook = .english) {
    self.style = style
    say = language
    values = ValueText(reveals: reveals, say: language)
  }

  package func write(_ inspection: Inspection, to output: inout some TextOutputStream) {
    output.write(style.bold(inspection.path) + "\n")
    output.write(
      "\(TextStyle.shown(inspection.kind)), \(say(ValueText.size(inspection.byteCount)))\n")
    if let hash = inspection.sha256 { output.write(style.dim("sha256 \(hash)") + "\n") }
    for section in inspection.sections where !section.isDetail && !section.isEmpty {
      write(section, to: &output)
    }
    guard !inspection.diagnostics.isEmpty else { return }
    output.write("\n" + style.bold(say.inspection("Could not be read")) + "\n")
    for diagnostic in inspection.diagnostics.prefix(40) {
      sentence(say(diagnostic.message), to: &output)
      if diagnostic.locator != inspection.path {
        output.write("    " + style.dim(TextGrid.cut(diagnostic.locator, to: 76)) + "\n")
      }
    }
    let left = inspection.diagnostics.count - 40
    if left > 0 { output.write("  " + say.inspection("… and \(left) more") + "\n") }
  }

  private func write(_ section: Inspection.Section, to output: inout some TextOutputStream) {
    output.write("\n" + style.bold(say.inspection(section.title)) + "\n")
    if let layout = section.layout {
      for line in LayoutStrip(layout, width: Self.width - 4, say: say).lines(style) {
        output.write("  \(line)\n")
      }
    }
    for fact in section.facts where fact.value != .missing {
      let text = say.inspection(fact.label)
      let blanks = max(1, Self.labelWidth - TextGrid.width(of: text))
      let label = text + String(repeating: " ", count: blanks)
      let lines = TextGrid.wrapped(
        values.text(fact.value), width: Self.width - Self.labelWidth - 2)
      output.write("  \(style.dim(label))\(lines.first ?? "")\n")
      for line in lines.dropFirst() {
        output.write(String(repeating: " ", count: Self.labelWidth + 2) + line + "\n")
      }
    }
    if let table = section.table, table.isProse {
      write(prose: table, to: &output)
    } else if let table = section.table, !table.rows.isEmpty {
      for line in TextGrid(table, values, width: Self.width - 2).lines(style) {
        output.write("  \(line)\n")
      }
    }
    for remark in section.remarks { sentence(say.inspection(remark), to: &output) }
  }

  private func write(prose table: Inspection.Table, to output: inout some TextOutputStream) {
    for row in table.rows.prefix(table.shown) {
      let head = row.dropLast().map(values.text).filter { !$0.isEmpty }.joined(separator: "  ")
      output.write("  " + TextGrid.cut(head, to: Self.width - 2) + "\n")
      let lines = lines(of: row.last.map(values.text) ?? "", width: Self.width - 4)
      for line in lines { output.write("    " + style.dim(line) + "\n") }
    }
    let left = table.rows.count - min(table.shown, table.rows.count) + table.omitted
    if left > 0 {
      output.write(
        "  " + style.dim(say.inspection("… and \(left) more; --json has more of them")) + "\n")
    }
  }

  /// Chinese may be broken behind each character, anything else between words, and where it must be.
  private func lines(of text: String, width: Int) -> [String] {
    guard say.language != .english else { return TextGrid.wrapped(text, width: width) }
    return TextLayout.lines(of: text, width: width).flatMap {
      TextGrid.wrapped($0, width: width)
    }
  }

  private func sentence(_ text: String, to output: inout some TextOutputStream) {
    for line in lines(of: TextStyle.shown(text), width: Self.width - 2) {
      output.write("  \(line)\n")
    }
  }
}

/// Values as a person reads them.
struct ValueText {
  let reveals: Bool
  /// The language of this program's own words.
  var say = Phrasebook.english

  func text(_ value: Inspection.Value) -> String {
    switch value {
    case .text(let text): TextStyle.shown(text)
    case .word(let word): TextStyle.shown(say.inspection(word))
    case .number(let number): String(number)
    case .size(let bytes): say(Self.size(bytes))
    case .real(let number): Self.decimal(number, places: 2)
    case .flag(let isTrue): say.inspection(isTrue ? "yes" : "no")
    case .content(let bytes): TextStyle.shown(content(bytes))
    case .list(let values): values.map(text).joined(separator: ", ")
    case .missing: ""
    }
  }

  /// Content of the file: masked, unless it is to be revealed.
  func content(_ bytes: [UInt8]) -> String {
    guard !bytes.isEmpty else { return "" }
    guard reveals else { return Masked.text(of: bytes) }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return "x'" + bytes.prefix(64).map(Self.hex).joined() + (bytes.count > 64 ? "…'" : "'")
  }

  static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// Bytes in the unit a person would use.
  static func size(_ bytes: Int) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1_024, unit < units.count - 1 {
      value /= 1_024
      unit += 1
    }
    return unit == 0
      ? "\(bytes)" + (bytes == 1 ? " byte" : " bytes")
      : "\(decimal(value, places: 1)) \(units[unit])"
  }

  static func decimal(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    let scale = places == 1 ? 10 : 100
    let rounded = Int((abs(value) * Double(scale)).rounded())
    let rest = String(rounded % scale)
    let zeros = String(repeating: "0", count: places - rest.count)
    return (value < 0 ? "-" : "") + "\(rounded / scale).\(zeros)\(rest)"
  }
}
