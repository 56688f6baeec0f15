import Bytes
import Findings
import SQLiteFormat

/// One pass over the pages of a database file, in the order in which they lie.
final class DatabaseScan {
  let database: Database
  private let input: ReaderInput
  private let prefix: [String]
  private let showsBytes: Bool
  private var rows: RowReader
  /// What Core Data says of the database, where it keeps it.
  private let store: CoreDataStore?
  /// Pages whose current content is in the write-ahead log.
  var superseded: Set<UInt32> = []
  /// Pages that a hot journal rolls back: what lies here was never committed.
  var uncommitted: Set<UInt32> = []
  /// The first place that holds deleted content.
  private var residue: Place?
  private(set) var freeblockCount = 0
  private(set) var gapBytes = 0
  private(set) var residueRecords = 0
  /// Pages that nothing points to and that hold nothing but dense bytes.
  private(set) var densePages = 0
  private var interesting: [Int] = []

  init(_ database: Database, input: ReaderInput, prefix: [String] = [], showsBytes: Bool = true) {
    self.database = database
    self.input = input
    self.prefix = prefix
    self.showsBytes = showsBytes
    rows = RowReader(database: database, pages: database.pages, touched: input.touched)
    rows.sibling = input.sibling
    store = CoreDataStore.name(database)
    rows.name = input.name
  }

  /// Chains of deleted records, as far as they were read.
  var freedChains: FreedChains { rows.freedChains }

  /// The image of a page in this file.
  func image(of page: UInt32) -> PageImage {
    let source = database.pages.store.sourceOffset(of: page)
    var image = PageImage(page: page, of: database, prefix: prefix, source: source)
    if superseded.contains(page) { image.liveness = .superseded }
    if uncommitted.contains(page) { image.liveness = .uncommitted }
    return image
  }

  func run(into sink: inout some FragmentSink) {
    let geometry = database.geometry
    let step = UInt32(max(1, (1 << 20) / geometry.pageSize))
    var buffer = [UInt8](repeating: 0, count: Int(step) * geometry.pageSize)
    var first: UInt32 = 1
    let count = database.map.pageCount
    while first <= count, !sink.isExhausted {
      let filled = buffer.withUnsafeMutableBytes {
        database.pages.store.read(from: first, into: $0)
      }
      let pages = UInt32(filled / geometry.pageSize)
      guard pages > 0 else { break }
      let bytes = buffer.span.bytes
      for index in 0..<min(pages, count - first + 1) {
        let offset = Int(index) * geometry.pageSize
        let page = first + index
        // What nothing has claimed yet may still turn out to be a part of a chain.
        guard database.map.role(of: page) != .orphan else { continue }
        read(page, bytes.clamped(to: offset..<offset + geometry.pageSize), into: &sink)
      }
      first += pages
    }
    for page in 1...max(1, count) where database.map.role(of: page) == .orphan {
      if sink.isExhausted { break }
      _ = database.pages.withPage(page) { read(page, $0, into: &sink) }
    }
    if sink.isExhausted {
      sink.diagnostic(
        .limitTime, "the pages of the database were not read to the end",
        remedy: "raise --max-time", steps: prefix)
    }
    reportFaults(into: &sink)
    observe(into: &sink)
    // What is declared inside of ciphertext is nobody's to see.
    if showsBytes { SchemaFacts(database: database, store: store).state(into: &sink) }
    StoreFacts(database: database, prefix: prefix).state(into: &sink)
  }

  private func observe(into sink: inout some FragmentSink) {
    if showsBytes { sink.observe(Observation(.plaintext, "the database is not encrypted")) }
    if let residue {
      sink.observe(
        Observation(
          .residue,
          "deleted content is left in the database: secure_delete was off, or did not reach it",
          at: residue))
    }
    if densePages > 0, showsBytes {
      sink.observe(
        Observation(.encryptedPage, "\(densePages) pages that nothing points to look encrypted"))
    }
  }

