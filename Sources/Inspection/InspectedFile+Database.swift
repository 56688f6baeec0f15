import Artifacts
import Bytes
import Findings
import SQLiteFormat

extension InspectedFile {
  /// Everything about a database file and what lies beside it.
  func databaseSections(_ sink: InspectionSink) -> [Inspection.Section] {
    let hasPlainHeader = sink.observations.contains { $0.kind == .plaintextHeader }
    if hasPlainHeader { return cipherSections(hasPlainHeader: true) }
    guard let inspection = try? DatabaseInspection(source) else { return [] }
    var sections = DatabaseSections(inspection).all
    sections += storeSections(inspection.database)
    sections += sealedSections(inspection.database)
    if let log = sibling("-wal"), log.byteCount > 0 {
      sections += logSections(of: log, main: source)
    }
    sections.append(sharedMemorySection(sibling("-shm"), log: sibling("-wal")))
    if let journal = sibling("-journal"), journal.byteCount > 0 {
      sections += journalSections(of: journal, main: source)
    }
    return sections
  }
}

/// The sections about a database's own pages.
struct DatabaseSections {
  let inspection: DatabaseInspection

  init(_ inspection: DatabaseInspection) {
    self.inspection = inspection
  }

  var all: [Inspection.Section] {
    [header, pages, pageDetails, freelist, pointerMap, schema, columns, residue]
  }

  private var map: PageMap { inspection.database.map }

  private var header: Inspection.Section {
    var section = Inspection.Section("header", "Header")
    let header = inspection.header
    section.add("pageSize", "bytes a page", .number(header.geometry.pageSize))
    section.add("reserved", "reserved bytes a page", .number(header.geometry.reserved))
    section.add("pages", "pages in the header", .number(Int(header.pageCount)))
    section.add("filePages", "pages in the file", .number(Int(inspection.database.map.pageCount)))
    if inspection.trailing > 0 {
      section.add("trailing", "bytes after the last page", .size(inspection.trailing))
    }
    section.add("encoding", "text encoding", .text(header.encoding.name))
    section.add("journal", "journal", .word(header.usesWriteAheadLog ? "WAL" : "rollback"))
    section.add("autoVacuum", "auto-vacuum", .word(header.vacuum))
    section.add("changeCounter", "change counter", .number(Int(header.changeCounter)))
    section.add("schemaCookie", "schema cookie", .number(Int(header.schemaCookie)))
    section.add("userVersion", "user version", .number(Int(header.userVersion)))
    if header.applicationID != 0 {
      section.add("applicationID", "application id", .number(Int(header.applicationID)))
    }
    section.add(
      "libraryVersion", "written by SQLite",
      header.libraryVersion > 0 ? .text(header.libraryName) : .word(header.libraryName))
    return section
  }

  /// Pages by what they are for.
  private var pages: Inspection.Section {
    var section = Inspection.Section("pages", "Pages")
    var table = Inspection.Table(
      .init("role", "role"), .init("pages", "pages", isNumber: true),
      .init("live", "live", isNumber: true), .init("dead", "left over", isNumber: true),
      .init("entropy", "bits a byte", isNumber: true))
    var names: [String] = []
    for role in PageRole.allCases where !names.contains(role.label) { names.append(role.label) }
    for name in names {
      let all = inspection.pages.filter { $0.role.label == name }
      guard !all.isEmpty else { continue }
      table.rows.append([
        .word(name), .number(all.count), .size(all.reduce(0) { $0 + $1.liveBytes }),
        .size(all.reduce(0) { $0 + $1.deadBytes }),
        .real(all.reduce(0) { $0 + $1.entropy } / Double(all.count)),
      ])
    }
    section.table = table
    section.layout = inspection.layout
    if inspection.isCutOff {
      section.remarks.append("pages after \(DatabaseInspection.mostPages) were not measured")
    }
    for fault in inspection.faults.prefix(8) { section.remarks.append(fault.message) }
    return section
  }

