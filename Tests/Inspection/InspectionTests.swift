import Bytes
import Findings
import FixtureKit
import Inspection
import Reporting
import SQLiteFormat
import Testing

/// An inspection of files held in memory.
struct Inspected {
  var inspection: Inspection
  var file: InspectedFile

  init(
    _ name: String, of files: [String: [UInt8]], keys: [DatabaseKey] = [],
    unseal: (([UInt8]) -> InspectedFile.SealedVerdict)? = nil
  ) throws {
    file = InspectedFile(
      path: "evidence/" + name, name: name, source: MemorySource(try #require(files[name])),
      clock: { 0 }
    ) { sibling in
      let path = sibling.hasPrefix("-") ? name + sibling : sibling
      return files[path].map(MemorySource.init)
    }
    file.keys = keys
    file.unseal = unseal
    inspection = try file.inspect()
  }

  func text(reveals: Bool = false, style: TextStyle = .plain) -> String {
    var text = ""
    InspectionText(style: style, reveals: reveals).write(inspection, to: &text)
    return text
  }

  func json(reveals: Bool = false) -> String {
    var text = ""
    InspectionJSON(reveals: reveals).write(inspection, to: &text)
    return text
  }

  func number(_ section: String, _ key: String) -> Int? {
    guard case .number(let number) = inspection.section(section)?[key] else { return nil }
    return number
  }

  /// The cell of a table: the row whose first cell is `row`, the column by its key.
  func cell(_ section: String, _ row: String, _ column: String) -> Inspection.Value? {
    guard let table = inspection.section(section)?.table,
      let index = table.columns.firstIndex(where: { $0.key == column })
    else { return nil }
    return table.rows.first { $0[0] == .text(row) }?[index]
  }
}