  private func read(_ page: UInt32, _ bytes: RawSpan, into sink: inout some FragmentSink) {
    let role = database.map.role(of: page)
    switch role {
    case .pointerMap, .lock, .overflow: return
    case .orphan, .beyondEnd, .freelistTrunk, .freelistLeaf:
      readFreed(page, bytes, into: &sink)
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior:
      readTreePage(page, role, bytes, into: &sink)
    }
  }

  private func readFreed(_ page: UInt32, _ bytes: RawSpan, into sink: inout some FragmentSink) {
    guard database.hasResidue(bytes, in: 0..<bytes.byteCount) else { return }
    let image = image(of: page)
    let header = BTreePage(parsing: bytes, headerOffset: database.geometry.headerOffset(of: page))
    if header?.isPlausible(geometry: database.geometry) != true,
      CipherStatistics.verdict(of: bytes) == .encrypted
    {
      if image.role == .orphan { densePages += 1 }
      return
    }
    noteFreed(image, bytes)
    let isTouched = isTouched(page, bytes.byteCount)
    if !isTouched, image.role != .freelistTrunk {
      // Only what raw bytes cannot show: chains, and values that may be files.
      if let header, header.isPlausible(geometry: database.geometry) {
        readUntouchedFreed(image, header, bytes, into: &sink)
      }
      return
    }
    for found in database.records(in: bytes, page: page, role: image.role, tree: image.tree) {
      residueRecords += 1
      rows.emit(found, in: bytes, image: image, into: &sink)
    }
  }

  /// A page that was freed shows residue behind the links that a trunk of the freelist needs.
  private func noteFreed(_ image: PageImage, _ bytes: RawSpan) {
    guard residue == nil else { return }
    var start = 0
    if image.role == .freelistTrunk {
      start = min(8 + 4 * Int(bytes.word(at: 4)), bytes.byteCount)
      guard database.hasResidue(bytes, in: start..<bytes.byteCount) else { return }
    }
    residue = image.place(of: start..<bytes.byteCount, region: .content, in: database)
  }

  private func readUntouchedFreed(
    _ image: PageImage, _ header: BTreePage, _ bytes: RawSpan, into sink: inout some FragmentSink
  ) {
    guard header.kind != .tableInterior else { return }
    residueRecords += header.cellCount
    interesting.removeAll(keepingCapacity: true)
    _ = database.survey(bytes, header: header, into: &interesting)
    for index in interesting {
      guard var found = database.liveRecord(index, in: bytes, header: header, tree: image.tree)
      else { continue }
      found.isLive = false
      database.guessTree(of: &found, kind: header.kind, pageTree: image.tree)
      rows.emit(found, in: bytes, image: image, into: &sink)
    }
    for found in database.residue(
      in: bytes, header: header, tree: image.tree, onlySpilled: true)
    {
      rows.emit(found, in: bytes, image: image, into: &sink)
    }
  }

  private func isTouched(_ page: UInt32, _ count: Int) -> Bool {
    guard showsBytes, database.header.encoding == .utf8 else { return true }
    let start = database.geometry.offset(of: page)
    return input.touched.isMarked(start..<start + count)
  }

  private func readTreePage(
    _ page: UInt32, _ role: PageRole, _ bytes: RawSpan, into sink: inout some FragmentSink
  ) {
    let start = database.geometry.headerOffset(of: page)
    guard let header = BTreePage(parsing: bytes, headerOffset: start) else {
      database.map.report(page, "page \(page) of a tree is no b-tree page")
      return
    }
    if PageRole(header.kind) != role {
      database.map.report(page, "page \(page) is \(PageRole(header.kind).name), not \(role.name)")
      database.map.correct(page, to: PageRole(header.kind))
    }
    let tree = database.map.tree(of: page)
    let isTouched = isTouched(page, bytes.byteCount)
    if header.kind != .tableInterior {
      readCells(page, header, tree, bytes, isTouched: isTouched, into: &sink)
    }
    let isFreeTouched = isTouched && isFreePartTouched(page, header, bytes)
    readResidue(page, header, tree, bytes, isTouched: isFreeTouched, into: &sink)
  }

