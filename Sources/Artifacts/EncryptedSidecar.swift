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
    let frames = index.frames.indices
    let picks = stride(from: 0, to: frames.count, by: max(1, frames.count / 24))
    let samples = picks.compactMap { frame -> (page: UInt32, bytes: [UInt8])? in
      let bytes = try? input.source.bytes(
        at: index.pageOffset(ofFrame: frame), count: index.pageSize)
      return bytes.map { (index.frames[frame].page, $0) }
    }
    let pages = frames.map { (index.frames[$0].page, index.pageOffset(ofFrame: $0)) }
    let readable = report(pages, pageSize: index.pageSize, step: "frame", into: &sink)
    let opened = open(samples, pageSize: index.pageSize, into: &sink)
    if !opened.isEmpty {
      count(pages, under: opened, pageSize: index.pageSize, step: "frame", into: &sink)
      if let scan = decrypted(log, opened) { scan.run(into: &sink) }
    }
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
    let pages = journal.records.map { ($0.page, $0.offset) }
    let readable = report(pages, pageSize: journal.pageSize, step: "record", into: &sink)
    let samples = journal.records.prefix(24).compactMap { record in
      (try? input.source.bytes(at: record.offset, count: journal.pageSize)).map {
        (page: record.page, bytes: $0)
      }
    }
    let opened = open(samples, pageSize: journal.pageSize, into: &sink)
    if let content = DecryptedSource(
      input.source, ciphers: opened, layout: .journal(journal.records)),
      let plainMain = DecryptedSource(main, ciphers: opened, layout: .database)
    {
      count(pages, under: opened, pageSize: journal.pageSize, step: "record", into: &sink)
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

  private func open(
    _ samples: [(page: UInt32, bytes: [UInt8])], pageSize: Int, into sink: inout some FragmentSink
  ) -> [CipherFile] {
    let opener = CipherOpener(main, keys: input.keys, samples: samples)
    return opener.open().filter { $0.profile.pageSize == pageSize }
  }

  /// Says how many pages are readable where none should be; gives their number.
  private func report(
    _ pages: [(page: UInt32, offset: Int)], pageSize: Int, step: String,
    into sink: inout some FragmentSink
  ) -> Int {
    var readable: [Int] = []
    for (index, page) in pages.enumerated() {
      guard let bytes = try? input.source.bytes(at: page.offset, count: pageSize) else { continue }
      if CipherStatistics.verdict(of: bytes.span.bytes) == .plaintext { readable.append(index) }
    }
    // About one page of ciphertext in a thousand looks readable by chance.
    let isChance = readable.count * 100 <= pages.count && readable.count < 4
    guard let first = readable.first, !isChance else {
      sink.observe(Observation(.encrypted, "every page that is not empty is ciphertext"))
      return 0
    }
    let place = Place(steps: [step, String(first + 1)], origin: .transformed)
    sink.observe(
      Observation(
        .plaintextBeside,
        "\(readable.count) of \(pages.count) pages are readable beside an encrypted database",
        at: place))
    return readable.count
  }

  /// After a change of keys this proves which pages still open under which key.
  private func count(
    _ pages: [(page: UInt32, offset: Int)], under opened: [CipherFile], pageSize: Int,
    step: String, into sink: inout some FragmentSink
  ) {
    var counts = [Int](repeating: 0, count: opened.count)
    var firsts = [Int?](repeating: nil, count: opened.count)
    var failed = 0
    for (index, page) in pages.enumerated() {
      guard let bytes = try? input.source.bytes(at: page.offset, count: pageSize) else { continue }
      let span = bytes.span.bytes
      let fit = opened.firstIndex { $0.state(of: span, page: page.page) == .verified }
      if let fit {
        counts[fit] += 1
        firsts[fit] = firsts[fit] ?? index
      } else if opened[0].state(of: span, page: page.page) == .failed {
        failed += 1
      }
    }
    for (index, file) in opened.enumerated() {
      sink.observe(
        Observation(
          .keyFits,
          "\(counts[index]) of \(pages.count) pages verify under key \(file.keyIndex + 1)",
          at: Place(
            steps: firsts[index].map { [step, String($0 + 1)] } ?? [], origin: .transformed)))
    }
    guard failed > 0 else { return }
    sink.observe(
      Observation(.damagedPages, "\(failed) of \(pages.count) pages verify under no key given"))
  }
}
