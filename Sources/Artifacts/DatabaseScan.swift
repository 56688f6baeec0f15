import Bytes
import Findings
import SQLiteFormat

/// One pass over the pages of a database file, in the order in which they lie.
final class DatabaseScan {
  let database: Database
  let geometry: PageGeometry
  let input: ReaderInput
  /// Whether the raw search saw the values as they are.
  private let showsValues: Bool
  let prefix: [String]
  private let showsBytes: Bool
  var rows: RowReader
  /// What Core Data says of the database, where it keeps it.
  private let store: CoreDataStore?
  /// What the log or a hot journal beside the file makes of its pages, where there is one.
  var current: CurrentContent? {
    didSet {
      guard let current, current.database != nil else { return }
      let database = database
      rows.isCurrent = { page in
        switch current.standing(of: page, in: database) {
        case .same, .other: true
        case .replaced, .gone: false
        }
      }
    }
  }
  var currentReader: ImageReader?
  /// The first place that holds deleted content.
  private var residue: Place?
  private(set) var freeblockCount = 0
  private(set) var gapBytes = 0
  private(set) var residueRecords = 0
  /// Pages that nothing points to and that hold nothing but dense bytes.
  private(set) var densePages = 0
  private var interesting: [Int] = []
  /// Pages with deleted records that go on in other pages. Which of those are in use is known once all
  /// live records were read.
  var spilled: [UInt32] = []
  /// What was done to the map of the pages while a share of them was read.
  private var events: [DatabaseShare.Event] = []
  private var keepsEvents = false
  private var faultsKept = 0
  private var faultsMore = 0
  /// A map lists no more faults than these (``PageMap``); a damaged file may have some on every page.
  private static let mostFaults = 100

  init(_ database: Database, input: ReaderInput, prefix: [String] = [], showsBytes: Bool = true) {
    self.database = database
    geometry = database.geometry
    self.input = input
    showsValues = showsBytes && database.encoding == .utf8
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
    image.liveness = liveness(of: page, isLive: image.role.isLive) ?? image.liveness
    return image
  }

  /// What a page is worth by what lies beside the file, where that says something.
  private func liveness(of page: UInt32, isLive: Bool) -> Liveness? {
    guard let current else { return nil }
    switch current.standing(of: page, in: database) {
    case .same: return nil
    case .other: return .live
    case .replaced: return current.liveness
    case .gone: return isLive ? current.liveness : nil
    }
  }

  /// What a page of this file is worth as a whole.
  func liveness(of page: UInt32, _ role: PageRole) -> Liveness {
    let isLive = role.liveness == .live
    guard let worth = liveness(of: page, isLive: isLive), isLive || worth == .live else {
      return role.liveness
    }
    return worth
  }

  func run(into sink: inout some FragmentSink) {
    read(1..<database.map.pageCount &+ 1, into: &sink)
    finish(into: &sink)
  }

  /// Reads the pages of a share of the file.
  func read(
    share index: Int, of count: Int, into sink: inout some FragmentSink
  ) -> DatabaseShare {
    keepsEvents = true
    let pages = Int(database.map.pageCount)
    let first = UInt32(pages * index / count + 1)
    read(first..<UInt32(pages * (index + 1) / count + 1), into: &sink)
    return DatabaseShare(
      events: events, faultsMore: faultsMore, links: freedChains.links, residue: residue,
      freeblockCount: freeblockCount,
      gapBytes: gapBytes, residueRecords: residueRecords, densePages: densePages)
  }

  /// Takes over what reading the shares brought up, in their order.
  func adopt(_ share: DatabaseShare) {
    for event in share.events { apply(event) }
    // This share alone has filled the list: they are counted, not listed.
    for _ in 0..<share.faultsMore { database.map.report(0, "") }
    freedChains.add(share.links)
    residue = residue ?? share.residue
    freeblockCount += share.freeblockCount
    gapBytes += share.gapBytes
    residueRecords += share.residueRecords
    densePages += share.densePages
  }

  func note(_ event: DatabaseShare.Event) {
    apply(event)
    guard keepsEvents else { return }
    if case .fault = event {
      guard faultsKept < Self.mostFaults else {
        faultsMore += 1
        return
      }
      faultsKept += 1
    }
    events.append(event)
  }

  private func apply(_ event: DatabaseShare.Event) {
    switch event {
    case .fault(let page, let message):
      guard let current, let view = current.database else {
        return database.map.report(page, message)
      }
      if current.standing(of: page, in: database) == .same { view.map.report(page, message) }
    case .role(let page, let role): database.map.correct(page, to: role)
    case .spilled(let page): if spilled.last != page { spilled.append(page) }
    case .chain(let first, let count, let tree, let owner):
      _ = database.map.claimChain(
        from: first, count: count, tree: tree, owner: owner, in: database.pages)
    }
  }

