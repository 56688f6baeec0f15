import Bytes
import Findings
import SQLiteFormat

extension RowReader {
  /// Hands over the values of a sample that ANALYZE keeps: whole records of an index, copied into a blob
  /// (`sqlite_stat4`, SQLite file format, §2.6.4).
  func emitSample(
    _ blob: RawSpan, column: Int, of tree: Int, at place: Place, into sink: inout some FragmentSink
  ) {
    guard let entry = database.schema.entry(ofTree: tree), entry.table == "sqlite_stat4",
      entry.columns.indices.contains(column), entry.columns[column] == "sample",
      let record = Record(parsing: blob, payloadCount: blob.byteCount),
      record.byteCount == blob.byteCount
    else { return }
    for value in record.values where value.count >= 4 {
      var place = place
      if case .pieces(let pieces) = place.origin {
        place.origin = .pieces(pieces.cut(to: value.range))
      }
      emit(value, blob.clamped(to: value.range), lost: [], at: place, into: &sink)
    }
  }
}

extension [Piece] {
  /// The pieces of a part of what they make up.
  fileprivate func cut(to range: Range<Int>) -> [Piece] {
    compactMap { piece in
      let lower = Swift.max(piece.offset, range.lowerBound)
      let upper = Swift.min(piece.offset + piece.count, range.upperBound)
      guard lower < upper else { return nil }
      return Piece(
        offset: lower - range.lowerBound, source: piece.source + lower - piece.offset,
        count: upper - lower)
    }
  }
}
