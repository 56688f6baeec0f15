import Findings
import Languages
import Reporting

/// A layout in two lines of a terminal: what the pages are, and how much is left over in them.
struct LayoutStrip {
  private let layout: StorageLayout
  private let columns: Int
  private let say: Phrasebook
  private static let heights = Array(" ▁▂▃▄▅▆▇█")

  init(_ layout: StorageLayout, width: Int, say: Phrasebook) {
    self.layout = layout
    self.say = say
    columns = min(width, max(1, layout.count))
  }

  func lines(_ style: TextStyle) -> [String] {
    guard layout.count > 0 else { return [] }
    var roles = ""
    var residue = ""
    var used: [String] = []
    for column in 0..<columns {
      let cell = cell(column)
      let mark = Self.mark(cell.role)
      roles += style.paint(style.isColored ? "█" : mark.letter, mark.color)
      residue += String(Self.height(cell.dead))
      if !used.contains(cell.role) { used.append(cell.role) }
    }
    let legend = used.map { role in
      let mark = Self.mark(role)
      return style.paint(style.isColored ? "█" : mark.letter, mark.color) + " "
        + say.inspection(role)
    }
    var lines = [roles]
    if residue.contains(where: { $0 != " " }) {
      lines.append(style.paint(residue, "33"))
    }
    lines += Self.rows(legend, names: used.map(say.inspection))
    if residue.contains(where: { $0 != " " }), layout.unit == .page {
      lines.append(
        style.dim(say.inspection("second line: the share of a page's bytes that is left over")))
    } else if residue.contains(where: { $0 != " " }) {
      lines.append(style.dim(say.inspection("second line: the share that is not current")))
    }
    return lines
  }

  /// The role of most pages of a column, and the share of their bytes that is left over.
  private func cell(_ column: Int) -> (role: String, dead: Double) {
    let lower = layout.count * column / columns
    let upper = max(lower + 1, layout.count * (column + 1) / columns)
    var best = ("", 0)
    var dead = 0.0
    for run in layout.runs where run.first - 1 < upper && run.first - 1 + run.count > lower {
      let common = min(upper, run.first - 1 + run.count) - max(lower, run.first - 1)
      if common > best.1 { best = (run.role, common) }
      dead += Double(run.deadBytes) * Double(common) / Double(run.count)
    }
    return (best.0, dead / Double((upper - lower) * max(1, layout.pageSize)))
  }

  /// Anything at all is shown.
  private static func height(_ share: Double) -> Character {
    guard share > 0 else { return heights[0] }
    return heights[min(8, max(1, Int((share * 8).rounded())))]
  }

  /// The legend in lines of at most 76 columns.
  private static func rows(_ entries: [String], names: [String]) -> [String] {
    var rows: [String] = []
    var width = 0
    for (entry, name) in zip(entries, names) {
      if rows.isEmpty || width + TextGrid.width(of: name) + 5 > 76 {
        rows.append(entry)
        width = TextGrid.width(of: name) + 2
      } else {
        rows[rows.count - 1] += "   " + entry
        width += TextGrid.width(of: name) + 5
      }
    }
    return rows
  }

  /// Letter and colour of a role or state.
  private static func mark(_ role: String) -> (letter: String, color: String) {
    switch role {
    case "table-leaf": ("T", "34")
    case "table-interior": ("t", "94")
    case "index-leaf": ("I", "36")
    case "index-interior": ("i", "96")
    case "overflow": ("O", "35")
    case "freelist-trunk": ("F", "33")
    case "freelist-leaf": ("f", "93")
    case "ptrmap": ("P", "90")
    case "lock": ("L", "90")
    case "orphan": ("?", "31")
    case "ciphertext": ("c", "32")
    case "plaintext": ("!", "31")
    case "zero": (".", "90")
    case "live": ("L", "32")
    case "superseded": ("s", "33")
    case "uncommitted": ("u", "35")
    case "stale": ("x", "31")
    case "torn", "damaged": ("!", "91")
    case "hot": ("H", "32")
    case "persisted", "unsynced": ("p", "31")
    default: ("·", "37")
    }
  }
}
