import Artifacts
import Bytes
import Findings
import Foundation
import SQLiteFormat
import Testing

/// One row of an answer key of the SQLite Forensic Corpus.
struct KeyRow: Hashable {
  var table: String
  var values: [String]
  var isDeleted: Bool
}

/// An answer key: the rows that were in a database and which of them were deleted.
struct AnswerKey: Sendable, CustomTestStringConvertible {
  var path: String

  var testDescription: String { path }

  static let all: [AnswerKey] = Corpus.files(in: "nemetz").filter { $0.hasSuffix(".db") }
    .filter { !$0.contains("antifor") }.map(AnswerKey.init)

  /// The keys are plain enough to be read line by line.
  var rows: [KeyRow] {
    guard let data = Corpus.bytes(path.replacing(".db", with: ".xml")) else { return [] }
    let text = String(decoding: data, as: UTF8.self)
    var rows: [KeyRow] = []
    for element in text.components(separatedBy: "<element>").dropFirst() {
      let table = Self.content("name", in: element) ?? ""
      let isDropped = element.contains("<deleted>True")
      for row in element.components(separatedBy: "<row").dropFirst() {
        guard row.hasPrefix(">") || row.hasPrefix(" ") else { continue }
        let body = row.components(separatedBy: "</row>")[0]
        let values = body.components(separatedBy: "<column>").dropFirst().map {
          Self.unescaped(Self.content("content", in: $0) ?? "")
        }
        let isDeleted = isDropped || row.hasPrefix(" deleted=\"1\"")
        rows.append(KeyRow(table: table, values: Array(values), isDeleted: isDeleted))
      }
    }
    return rows
  }

  private static func content(_ tag: String, in text: String) -> String? {
    guard let start = text.range(of: "<\(tag)>") else { return nil }
    guard let end = text.range(of: "</\(tag)>", range: start.upperBound..<text.endIndex) else {
      return nil
    }
    return String(text[start.upperBound..<end.lowerBound])
  }

  private static func unescaped(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&apos;", with: "'").replacing("&amp;", with: "&")
  }
}

/// What was carved from one database, beside its answer key.
struct CarvingScore {
  var deletedRows = 0
  var recoveredRows = 0
  var deletedValues = 0
  var recoveredValues = 0
  var carved = 0
  var carvedDeleted = 0
  var copies = 0
  /// Carved rows that are rows of the key that were never deleted, and not known as copies.
  var liveAsDeleted = 0
  var unknown = 0

  static func + (one: CarvingScore, other: CarvingScore) -> CarvingScore {
    CarvingScore(
      deletedRows: one.deletedRows + other.deletedRows,
      recoveredRows: one.recoveredRows + other.recoveredRows,
      deletedValues: one.deletedValues + other.deletedValues,
      recoveredValues: one.recoveredValues + other.recoveredValues,
      carved: one.carved + other.carved, carvedDeleted: one.carvedDeleted + other.carvedDeleted,
      copies: one.copies + other.copies, liveAsDeleted: one.liveAsDeleted + other.liveAsDeleted,
      unknown: one.unknown + other.unknown)
  }

  init(
    deletedRows: Int = 0, recoveredRows: Int = 0, deletedValues: Int = 0, recoveredValues: Int = 0,
    carved: Int = 0, carvedDeleted: Int = 0, copies: Int = 0, liveAsDeleted: Int = 0,
    unknown: Int = 0
  ) {
    self.deletedRows = deletedRows
    self.recoveredRows = recoveredRows
    self.deletedValues = deletedValues
    self.recoveredValues = recoveredValues
    self.carved = carved
    self.carvedDeleted = carvedDeleted
    self.copies = copies
    self.liveAsDeleted = liveAsDeleted
    self.unknown = unknown
  }

