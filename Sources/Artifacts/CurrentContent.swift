import Bytes
import Findings
import SQLiteFormat

/// A database as the next one to open it would see it: its log or a hot journal decides which pages of
/// the file count, and what those are that neither of them holds.
struct CurrentContent {
  /// What a page of the file is in that view.
  enum Standing {
    /// The same as the file alone says.
    case same
    /// The log or the journal holds another version of it.
    case replaced
    /// No part of the content any more, or not yet.
    case gone
    /// A part of the content, and not the one that the file alone shows.
    case other
  }

  /// What a page is worth that does not count.
  let liveness: Liveness
  /// Pages that the log or the journal holds.
  let replaced: Set<UInt32>
  /// Nothing where the file and what lies beside it make no database.
  let database: Database?
  private init(
    _ view: (any PageStore)?, of main: DatabaseFile, header: DatabaseHeader,
    replaced: Set<UInt32>, _ worth: Liveness, _ common: CommonKnowledge? = nil
  ) {
    self.replaced = replaced
    liveness = worth
    database = view.map {
      Self.database(FilePages(view: $0, main: main, replaced: replaced), header, common)
    }
    database.map { _ = CoreDataStore.name($0) }
  }

  /// The view, in which all overflow pages are known: what a file that is read in shares finds out once.
  private static func database(
    _ pages: FilePages, _ header: DatabaseHeader, _ common: CommonKnowledge?
  ) -> Database {
    if let outline = (common?.value as? KnownDatabase)?.current {
      return Database(pages, header: header, outline: outline)
    }
    let database = Database(pages, header: header)
    if database.hasOrphans { database.claimChains() }
    if var known = common?.value as? KnownDatabase {
      known.current = database.outline
      common?.value = known
    }
    return database
  }

  /// - Parameter main: the database as the file alone shows it.
  func standing(of page: UInt32, in main: Database) -> Standing {
    if replaced.contains(page) { return .replaced }
    // What no map reaches is judged by the file alone.
    guard let database, page <= PageMap.mostPages else { return .same }
    let role = database.role(of: page)
    switch role {
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior:
      return main.role(of: page).isTree && table(of: page, main) == table(of: page, database)
        ? .same : .other
    case .overflow: return main.role(of: page) == .overflow ? .same : .other
    case .freelistTrunk, .freelistLeaf, .beyondEnd, .orphan: return .gone
    case .pointerMap, .lock: return .same
    }
  }

  private func table(of page: UInt32, _ database: Database) -> String? {
    database.schema.entry(ofTree: database.tree(of: page))?.table
  }

  /// The image of a page in this view.
  func image(of page: UInt32, prefix: [String]) -> PageImage? {
    database.map {
      PageImage(
        page: page, of: $0, prefix: prefix, source: $0.pages.store.sourceOffset(of: page))
    }
  }
}

extension CurrentContent {
  /// What a log or a journal shows, given its own bytes and where pages lie in them.
  typealias Content = (any ByteSource, DecryptedSource.Layout) -> (any ByteSource)?

  /// Nothing where nothing lies beside the file that changes what it holds.
  ///
  /// - Parameter content: the bytes of a log or journal as they are to be read; they may be encrypted.
  init?(_ main: DatabaseFile, _ database: Database, _ input: ReaderInput, content: Content) {
    if let journal = Self.hotJournal(main, database, input, content) {
      self = journal
    } else if let log = Self.log(main, database, input, content) {
      self = log
    } else {
      return nil
    }
  }

  private static func log(
    _ main: DatabaseFile, _ database: Database, _ input: ReaderInput, _ content: Content
  ) -> Self? {
    guard let source = input.sibling("-wal"), source.byteCount > LogHeader.byteCount,
      let log = OpenLog(source), log.header.isSound,
      log.index.pageSize == database.geometry.pageSize, let last = log.index.lastCommit,
      let pages = content(source, .log(log.index))
    else { return nil }
    let index = log.index
    let first = index.frames.lastIndex { $0.page == 1 && $0.state == .live }
    guard
      let header = header(
        first.map(index.pageOffset(ofFrame:)), in: pages, or: database.header)
    else {
      // Under another key, for one: what it replaces is known, but not what it makes of the rest.
      return Self(
        nil, of: main, header: database.header, replaced: index.livePages, .superseded)
    }
    let view = LogView(
      log: pages, index: index, generation: index.currentGeneration ?? 0, last: last,
      pageCount: index.committedSize, database: main, geometry: header.geometry)
    let current = Self(
      view, of: main, header: header, replaced: index.livePages, .superseded, input.common)
    if let inLog = current.database,
      ForeignLog(index: index, content: pages, database: inLog).isForeign(to: database)
    {
      return nil
    }
    return current
  }

  private static func hotJournal(
    _ main: DatabaseFile, _ database: Database, _ input: ReaderInput, _ content: Content
  ) -> Self? {
    let size = database.geometry.pageSize
    guard let source = input.sibling("-journal"), source.byteCount > 512,
      let stored = RollbackJournal(parsing: source, pageSize: size),
      case let name = input.name.split(separator: "/").last.map(String.init) ?? input.name,
      case let journal = input.settled(stored, of: name), journal.state == .hot,
      journal.pageSize == size, let before = journal.header?.pageCount,
      let pages = content(source, .journal(journal.records))
    else { return nil }
    // What was written into an empty file is all of it.
    guard before > 0 else {
      let all = Set(1...max(1, main.pageCount))
      return Self(nil, of: main, header: database.header, replaced: all, .uncommitted)
    }
    let records = journal.records.filter(\.isApplied)
    let first = records.first { $0.page == 1 }?.offset
    let replaced = Set(records.map(\.page))
    guard let header = header(first, in: pages, or: database.header) else {
      return Self(nil, of: main, header: database.header, replaced: replaced, .uncommitted)
    }
    let view = JournalView(
      pages, records: records, database: main, geometry: header.geometry, pageCount: before)
    return Self(view, of: main, header: header, replaced: replaced, .uncommitted, input.common)
  }

  /// The header in another version of the first page, where there is one; nothing where that is none of a
  /// database with pages of the same size.
  private static func header(
    _ offset: Int?, in pages: any ByteSource, or main: DatabaseHeader
  ) -> DatabaseHeader? {
    guard let offset else { return main }
    guard let bytes = try? pages.bytes(at: offset, count: DatabaseHeader.byteCount),
      let header = try? DatabaseHeader(parsing: bytes.span.bytes),
      header.geometry.pageSize == main.geometry.pageSize
    else { return nil }
    return header
  }
}

/// What is known of a database that is read in shares: its own outline, and that of the view through what
/// lies beside it.
struct KnownDatabase: Sendable {
  var main: Database.Outline
  var current: Database.Outline?
}

/// The pages of a view, of which only those of the file lie in the source that is being read.
private struct FilePages: PageStore {
  let view: any PageStore
  let main: DatabaseFile
  let replaced: Set<UInt32>

  var geometry: PageGeometry { view.geometry }
  var pageCount: UInt32 { view.pageCount }

  func read(from page: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    view.read(from: page, into: buffer)
  }

  func sourceOffset(of page: UInt32) -> Int? {
    replaced.contains(page) ? nil : main.sourceOffset(of: page)
  }
}
