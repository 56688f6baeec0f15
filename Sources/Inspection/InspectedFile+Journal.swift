import Artifacts
import Bytes
import Findings
import SQLiteFormat

extension InspectedFile {
  /// A rollback journal: whether it is hot, and which pages it holds.
  func journalSections(
    of file: any ByteSource, main: (any ByteSource)?
  ) -> [Inspection.Section] {
    let head = (try? main?.bytes(at: 0, count: DatabaseHeader.byteCount)) ?? []
    let stated = (try? DatabaseHeader(parsing: head.span.bytes))?.geometry.pageSize
    var section = Inspection.Section("journal", "Rollback journal")
    section.add("bytes", "size", .size(file.byteCount))
    guard
      let journal = RollbackJournal(parsing: file, pageSize: stated, mayBeEncrypted: true)
    else {
      section.remarks.append("it does not read as a journal")
      return [section]
    }
    section.add("state", "state", .word(journal.state.rawValue))
    section.add("header", "header", .word(journal.header == nil ? "zeroed" : "whole"))
    section.add("pageSize", "bytes a page", .number(journal.pageSize))
    section.add("records", "records", .number(journal.records.count))
    let pages = Set(journal.records.map(\.page)).count
    section.add("pages", "pages", .number(pages))
    if let header = journal.header {
      section.add("before", "pages before the transaction", .number(Int(header.pageCount)))
      section.add(
        "sound", "records whose checksum fits",
        .number(
          journal.records.count { $0.isSound == true }
        ))
    }
    if journal.trailing > 0 {
      section.add("trailing", "bytes that belong to no record", .size(journal.trailing))
    }
    section.add("superJournal", "super-journal", .init(journal.superJournal))
    section.remarks = [journal.state.meaning]
    if !journal.records.isEmpty { section.layout = StorageLayout(of: journal) }
    var details = Inspection.Section("journalRecords", "Records")
    var table = Inspection.Table(
      .init("record", "record", isNumber: true), .init("page", "page", isNumber: true),
      .init("offset", "offset", isNumber: true), .init("isSound", "checksum fits"))
    for (number, record) in journal.records.prefix(100_000).enumerated() {
      table.rows.append([
        .number(number + 1), .number(Int(record.page)), .number(record.offset),
        record.isSound.map { .flag($0) } ?? .missing,
      ])
    }
    table.omitted = max(0, journal.records.count - 100_000)
    details.table = table
    details.isDetail = true
    return [section, details, cipherRecords(file, journal, main: main)]
  }
}

extension RollbackJournal.State {
  /// One line for a person.
  var meaning: String {
    switch self {
    case .hot: "the next program to open the database rolls it back to these pages"
    case .unsynced: "its header counts no records: the crash came before the database was changed"
    case .persisted: "done with, its header zeroed; the pages as they were before are still here"
    case .empty: "nothing is in it"
    }
  }
}
