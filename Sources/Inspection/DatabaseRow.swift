import Bytes
import SQLiteFormat

/// One live row, its payload joined.
struct DatabaseRow {
  var rowid: Int64?
  var values: [RecordValue]
  private let payload: [UInt8]
  private let encoding: TextEncoding

  /// Longer payloads are read this far.
  static let mostPayload = 16 << 20

  init(_ carved: CarvedRecord, _ payload: Payload, encoding: TextEncoding) {
    rowid = carved.rowid
    values = carved.record.values
    self.payload = payload.bytes
    self.encoding = encoding
  }

  func bytes(of value: RecordValue) -> [UInt8] {
    payload.span.bytes.clamped(to: value.range).copied()
  }

  func text(_ index: Int) -> String? {
    index < values.count ? values[index].text(in: payload.span.bytes, encoding: encoding) : nil
  }

  func integer(_ index: Int) -> Int64? {
    index < values.count ? values[index].integer(in: payload.span.bytes) : nil
  }
}

extension Database {
  /// Gives the live rows of a tree in the order of its pages.
  func eachRow(ofTree tree: Int, limit: Int, _ body: (DatabaseRow) -> Void) {
    var left = limit
    for page in 1...max(1, map.pageCount)
    where map.tree(of: page) == tree && map.role(of: page).isTree && left > 0 {
      for found in liveRecords(of: page).prefix(left) {
        left -= 1
        let payload = payload(
          of: found.carved, page: page, limit: DatabaseRow.mostPayload, isLive: true)
        body(DatabaseRow(found.carved, payload, encoding: header.encoding))
      }
    }
  }

  /// The number of the tree of a live table.
  func tree(ofTable name: String) -> Int? {
    schema.entries.firstIndex { $0.kind == .table && $0.name == name && !$0.isDropped }.map {
      $0 + 1
    }
  }
}
