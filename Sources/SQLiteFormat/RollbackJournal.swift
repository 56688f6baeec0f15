package import Bytes

/// The header of a rollback journal, padded to the sector size (SQLite file format, §3).
///
///     offset  size  field
///          0     8  d9d505f920a163d7
///          8     4  records that follow, -1: as many as there are
///         12     4  seed of the records' checksums
///         16     4  size of the database in pages before the transaction
///         20     4  sector size
///         24     4  page size
package struct JournalHeader: Equatable, Sendable {
  package static let byteCount = 28
  package static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  package var recordCount: UInt32
  package var seed: UInt32
  package var pageCount: UInt32
  package var sectorSize: Int
  package var pageSize: Int

  /// Nothing where the bytes are no journal header with possible sizes.
  package init?(parsing bytes: RawSpan) {
    guard bytes.byteCount >= Self.byteCount, bytes.hasBytes(Self.magic) else { return nil }
    recordCount = bytes.word(at: 8)
    seed = bytes.word(at: 12)
    pageCount = bytes.word(at: 16)
    sectorSize = Int(bytes.word(at: 20))
    pageSize = Int(bytes.word(at: 24))
    guard sectorSize >= 32, sectorSize <= 65_536, sectorSize & (sectorSize - 1) == 0,
      PageGeometry(pageSize: pageSize, reserved: 0) != nil
    else { return nil }
  }
}

