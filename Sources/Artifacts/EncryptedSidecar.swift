import Bytes
import Findings
import SQLiteFormat

/// A log or journal beside an encrypted database: its pages are ciphertext under the database's key,
/// its headers and checksums are not.
struct EncryptedSidecar {
  let input: ReaderInput
  let main: any ByteSource

  func read(_ log: OpenLog, into sink: inout some FragmentSink) -> (any PlaceLocator)? {
    let index = log.index
    let pages = index.frames.indices.map {
      KeyAccount.Page(number: index.frames[$0].page, offset: index.pageOffset(ofFrame: $0))
    }
    let readable = report(pages, pageSize: index.pageSize, step: "frame", into: &sink)
    let ends = index.generations.flatMap { [$0.first - 1, $0.last - 1] }
    let opened = open(pages, alsoAt: ends, pageSize: index.pageSize, step: "frame", into: &sink)
    if !opened.isEmpty, let scan = decrypted(log, opened) { scan.run(into: &sink) }
    // Frames that are readable as they lie are read as such; ciphertext holds no records.
    guard let header = log.databaseHeader(main: nil) else { return nil }
    let scan = LogScan(
      log: input.source, content: input.source, index: index, main: nil, header: header,
      touched: input.touched)
    if readable > 0 { scan.run(into: &sink) }
    return LogLocator(scan, byteCount: input.source.byteCount)
  }

  private func decrypted(_ log: OpenLog, _ opened: [CipherFile]) -> LogScan? {
    guard
      let content = DecryptedSource(input.source, ciphers: opened, layout: .log(log.index)),
      let plainMain = DecryptedSource(main, ciphers: opened, layout: .database)
    else { return nil }
    let first = log.index.frames.lastIndex { $0.page == 1 && $0.state == .live }
    let source: any ByteSource = first == nil ? plainMain : content
    let offset = first.map(log.index.pageOffset(ofFrame:)) ?? 0
    guard let head = try? source.bytes(at: offset, count: DatabaseHeader.byteCount),
      let header = try? DatabaseHeader(parsing: head.span.bytes),
      header.geometry.pageSize == log.index.pageSize
    else { return nil }
    let file = DatabaseFile(source: plainMain, geometry: header.geometry, showsBytes: false)
    return LogScan(
      log: input.source, content: content, index: log.index, main: file, header: header,
      touched: input.touched, showsBytes: false, prefix: ["decrypted"])
  }

  /// Nothing where the file is no journal.
  func readJournal(into sink: inout some FragmentSink) -> (any PlaceLocator)? {
    let reader = JournalReader()
    guard
      let journal = RollbackJournal(
        parsing: input.source, pageSize: nil, mayBeEncrypted: true)
    else { return nil }
    reader.report(journal, hasMain: true, mainIsReadable: true, into: &sink)
    let pages = journal.records.map { KeyAccount.Page(number: $0.page, offset: $0.offset) }
    let readable = report(pages, pageSize: journal.pageSize, step: "record", into: &sink)
    let opened = open(
      pages, alsoAt: [], pageSize: journal.pageSize, step: "record", into: &sink)
    if let content = DecryptedSource(
      input.source, ciphers: opened, layout: .journal(journal.records)),
      let plainMain = DecryptedSource(main, ciphers: opened, layout: .database)
    {
      let head = (try? plainMain.bytes(at: 0, count: DatabaseHeader.byteCount)) ?? []
      if let header = try? DatabaseHeader(parsing: head.span.bytes) {
        let file = DatabaseFile(source: plainMain, geometry: header.geometry, showsBytes: false)
        JournalScan(
          journal, source: content, main: file, header: header, touched: input.touched,
          showsBytes: false, prefix: ["decrypted"]
        ).run(into: &sink)
      }
    }
    guard let header = reader.databaseHeader(journal, input.source, main: nil) else { return nil }
    let scan = JournalScan(
      journal, source: input.source, main: nil, header: header, touched: input.touched)
    if readable > 0 { scan.run(into: &sink) }
    return scan
  }

  /// The files under whose keys any page opens. A key is tried on some of the pages: those of a
  /// replaced one may be few, so that more are looked at where there is one.
  private func open(
    _ pages: [KeyAccount.Page], alsoAt: [Int], pageSize: Int, step: String,
    into sink: inout some FragmentSink
  ) -> [CipherFile] {
    guard !input.keys.isEmpty else { return [] }
    let most = input.keys.contains { $0.isOld } ? 512 : 24
    let picks = stride(from: 0, to: pages.count, by: max(1, pages.count / most)) + alsoAt
    let samples = Set(picks).sorted().compactMap { index -> (page: UInt32, bytes: [UInt8])? in
      guard pages.indices.contains(index) else { return nil }
      let bytes = try? input.source.bytes(at: pages[index].offset, count: pageSize)
      return bytes.map { (pages[index].number, $0) }
    }
    let opener = CipherOpener(main, keys: input.keys, samples: samples)
    let opened = opener.open().filter { $0.profile.pageSize == pageSize }
    guard !opened.isEmpty else { return [] }
    var account = KeyAccount(opener, opened: opened, input: input, pages: pages, step: step)
    account.run { sink.isExhausted }
    account.observe(into: &sink)
    if !account.failed.isEmpty {
      sink.observe(
        Observation(
          .damagedPages,
          "\(account.failed.count) of \(counted(pages.count, "page")) cannot be verified under any key given"
        ))
    }
    return account.fitting.isEmpty ? opened : account.fitting
  }

  /// Says how many pages are readable where none should be; gives their number.
  private func report(
    _ pages: [KeyAccount.Page], pageSize: Int, step: String, into sink: inout some FragmentSink
  ) -> Int {
    var readable: [Int] = []
    for (index, page) in pages.enumerated() {
      guard let bytes = try? input.source.bytes(at: page.offset, count: pageSize) else { continue }
      // A frame that was torn ends in zeros.
      let written = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
      let page = bytes.span.bytes.clamped(to: 0..<written)
      if CipherStatistics.verdict(of: bytes.span.bytes) == .plaintext,
        !CipherStatistics.isNearlyEncrypted(page)
      {
        readable.append(index)
      }
    }
    guard let first = readable.first else {
      sink.observe(Observation(.encrypted, "every page that is not empty is ciphertext"))
      return 0
    }
    var context = Context()
    context.page = Int(pages[first].number)
    context.frame = first + 1
    let pieces = readable.prefix(32).enumerated().map {
      Piece(offset: $0.offset * pageSize, source: pages[$0.element].offset, count: pageSize)
    }
    let place = Place(
      steps: [step, String(first + 1)], context: context, origin: .pieces(pieces))
    sink.observe(
      Observation(
        .plaintextBeside,
        "\(readable.count) of \(counted(pages.count, "page")) can be read beside an encrypted database",
        at: place))
    return readable.count
  }
}