  /// Whether something was seen in the freeblocks or the gap of a page, not just in its live cells.
  private func isFreePartTouched(_ page: UInt32, _ header: BTreePage, _ bytes: RawSpan) -> Bool {
    guard showsBytes, database.header.encoding == .utf8 else { return true }
    let start = database.geometry.offset(of: page)
    return database.freeRegions(in: bytes, header: header).contains { region in
      input.touched.isMarked(start + region.range.lowerBound..<start + region.range.upperBound)
    }
  }

  private func readCells(
    _ page: UInt32, _ header: BTreePage, _ tree: Int, _ bytes: RawSpan, isTouched: Bool,
    into sink: inout some FragmentSink
  ) {
    interesting.removeAll(keepingCapacity: true)
    let survey = database.survey(bytes, header: header, into: &interesting)
    if !survey.isSound {
      database.map.report(page, "cells of page \(page) do not fit it, or hold no sound record")
    } else if !database.addsUp(survey, bytes, header: header) {
      database.map.report(page, "cells and free bytes of page \(page) do not add up to it")
    }
    let count = isTouched ? min(header.cellCount, bytes.byteCount / 2) : interesting.count
    guard count > 0 else { return }
    let image = image(of: page)
    for position in 0..<count {
      let index = isTouched ? position : interesting[position]
      guard let found = database.liveRecord(index, in: bytes, header: header, tree: tree) else {
        continue
      }
      claimChain(of: found.carved, page: page)
      rows.emit(found, in: bytes, image: image, into: &sink)
    }
  }

  private func claimChain(of carved: CarvedRecord, page: UInt32) {
    guard carved.overflow != 0 else { return }
    let left = carved.payloadCount - carved.localCount
    let capacity = database.geometry.overflowCapacity
    _ = database.map.claimChain(
      from: carved.overflow, count: (left + capacity - 1) / capacity, tree: carved.tree,
      owner: page, in: database.pages)
  }

  private func readResidue(
    _ page: UInt32, _ header: BTreePage, _ tree: Int, _ bytes: RawSpan, isTouched: Bool,
    into sink: inout some FragmentSink
  ) {
    if let gap = header.gap(geometry: database.geometry) { gapBytes += gap.count }
    guard header.firstFreeblock != 0 || header.contentStart > header.cellArrayEnd else { return }
    if header.firstFreeblock != 0 {
      let (blocks, isIntact) = header.freeblocks(in: bytes, geometry: database.geometry)
      freeblockCount += blocks.count
      if !isIntact { database.map.report(page, "the freeblock chain of page \(page) is damaged") }
    }
    if residue == nil {
      let found = database.freeRegions(in: bytes, header: header).first {
        $0.range.count > 8 && database.hasResidue(bytes, in: $0.range.dropFirst(4))
      }
      residue = found.map {
        self.image(of: page).place(of: $0.range, region: $0.region, in: database)
      }
    }
    // What raw bytes cannot show of untouched residue is a deleted record that goes on elsewhere: on a
    // page that was freed with it. Without free pages there is none.
    guard isTouched || database.header.freelistHead != 0 else { return }
    let image = image(of: page)
    for found in database.residue(
      in: bytes, header: header, tree: tree, onlySpilled: !isTouched)
    {
      residueRecords += 1
      rows.emit(found, in: bytes, image: image, into: &sink)
    }
  }

  private func reportFaults(into sink: inout some FragmentSink) {
    for fault in database.map.faults.prefix(20) {
      sink.diagnostic(
        .formatDamaged, fault.message,
        remedy: "work on a copy of the original if there is one; what is left was searched",
        steps: fault.page == 0 ? prefix : prefix + ["page", String(fault.page)])
    }
    let left = database.map.faultCount - min(20, database.map.faults.count)
    guard left > 0 else { return }
    sink.diagnostic(
      .formatDamaged, "\(left) more faults in the structure of the database",
      remedy: "work on a copy of the original if there is one", steps: prefix)
  }
}
