import Bytes
import Findings
import SQLiteFormat

/// What the values of one record have in common: where it lies, whose row it is, the texts in it.
struct RecordPlaces {
  private let base: Place
  private let columns: [String]
  private let texts: [(index: Int, text: String)]
  private let names: ModelNames?
  private let rowidName: String

  init(
    _ found: FoundRecord, in bytes: RawSpan, payload: Payload?, image: PageImage,
    database: Database
  ) {
    let carved = found.carved
    let entry = database.schema.entry(ofTree: carved.tree)
    columns = entry?.columns ?? []
    rowidName = entry?.definition?.rowidName ?? "rowid"
    var context = Context()
    context.page = Int(image.page)
    context.frame = image.frame
    context.role = found.region.roleName ?? image.role.name
    context.table = entry?.table
    context.rowid = carved.rowid
    if !found.isLive {
      context.confidence = carved.confidence
      if let copy = database.liveCopy(of: carved, in: bytes) {
        context.copyOf = "page/\(copy.page)/cell/\(copy.cell + 1)"
        context.rowid = carved.rowid ?? copy.rowid
      }
    }
    names = database.modelNames
    if let names, let table = entry?.table {
      let number = columns.firstIndex(of: "Z_ENT").flatMap { index -> Int64? in
        guard carved.record.values.indices.contains(index) else { return nil }
        let value = carved.record.values[index]
        return RecordValue(
          type: value.type, offset: carved.localRange(of: value).lowerBound, count: value.count
        ).integer(in: bytes)
      }
      context.entity = names.entity(ofTable: table, number: number)
    }
    base = Place(
      steps: image.steps + found.region.steps, liveness: image.liveness(ofLive: found.isLive),
      context: context, origin: .transformed)
    texts = Self.shortTexts(found, in: bytes, database: database)
  }

  func columnName(_ index: Int) -> String {
    index < columns.count ? columns[index] : "column-\(index + 1)"
  }

  /// The place of a value; without pieces its bytes show nowhere.
  func place(ofValue index: Int, pieces: [Piece]?) -> Place {
    var place = base
    place.context.column = index < columns.count ? columns[index] : nil
    if let names, let table = place.context.table, let column = place.context.column {
      place.context.attribute = names.attribute(ofTable: table, column: column)
    }
    place.context.neighbours = texts.lazy.filter { $0.index != index }.prefix(8).map(\.text)
    if let pieces { place.origin = .pieces(pieces) }
    return place
  }

  /// The place of the rowid, under the name of the column that stands for it.
  func place(ofRowid pieces: [Piece]?) -> Place {
    var place = place(ofValue: Int.max, pieces: pieces)
    place.context.column = rowidName
    return place
  }

  /// Texts of up to 64 characters that lie whole in the cell.
  private static func shortTexts(
    _ found: FoundRecord, in bytes: RawSpan, database: Database
  ) -> [(index: Int, text: String)] {
    let encoding = database.encoding
    let most = encoding == .utf8 ? 256 : 128
    var texts: [(index: Int, text: String)] = []
    for (index, value) in found.carved.record.values.enumerated() {
      guard value.type.kind == .text, value.count > 0, value.count <= most, texts.count < 9 else {
        continue
      }
      let range = found.carved.localRange(of: value)
      guard range.count == value.count else { continue }
      let local = RecordValue(type: value.type, offset: range.lowerBound, count: range.count)
      if let text = local.text(in: bytes, encoding: encoding), text.count <= 64 {
        texts.append((index, text))
      }
    }
    return texts
  }
}