  /// Reads pages in the order in which they lie.
  private func read(_ range: Range<UInt32>, into sink: inout some FragmentSink) {
    let step = UInt32(max(1, (1 << 20) / geometry.pageSize))
    var buffer = [UInt8](repeating: 0, count: Int(step) * geometry.pageSize)
    var first = range.lowerBound
    while first < range.upperBound, !sink.isExhausted {
      let filled = buffer.withUnsafeMutableBytes {
        database.pages.store.read(from: first, into: $0)
      }
      let pages = UInt32(filled / geometry.pageSize)
      guard pages > 0 else { break }
      let bytes = buffer.span.bytes
      for index in 0..<min(pages, range.upperBound - first) {
        let offset = Int(index) * geometry.pageSize
        let page = first + index
        guard !isDeferred(page, bytes.clamped(to: offset..<offset + geometry.pageSize)) else {
          continue
        }
        read(page, bytes.clamped(to: offset..<offset + geometry.pageSize), into: &sink)
      }
      first += pages
    }
  }

  /// Reads what had to wait for all pages, and says what they came to.
  func finish(into sink: inout some FragmentSink) {
    readSpilled(into: &sink)
    readDeferred(into: &sink)
    readSpilled(into: &sink)
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
        Observation(
          .encryptedPage,
          counted(
            densePages, "page that nothing points to looks encrypted",
            "pages that nothing points to look encrypted")))
    }
  }

  func read(_ page: UInt32, _ bytes: RawSpan, into sink: inout some FragmentSink) {
    if let current, current.standing(of: page, in: database) == .other {
      return readOther(page, bytes, in: current, into: &sink)
    }
    let role = database.role(of: page)
    switch role {
    case .pointerMap, .lock, .overflow: return
    case .orphan, .beyondEnd, .freelistTrunk, .freelistLeaf:
      readFreed(page, bytes, into: &sink)
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior:
      readTreePage(page, role, bytes, into: &sink)
    }
  }

  private func readFreed(_ page: UInt32, _ bytes: RawSpan, into sink: inout some FragmentSink) {
    // What the freelist itself wrote into a page is no residue.
    let isTrunk = database.role(of: page) == .freelistTrunk
    let start =
      isTrunk ? FreelistTrunk(parsing: bytes, geometry: geometry).overwritten : 0
    guard database.hasResidue(bytes, in: start..<bytes.byteCount) else { return }
    let image = image(of: page)
    let header = BTreePage(parsing: bytes, headerOffset: geometry.headerOffset(of: page))
    if header?.isPlausible(geometry: geometry) != true,
      CipherStatistics.verdict(of: bytes) == .encrypted
    {
      if image.role == .orphan { densePages += 1 }
      return
    }
    noteFreed(image, bytes)
    let isTouched =
      isTouched(page, bytes.byteCount) || rows.telling.isIn(tree: image.tree, sink)
    if !isTouched, image.role != .freelistTrunk {
      // Only what raw bytes cannot show: chains, and values that may be files.
      var records: [FoundRecord] = []
      if let header, header.isPlausible(geometry: geometry) {
        records = readUntouchedFreed(image, header, bytes, into: &sink)
      }
      emitStreams(in: bytes, image: image, besides: records, into: &sink)
      return
    }
    let records = database.records(in: bytes, page: page, role: image.role, tree: image.tree)
    for found in records {
      residueRecords += 1
      emitFreed(found, in: bytes, image: image, into: &sink)
    }
    emitStreams(in: bytes, image: image, besides: records, into: &sink)
  }

  private func emitStreams(
    in bytes: RawSpan, image: PageImage, besides records: [FoundRecord],
    into sink: inout some FragmentSink
  ) {
    LooseStreams(database: database, image: image).emit(
      inFreedPage: bytes, besides: records, into: &sink)
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
  ) -> [FoundRecord] {
    guard header.kind != .tableInterior else { return [] }
    var records: [FoundRecord] = []
    residueRecords += header.cellCount
    interesting.removeAll(keepingCapacity: true)
    _ = database.survey(bytes, header: header, into: &interesting)
    for index in interesting {
      guard var found = database.liveRecord(index, in: bytes, header: header, tree: image.tree)
      else { continue }
      found.isLive = false
      database.guessTree(of: &found, kind: header.kind, pageTree: image.tree)
      records.append(found)
    }
    records += database.residue(
      in: bytes, header: header, tree: image.tree, isMarked: { _ in false })
    for found in records { emitFreed(found, in: bytes, image: image, into: &sink) }
    return records
  }

  private func isTouched(_ page: UInt32, _ count: Int) -> Bool {
    isMarked(0..<count, of: page)
  }

  /// Whether the raw search saw something in a range of a page, or would not have seen it there.
  private func isMarked(_ range: Range<Int>, of page: UInt32) -> Bool {
    guard showsValues else { return true }
    let start = geometry.offset(of: page)
    return input.touched.isMarked(start + range.lowerBound..<start + range.upperBound)
  }

  private func readTreePage(
    _ page: UInt32, _ role: PageRole, _ bytes: RawSpan, into sink: inout some FragmentSink
  ) {
    let start = geometry.headerOffset(of: page)
    guard let header = BTreePage(parsing: bytes, headerOffset: start) else {
      note(.fault(page, "page \(page) of a tree is no b-tree page"))
      return
    }
    if PageRole(header.kind) != role {
      note(.fault(page, "page \(page) is \(PageRole(header.kind).name), not \(role.name)"))
      note(.role(page, PageRole(header.kind)))
    }
    let tree = database.tree(of: page)
    let isTouched = isTouched(page, bytes.byteCount)
    if header.kind != .tableInterior {
      readCells(page, header, tree, bytes, isTouched: isTouched, into: &sink)
    }
    readResidue(page, header, tree, bytes, isTouched: isTouched, into: &sink)
  }

  private func readCells(
    _ page: UInt32, _ header: BTreePage, _ tree: Int, _ bytes: RawSpan, isTouched: Bool,
    into sink: inout some FragmentSink
  ) {
    interesting.removeAll(keepingCapacity: true)
    let survey = database.survey(bytes, header: header, into: &interesting) {
      isTouched && isMarked($0, of: page)
    }
    if !survey.isSound {
      note(.fault(page, "cells of page \(page) do not fit it, or hold no sound record"))
    } else if !database.addsUp(survey, bytes, header: header) {
      note(.fault(page, "cells and free bytes of page \(page) do not add up to it"))
    }
    // Damaged pages are read cell by cell: what does not fit may still hold a record.
    let all = isTouched && !survey.isSound || rows.telling.isIn(tree: tree, sink)
    let count = all ? min(header.cellCount, bytes.byteCount / 2) : interesting.count
    guard count > 0 else { return }
    let image = image(of: page)
    var isUnread = false
    for position in 0..<count {
      let index = all ? position : interesting[position]
      guard let found = database.liveRecord(index, in: bytes, header: header, tree: tree) else {
        isUnread = true
        continue
      }
      claimChain(of: found.carved, page: page)
      rows.emit(found, in: bytes, image: image, into: &sink)
    }
    if isUnread, survey.isSound {
      note(.fault(page, "a record of page \(page) cannot be put together"))
    }
  }

  private func claimChain(of carved: CarvedRecord, page: UInt32) {
    guard carved.overflow != 0 else { return }
    let left = carved.payloadCount - carved.localCount
    let capacity = geometry.overflowCapacity
    note(.chain(carved.overflow, (left + capacity - 1) / capacity, carved.tree, page))
  }

  private func readResidue(
    _ page: UInt32, _ header: BTreePage, _ tree: Int, _ bytes: RawSpan, isTouched: Bool,
    into sink: inout some FragmentSink
  ) {
    if let gap = header.gap(geometry: geometry) { gapBytes += gap.count }
    guard header.firstFreeblock != 0 || header.contentStart > header.cellArrayEnd else { return }
    if header.firstFreeblock != 0 {
      let (blocks, isIntact) = header.freeblocks(in: bytes, geometry: geometry)
      freeblockCount += blocks.count
      if !isIntact { note(.fault(page, "the freeblock chain of page \(page) is damaged")) }
    }
    if residue == nil {
      let found = database.freeRegions(in: bytes, header: header).first {
        $0.range.count > 8
          && database.leftover(
            bytes, header: header, region: $0.region, range: $0.range, limit: 1) > 0
      }
      residue = found.map {
        self.image(of: page).place(of: $0.range, region: $0.region, in: database)
      }
    }
    // What raw bytes cannot show of untouched residue is a deleted record that goes on elsewhere: on a
    // page that was freed with it. Without free pages there is none.
    let isTold = rows.telling.isIn(tree: tree, sink)
    let holdsFile = LooseStreams.standIn(freePartsOf: bytes, header: header, of: database)
    guard isTouched || isTold || holdsFile || database.header.freelistHead != 0 else { return }
    let records = database.residue(in: bytes, header: header, tree: tree) {
      isTold || isTouched && isMarked($0, of: page)
    }
    guard holdsFile || !records.isEmpty else { return }
    let image = image(of: page)
    for found in records {
      residueRecords += 1
      emitFreed(found, in: bytes, image: image, into: &sink)
    }
    guard holdsFile else { return }
    LooseStreams(database: database, image: image).emit(
      inFreeParts: bytes, header: header, besides: records, into: &sink)
  }

  private func reportFaults(into sink: inout some FragmentSink) {
    // A file in the middle of a transaction need not be whole by itself.
    let map = (current?.database ?? database).map
    for fault in map.faults.prefix(20) {
      sink.diagnostic(
        .formatDamaged, fault.message,
        remedy: "work on a copy of the original if there is one; what is left was searched",
        steps: fault.page == 0 ? prefix : prefix + ["page", String(fault.page)])
    }
    let left = map.faultCount - min(20, map.faults.count)
    guard left > 0 else { return }
    sink.diagnostic(
      .formatDamaged, "\(left) more faults in the structure of the database",
      remedy: "work on a copy of the original if there is one", steps: prefix)
  }
}