/// A rollback journal: the pages of a database as they were before a transaction.
package struct RollbackJournal: Sendable {
  package enum State: String, Sendable {
    /// Its header is whole and it has records: the next one to open the database rolls it back.
    case hot
    /// Its header counts no records: the crash came before they were synced, and before the database
    /// was changed.
    case unsynced
    /// Its header was zeroed when the transaction ended; the records are left.
    case persisted
    /// Nothing is in it.
    case empty
  }

  package struct PageRecord: Equatable, Sendable {
    package var page: UInt32
    /// Where the page starts in the journal.
    package var offset: Int
    /// Nothing where the seed is lost.
    package var isSound: Bool?
    /// Whether a rollback writes it back: it ends at the first record that does not fit its checksum.
    package var isApplied = false
    /// What the page's own sum leaves of its checksum: the seed of its transaction, where it is whole.
    var seed: UInt32?
  }

  package var state: State
  package var pageSize: Int
  package var header: JournalHeader?
  package var records: [PageRecord] = []
  /// Name of the super-journal at the end, where several databases change together.
  package var superJournal: String?
  /// Bytes that belong to no record.
  package var trailing = 0

  /// Records that do not fit their checksum and are not left over from an older, longer transaction:
  /// where a journal is kept, it is written over from its start, and nothing counts its records if it is
  /// not synced.
  package var damagedCount: Int {
    let lastSound = records.lastIndex { $0.isSound == true } ?? -1
    return records.indices.count { index in
      guard records[index].isSound == false else { return false }
      if header?.recordCount == .max, index > lastSound { return false }
      return !records[max(0, index - 1)..<min(records.count, index + 2)].indices.contains {
        $0 != index && records[$0].isSound == false && records[$0].seed == records[index].seed
      }
    }
  }

  static let mostRecords = 4_000_000

  /// Nothing where the file is no journal. `pageSize` is that of the database beside it, for headers
  /// that were zeroed.
  package init?(
    parsing file: any ByteSource, pageSize stated: Int?, mayBeEncrypted: Bool = false
  ) {
    guard let head = try? file.bytes(at: 0, count: 8192), !head.isEmpty else {
      state = .empty
      pageSize = stated ?? 0
      return
    }
    let bytes = unsafe head.span.bytes
    var sector = 512
    if let header = JournalHeader(parsing: bytes) {
      self.header = header
      state = header.recordCount == 0 ? .unsynced : .hot
      pageSize = header.pageSize
      sector = header.sectorSize
    } else {
      let layout = Self.zeroedLayout(
        bytes, byteCount: file.byteCount, stated: stated, mayBeEncrypted: mayBeEncrypted)
      guard let found = layout else { return nil }
      state = .persisted
      pageSize = found.pageSize
      sector = found.sector
    }
    readRecords(file, from: sector, sector: sector)
    if records.isEmpty { state = .empty }
    readSuperJournal(file)
  }

  /// Takes the journal for one that is done with.
  package mutating func settle() {
    state = .persisted
    for index in records.indices { records[index].isApplied = false }
  }

  /// The journal of a statement: numbers and pages, nothing else (`subjournalPage` in pager.c).
  package init(statement file: any ByteSource, pageSize: Int) {
    self.pageSize = pageSize
    state = .persisted
    let count = min(file.byteCount / (pageSize + 4), Self.mostRecords)
    for index in 0..<count {
      let offset = index * (pageSize + 4)
      guard let number = try? file.bytes(at: offset, count: 4), number.count == 4 else { break }
      let page = unsafe number.span.bytes.word(at: 0)
      guard page >= 1, page < 1 << 28 else { continue }
      records.append(PageRecord(page: page, offset: offset + 4, isSound: nil))
    }
    trailing = file.byteCount - count * (pageSize + 4)
    if records.isEmpty { state = .empty }
  }

  /// Sizes that fit a journal whose header was zeroed: the first record starts after one sector, with
  /// a page number and a page.
  package static func zeroedLayout(
    _ head: RawSpan, byteCount: Int, stated: Int?, mayBeEncrypted: Bool = false
  ) -> (pageSize: Int, sector: Int)? {
    guard (0..<JournalHeader.byteCount).allSatisfy({ head[at: $0] == 0 }) else { return nil }
    for sector in [512, 4096] {
      guard byteCount - sector > 512, head.byteCount - sector >= 16 else { continue }
      let page = head.word(at: sector)
      guard page >= 1, page < 1 << 28 else { continue }
      let content = head.clamped(to: sector + 4..<head.byteCount)
      let isFirst = page == 1 && content.hasBytes(DatabaseHeader.magic)
      let isTree = stated == nil && mayBeTree(content)
      let isCiphertext =
        mayBeEncrypted
        && CipherStatistics.verdict(of: content.clamped(to: 0..<1024)) == .encrypted
      guard isFirst || isTree || isCiphertext || stated != nil else { continue }
      if isFirst, let header = try? DatabaseHeader(parsing: content) {
        return (header.geometry.pageSize, sector)
      }
      if let stated { return (stated, sector) }
      let sizes = [4096, 1024, 512, 2048, 8192, 16_384, 32_768, 65_536]
      if let size = sizes.first(where: { (byteCount - sector) % ($0 + 8) == 0 }) {
        return (size, sector)
      }
      return (4096, sector)
    }
    return nil
  }

  /// Whether bytes that nothing else says are a page start with a header whose numbers fit each other, as
  /// few of an image or a table of numbers do.
  private static func mayBeTree(_ bytes: RawSpan) -> Bool {
    guard let page = BTreePage(parsing: bytes, headerOffset: 0) else { return false }
    let start = page.contentStart
    guard page.cellCount > 0 || 512...32_768 ~= start && start & (start - 1) == 0,
      page.fragmentedBytes <= 60, page.cellArrayEnd <= start,
      page.firstFreeblock == 0 || page.firstFreeblock >= page.cellArrayEnd
    else { return false }
    return (0..<min(page.cellCount, 8)).allSatisfy { index in
      let place = page.cellArray + 2 * index
      guard bytes.byteCount - place >= 2 else { return true }
      return Int(bytes.short(at: place)) >= start
    }
  }

  private mutating func readRecords(_ file: any ByteSource, from start: Int, sector: Int) {
    let recordSize = pageSize + 8
    var offset = start
    var left = header.map { $0.recordCount == .max ? Int.max : Int($0.recordCount) } ?? Int.max
    // A header with no count was not synced before the crash: records may follow it all the same.
    if left == 0 { left = Int.max }
    var seed = header?.seed
    var isApplying = state == .hot
    while file.byteCount - offset >= recordSize, records.count < Self.mostRecords {
      if left == 0 {
        // Another header follows at the next sector.
        offset = (offset + sector - 1) / sector * sector
        guard
          let next = (try? file.bytes(at: offset, count: JournalHeader.byteCount)).flatMap({
            JournalHeader(parsing: unsafe $0.span.bytes)
          })
        else { break }
        seed = next.seed
        left = next.recordCount == .max ? Int.max : Int(next.recordCount)
        offset += sector
        continue
      }
      guard let bytes = try? file.bytes(at: offset, count: recordSize), bytes.count == recordSize
      else { break }
      let span = unsafe bytes.span.bytes
      let page = span.word(at: 0)
      guard page != 0, page < 1 << 31 else { break }
      let stored = span.word(at: recordSize - 4)
      let sum = Self.checksum(span.clamped(to: 4..<4 + pageSize), seed: 0)
      let isSound = seed.map { sum &+ $0 == stored }
      if isSound != true { isApplying = false }
      records.append(
        PageRecord(
          page: page, offset: offset + 4, isSound: isSound, isApplied: isApplying,
          seed: stored &- sum))
      left -= 1
      offset += recordSize
    }
    trailing = max(0, file.byteCount - offset)
  }

  /// The seed plus every 200th byte from the end of the page (`pager_cksum` in pager.c).
  package static func checksum(_ page: RawSpan, seed: UInt32) -> UInt32 {
    var sum = seed
    var offset = page.byteCount - 200
    while offset > 0 {
      sum &+= UInt32(page[at: offset] ?? 0)
      offset -= 200
    }
    return sum
  }

  /// A journal of a transaction over several files ends with the name of the super-journal, its
  /// length, its checksum, and the magic (pager.c, `writeSuperJournal`).
  private mutating func readSuperJournal(_ file: any ByteSource) {
    let count = file.byteCount
    guard count >= 20, let end = try? file.bytes(at: count - 16, count: 16), end.count == 16 else {
      return
    }
    let span = unsafe end.span.bytes
    let length = Int(span.word(at: 0))
    guard span.hasBytes(JournalHeader.magic, at: 8), length > 0, length <= 4096,
      length <= count - 20,
      let name = try? file.bytes(at: count - 16 - length, count: length)
    else { return }
    superJournal = String(decoding: name, as: UTF8.self)
  }
}