  init(_ key: AnswerKey, isVerbose: Bool = false) throws {
    let bytes = Corpus.bytes(key.path) ?? []
    let header = try DatabaseHeader(parsing: bytes.span.bytes)
    let database = Database(
      DatabaseFile(source: MemorySource(bytes), geometry: header.geometry), header: header)
    database.claimChains()
    let rows = key.rows
    var found: Set<KeyRow> = []
    var foundValues: Set<String> = []
    for page in 1...max(1, database.map.pageCount) {
      let role = database.map.role(of: page)
      let tree = database.map.tree(of: page)
      guard tree != 1 else { continue }
      database.pages.withPage(page) { span in
        for record in database.records(in: span, page: page, role: role, tree: tree)
        where !record.isLive && record.carved.confidence >= 0.15 {
          judge(record, in: span, database, rows, isVerbose, &found, &foundValues)
        }
      }
    }
    let live = Set(rows.lazy.filter { !$0.isDeleted }.flatMap(\.values))
    var values: Set<String> = []
    for row in rows where row.isDeleted {
      for value in row.values where value.utf8.count >= 3 && !live.contains(value) {
        guard Int(value) == nil, Double(value) == nil, value != "NULL" else { continue }
        let forms = [
          Array(value.utf8), value.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] },
          value.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] },
        ]
        if forms.contains(where: { !Reading.offsets(of: $0, in: bytes).isEmpty }) {
          values.insert(value)
        }
      }
    }
    deletedRows = rows.count { $0.isDeleted }
    recoveredRows = found.count { $0.isDeleted }
    deletedValues = values.count
    recoveredValues = values.intersection(foundValues).count
    if isVerbose, recoveredValues < deletedValues {
      print(key.path, "lost", values.subtracting(foundValues))
    }
  }

  private mutating func judge(
    _ record: FoundRecord, in span: RawSpan, _ database: Database, _ rows: [KeyRow],
    _ isVerbose: Bool, _ found: inout Set<KeyRow>, _ foundValues: inout Set<String>
  ) {
    let carvedRecord = record.carved
    let payload = database.payload(
      of: carvedRecord, in: span, page: 0, limit: 1 << 20, isLive: false, pages: database.pages)
    let all = payload.bytes.span.bytes
    let texts = carvedRecord.record.values.map { value -> String? in
      guard value.offset + value.count <= payload.bytes.count else { return nil }
      if let number = value.integer(in: all) { return String(number) }
      if let real = value.real(in: all) { return String(real) }
      return value.text(in: all, encoding: database.header.encoding)
    }
    carved += 1
    for text in texts { if let text { foundValues.insert(text) } }
    if database.liveCopy(of: carvedRecord, in: span) != nil {
      copies += 1
      return
    }
    let matching = rows.filter { row in
      row.values.count == texts.count
        && zip(row.values, texts).allSatisfy { wanted, text in
          guard let text else { return true }
          return wanted == text || Double(wanted) != nil && Double(wanted) == Double(text)
        }
        && texts.contains { $0 != nil }
    }
    if let deleted = matching.first(where: \.isDeleted) {
      carvedDeleted += 1
      found.insert(deleted)
    } else if !matching.isEmpty {
      liveAsDeleted += 1
    } else {
      unknown += 1
      if isVerbose {
        print(
          "   unknown", record.region, carvedRecord.range, carvedRecord.confidence,
          texts.map { $0 ?? "nil" })
      }
    }
  }
}

@Suite(.serialized, .enabled(if: Corpus.isPresent, "the shared corpus is not here"))
struct `Deleted rows of the forensic corpus` {
  @Test func `are recovered as the answer keys have them`() throws {
    var total = CarvingScore()
    for key in AnswerKey.all {
      let score = try CarvingScore(key)
      total = total + score
    }
    print(
      "nemetz: rows \(total.recoveredRows) of \(total.deletedRows), values in the file "
        + "\(total.recoveredValues) of \(total.deletedValues); carved \(total.carved): deleted "
        + "\(total.carvedDeleted), copies \(total.copies), live \(total.liveAsDeleted), "
        + "unknown \(total.unknown)")
    // Rows that were written over are in the keys too; the rest must be found, and no live row.
    #expect(total.recoveredRows >= 120)
    #expect(total.recoveredValues >= 187)
    #expect(total.liveAsDeleted == 0)
  }
}
