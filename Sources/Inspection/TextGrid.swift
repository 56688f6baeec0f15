import Languages
import Reporting

/// A table in a fixed number of columns: numbers at the right, long texts cut in the middle.
struct TextGrid {
  private let table: Inspection.Table
  private let rows: [[String]]
  private let labels: [String]
  private let say: Phrasebook
  private var widths: [Int]
  private static let gap = 2
  private static let least = 7

  init(_ table: Inspection.Table, _ values: ValueText, width: Int) {
    self.table = table
    rows = table.rows.prefix(table.shown).map { $0.map(values.text) }
    say = values.say
    labels = table.columns.map { [say] in say.inspection($0.label) }
    widths = labels.map(Self.width)
    for row in rows {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], Self.width(of: cell))
      }
    }
    // Columns in which nothing stands take no room.
    for index in widths.indices where rows.allSatisfy({ $0[index].isEmpty }) { widths[index] = 0 }
    shrink(to: width)
  }

  private mutating func shrink(to width: Int) {
    func total() -> Int {
      let used = widths.filter { $0 > 0 }
      return used.reduce(0, +) + Self.gap * max(0, used.count - 1)
    }
    while total() > width {
      let candidates = widths.indices.filter { !table.columns[$0].isNumber }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > Self.least
      else { return }
      widths[widest] -= 1
    }
  }

  func lines(_ style: TextStyle) -> [String] {
    var lines: [String] = []
    if labels.contains(where: { !$0.isEmpty }) { lines.append(style.dim(line(labels))) }
    lines += rows.map(line)
    let left = table.rows.count - rows.count + table.omitted
    if left > 0 {
      lines.append(style.dim(say.inspection("… and \(left) more; --json has more of them")))
    }
    return lines
  }

  private func line(_ cells: [String]) -> String {
    var parts: [String] = []
    for (index, cell) in cells.enumerated() where widths[index] > 0 {
      let text = Self.cut(cell, to: widths[index])
      let blanks = String(repeating: " ", count: widths[index] - Self.width(of: text))
      parts.append(table.columns[index].isNumber ? blanks + text : text + blanks)
    }
    var line = parts.joined(separator: String(repeating: " ", count: Self.gap))
    while line.last == " " { line.removeLast() }
    return line
  }

  /// Text of at most `width` columns, its middle left out where it is longer.
  static func cut(_ text: String, to width: Int) -> String {
    guard self.width(of: text) > width else { return text }
    guard width > 1 else { return "…" }
    let characters = Array(text)
    var front: [Character] = []
    var back: [Character] = []
    var left = width - 1
    var (start, end) = (0, characters.count - 1)
    while start <= end {
      let isFront = front.count <= back.count
      let next = characters[isFront ? start : end]
      let size = self.width(of: String(next))
      guard size <= left else { break }
      left -= size
      if isFront {
        front.append(next)
        start += 1
      } else {
        back.append(next)
        end -= 1
      }
    }
    return String(front) + "…" + String(back.reversed())
  }

  /// Columns of a terminal: Chinese, Japanese and Korean characters take two.
  static func width(of text: String) -> Int {
    text.reduce(0) { sum, character in
      let scalar = character.unicodeScalars.first?.value ?? 0
      let isWide =
        (0x1100...0x115f).contains(scalar) || (0x2e80...0xa4cf).contains(scalar)
        || (0xac00...0xd7a3).contains(scalar) || (0xf900...0xfaff).contains(scalar)
        || (0xfe30...0xfe6f).contains(scalar) || (0xff00...0xff60).contains(scalar)
        || (0x1f300...0x1faff).contains(scalar) || (0x20000...0x3fffd).contains(scalar)
      return sum + (isWide ? 2 : 1)
    }
  }

  /// A text in lines of at most `width` columns.
  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      var word = String(word)
      if let last = lines.last, self.width(of: last) + self.width(of: word) < width {
        lines[lines.count - 1] = last + " " + word
        continue
      }
      while self.width(of: word) > width {
        let head = String(word.prefix(width / 2 + 1))
        lines.append(head)
        word = String(word.dropFirst(head.count))
      }
      lines.append(word)
    }
    return lines.isEmpty ? [""] : lines
  }
}