  /// The layout in rows: what the strip shows.
  private var pageDetails: Inspection.Section {
    var section = Inspection.Section("pageMap", "Page map")
    var table = Inspection.Table(
      .init("first", "page", isNumber: true), .init("count", "pages", isNumber: true),
      .init("role", "role"), .init("owner", "table or index"),
      .init("live", "live", isNumber: true), .init("dead", "left over", isNumber: true),
      .init("entropy", "bits a byte", isNumber: true))
    for run in inspection.layout.runs {
      table.rows.append([
        .number(run.first), .number(run.count), .word(run.role + (run.isMixed ? " …" : "")),
        .init(run.owner), .size(run.liveBytes), .size(run.deadBytes), .real(run.entropy),
      ])
    }
    section.table = table
    return section
  }

  private var freelist: Inspection.Section {
    var section = Inspection.Section("freelist", "Freelist")
    let trunks = inspection.count(of: .freelistTrunk)
    let leaves = inspection.count(of: .freelistLeaf)
    section.add("head", "first trunk page", .number(Int(inspection.header.freelistHead)))
    section.add("stated", "pages in the header", .number(Int(inspection.header.freelistCount)))
    section.add("trunks", "trunk pages", .number(trunks))
    section.add("leaves", "leaf pages", .number(leaves))
    let filled = inspection.pages.filter {
      ($0.role == .freelistLeaf || $0.role == .freelistTrunk) && $0.deadBytes > 0
    }
    section.add("filled", "pages with something left", .number(filled.count))
    return section
  }

  /// What auto-vacuum knows of every page, compared with what the trees say.
  private var pointerMap: Inspection.Section {
    var section = Inspection.Section("pointerMap", "Pointer map")
    guard inspection.header.isAutoVacuum else { return section }
    var kinds = [0, 0, 0, 0, 0, 0]
    var disagreements: [UInt32] = []
    let geometry = inspection.database.geometry
    for page in inspection.pages
    where page.number > 2 && page.role != .pointerMap && page.role != .lock {
      let number = geometry.pointerMapPage(for: page.number)
      let entry = inspection.database.pages.withPage(number) {
        PointerMapEntry(parsing: $0, for: page.number, geometry: geometry)
      }
      guard let entry = entry ?? nil else {
        disagreements.append(page.number)
        continue
      }
      kinds[Int(entry.kind.rawValue)] += 1
      if !entry.kind.fits(page.role) { disagreements.append(page.number) }
    }
    section.add("maps", "pointer-map pages", .number(inspection.count(of: .pointerMap)))
    section.add("roots", "root pages", .number(kinds[1]))
    section.add("free", "free pages", .number(kinds[2]))
    section.add("overflow", "overflow pages", .number(kinds[3] + kinds[4]))
    section.add("btree", "other b-tree pages", .number(kinds[5]))
    section.add("disagreements", "entries that do not fit", .number(disagreements.count))
    if let first = disagreements.first {
      section.remarks.append("the first entry that does not fit its page is that of page \(first)")
    }
    return section
  }

  private var schema: Inspection.Section {
    var section = Inspection.Section("schema", "Schema")
    var table = Inspection.Table(
      .init("name", "name"), .init("kind", "kind"), .init("root", "root", isNumber: true),
      .init("rows", "rows", isNumber: true), .init("pages", "pages", isNumber: true),
      .init("live", "live", isNumber: true), .init("dead", "left over", isNumber: true))
    var byTree: [Int: [DatabaseInspection.Page]] = [:]
    for page in inspection.pages where page.tree > 0 { byTree[page.tree, default: []].append(page) }
    for (index, entry) in inspection.database.schema.entries.enumerated() {
      let pages = byTree[index + 1] ?? []
      let kind = entry.definition?.module ?? (entry.kind == .index ? "index" : "table")
      guard entry.kind != .other else { continue }
      table.rows.append([
        .text(entry.name), .word(entry.isDropped ? "dropped \(kind)" : kind),
        .number(Int(entry.root)), .number(inspection.rowCounts[index + 1] ?? 0),
        .number(pages.count), .size(pages.reduce(0) { $0 + $1.liveBytes }),
        .size(pages.reduce(0) { $0 + $1.deadBytes }),
      ])
    }
    table.shown = 40
    section.table = table
    return section
  }

  private var columns: Inspection.Section {
    var section = Inspection.Section("columns", "Columns")
    var table = Inspection.Table(.init("table", "table"), .init("columns", "columns"))
    for entry in inspection.database.schema.entries where !entry.columns.isEmpty {
      table.rows.append([.text(entry.name), .list(entry.columns.map { .text($0) })])
    }
    section.table = table
    section.isDetail = true
    return section
  }

  /// Where something could still lie, by the kind of place.
  private var residue: Inspection.Section {
    var section = Inspection.Section("residue", "Where something could still lie")
    var table = Inspection.Table(
      .init("place", "place"), .init("places", "places", isNumber: true),
      .init("room", "room", isNumber: true), .init("dead", "not zero", isNumber: true))
    func row(_ name: String, _ places: Int, room: Int, dead: Int) {
      guard places > 0 else { return }
      table.rows.append([.word(name), .number(places), .size(room), .size(dead)])
    }
    let trees = inspection.pages.filter { $0.role.isTree }
    let size = inspection.header.geometry.pageSize
    row(
      "gaps and freeblocks of pages in use", trees.count { $0.gapBytes > 0 || $0.freeblocks > 0 },
      room: trees.reduce(0) { $0 + max(0, size - $1.liveBytes) },
      dead: trees.reduce(0) { $0 + $1.deadBytes })
    for (name, roles) in [
      ("freelist pages", [PageRole.freelistTrunk, .freelistLeaf]),
      ("pages that nothing points to", [.orphan]), ("pages past the stated end", [.beyondEnd]),
      ("the lock page", [.lock]),
    ] {
      let pages = inspection.pages.filter { roles.contains($0.role) }
      row(
        name, pages.count, room: pages.count * size, dead: pages.reduce(0) { $0 + $1.deadBytes })
    }
    row(
      "after the last page", inspection.trailing > 0 ? 1 : 0, room: inspection.trailing,
      dead: inspection.trailing)
    section.table = table
    let dead = inspection.pages.reduce(0) { $0 + $1.deadBytes }
    section.remarks = [
      dead == 0
        ? "nothing is left: what was deleted was overwritten (secure_delete), or nothing was"
        : "what is left there was not overwritten: secure_delete was off, or pages were rebuilt"
    ]
    return section
  }
}

extension DatabaseInspection {
  /// The pages in the order of the file, in runs.
  var layout: StorageLayout {
    var layout = StorageLayout(.page, pageSize: header.geometry.pageSize)
    for page in pages {
      var run = StorageLayout.Run(
        first: Int(page.number), role: page.role.name, liveness: page.role.liveness,
        owner: database.schema.entry(ofTree: page.tree)?.name)
      run.liveBytes = page.liveBytes
      run.deadBytes = page.deadBytes
      run.entropy = page.entropy
      layout.append(run)
    }
    return layout
  }
}

extension PageRole {
  /// The name in tables; apart from orphans, pages past the end have their own.
  var label: String { self == .beyondEnd ? "beyond-end" : name }
}

extension PointerMapEntry.Kind {
  /// Whether a page of this role may have such an entry.
  func fits(_ role: PageRole) -> Bool {
    switch self {
    case .root, .btree: role.isTree
    case .free: role == .freelistTrunk || role == .freelistLeaf
    case .firstOverflow, .laterOverflow: role == .overflow
    }
  }
}

extension TextEncoding {
  /// The name as PRAGMA encoding gives it.
  var name: String {
    switch self {
    case .utf8: "UTF-8"
    case .utf16LittleEndian: "UTF-16le"
    case .utf16BigEndian: "UTF-16be"
    }
  }
}

extension DatabaseHeader {
  var vacuum: String {
    guard isAutoVacuum else { return "none" }
    return incrementalVacuum != 0 ? "incremental" : "full"
  }

  /// 3045001 is 3.45.1.
  var libraryName: String {
    let number = Int(libraryVersion)
    guard number > 0 else { return "unknown" }
    return "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
  }
}
