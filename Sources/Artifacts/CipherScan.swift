import Bytes
import Findings
import SQLiteFormat

/// Reads an encrypted database: which pages are ciphertext, what lies readable among them, and, with
/// a key that fits, the content.
struct CipherScan {
  let input: ReaderInput
  let encryption: EncryptionMap
  /// The magic and header of a database stand before the ciphertext.
  let hasPlainHeader: Bool

  func run(into sink: inout some FragmentSink) -> (any PlaceLocator)? {
    let size = pageSize
    let pages = plaintextPages(pageSize: size)
    let opener = CipherOpener(input.source, keys: input.keys)
    let opened = openFiles(opener, into: &sink)
    // Random bytes with something else among them are no database: a dump of memory looks like that.
    if opened.isEmpty, !hasPlainHeader, encryption.summary == .mixed, !showDatabase(pages) {
      sink.observe(
        Observation(.undecided, "dense bytes among others, and no page of a database in the clear"))
      return nil
    }
    sink.describe(StorageLayout(of: encryption, pageSize: size))
    observe(pages, into: &sink)
    reportCutPage(opened, into: &sink)
    let plain = readPlaintext(pages, into: &sink)
    if !opened.isEmpty {
      readDecrypted(opened, account(of: opened, opener, into: &sink), into: &sink)
    } else if !input.keys.isEmpty {
      // Without a key ciphertext is what a store should look like, not a gap: the question was whether
      // anything readable lies here. With one, not having looked inside is told.
      sink.diagnostic(
        .formatEncrypted, "the content is encrypted and no key given opens it",
        remedy: "give its key with --key to have the content searched", steps: [])
    }
    return CipherLocator(
      pageSize: opened.first?.profile.pageSize ?? size, byteCount: input.source.byteCount,
      plain: plain,
      isSeen: { page, size in
        let first = (page - 1) * size / EncryptionMap.blockSize
        return encryption.verdict(ofBlock: first)
      })
  }

  /// Pages of 4096 bytes unless the header or the file's size says otherwise.
  private var pageSize: Int {
    statedPageSize ?? (input.source.byteCount % 4096 == 0 ? 4096 : 1024)
  }

  private var statedPageSize: Int? {
    guard hasPlainHeader, let head = try? input.source.bytes(at: 0, count: 100),
      let header = try? DatabaseHeader(parsing: head.span.bytes)
    else { return nil }
    return header.geometry.pageSize
  }

  /// Of random bytes nobody knows how long their pages are: with a header or a key one does.
  private func reportCutPage(_ opened: [CipherFile], into sink: inout some FragmentSink) {
    guard let size = opened.first?.profile.pageSize ?? statedPageSize,
      input.source.byteCount % size != 0
    else { return }
    sink.diagnostic(
      .formatDamaged, "the encrypted file does not end with a whole page",
      remedy: "compare its size with the original's", steps: [])
  }

  private struct PlainPage {
    var number: UInt32
    var bytes: [UInt8]
    var probe: PageProbe?
  }

  /// The readable blocks, joined to pages. Where only a part of a page is readable it may still be a
  /// smaller page; otherwise it is no page, but damage or chance.
  private func plaintextPages(pageSize: Int) -> [PlainPage] {
    guard encryption.summary == .mixed || encryption.summary == .yes else { return [] }
    var pages: [PlainPage] = []
    var last = -1
    for block in encryption.blocks.indices where encryption.verdict(ofBlock: block) == .plaintext {
      guard pages.count < 10_000 else { break }
      let page = block * EncryptionMap.blockSize / pageSize
      if page == last || hasPlainHeader && page == 0 { continue }
      if isWhole(page, pageSize: pageSize) {
        last = page
        guard let found = plainPage(page, pageSize: pageSize) else { continue }
        // A single page that no structure explains is chance.
        if encryption.summary == .mixed || found.probe != nil { pages.append(found) }
      } else if let small = plainPage(block, pageSize: EncryptionMap.blockSize), small.probe != nil
      {
        pages.append(small)
      }
    }
    return pages
  }

  /// Whether readable pages among ciphertext speak for a database: one is a page of a database, or
  /// hardly anything is empty. Memory is full of pages of zeros, an encrypted database has none.
  private func showDatabase(_ pages: [PlainPage]) -> Bool {
    !pages.isEmpty
      && (pages.contains { $0.probe != nil } || encryption.emptyCount * 8 < encryption.blocks.count)
  }

  private func isWhole(_ page: Int, pageSize: Int) -> Bool {
    let count = max(1, pageSize / EncryptionMap.blockSize)
    return (page * count..<(page + 1) * count).allSatisfy {
      encryption.verdict(ofBlock: $0) != .encrypted
    }
  }

  private func plainPage(_ page: Int, pageSize: Int) -> PlainPage? {
    guard let bytes = try? input.source.bytes(at: page * pageSize, count: pageSize),
      bytes.count == pageSize
    else { return nil }
    return PlainPage(
      number: UInt32(page + 1), bytes: bytes, probe: PageProbe(bytes.span.bytes, pageSize: pageSize)
    )
  }

  private func observe(_ pages: [PlainPage], into sink: inout some FragmentSink) {
    if hasPlainHeader {
      sink.observe(
        Observation(
          .plaintextHeader, "a readable header stands before ciphertext; the salt is kept elsewhere"
        ))
    }
    if pages.isEmpty {
      sink.observe(Observation(.encrypted, "every page that is not empty is ciphertext"))
    } else {
      sink.observe(
        Observation(.mixed, counted(pages.count, "page") + " can be read in a file of ciphertext"))
    }
  }

  private func readPlaintext(
    _ pages: [PlainPage], into sink: inout some FragmentSink
  ) -> [UInt32: ImageLocator] {
    var locators: [UInt32: ImageLocator] = [:]
    for page in pages {
      let start = (Int(page.number) - 1) * page.bytes.count
      var context = Context()
      context.page = Int(page.number)
      let piece = Piece(offset: 0, source: start, count: page.bytes.count)
      let place = Place(
        steps: ["page", String(page.number)], context: context, origin: .pieces([piece]))
      sink.observe(
        Observation(.plaintextPage, "page \(page.number) is readable among ciphertext", at: place))
      guard let probe = page.probe else { continue }
      let image = LonePages.image(page.number, kind: probe.kind, source: start)
      let database = LonePages.database(
        input.source, geometry: probe.geometry, encoding: probe.encoding(of: page.bytes.span.bytes))
      var reader = ImageReader(database, pages: database.pages, touched: input.touched)
      let span = page.bytes.span.bytes
      reader.read(span, image: image, into: &sink)
      locators[page.number] = ImageLocator(image, in: span, database: database)
    }
    return locators
  }

  /// The files that keys open, replaced keys last.
  private func openFiles(
    _ opener: CipherOpener, into sink: inout some FragmentSink
  ) -> [CipherFile] {
    var opened: [CipherFile] = []
    for index in input.keys.indices {
      if let file = opener.open(with: index) {
        opened.append(file)
        sink.observe(
          Observation(.keyFits, "key \(index + 1) opens the database (\(file.profile.name))"))
      } else if !input.keys[index].isOld {
        sink.observe(Observation(.wrongKey, "no page verifies under key \(index + 1)"))
      }
    }
    return opened.filter { !input.keys[$0.keyIndex].isOld }
      + opened.filter { input.keys[$0.keyIndex].isOld }
  }

  /// Which page opens under which key.
  private func account(
    of opened: [CipherFile], _ opener: CipherOpener, into sink: inout some FragmentSink
  ) -> KeyAccount {
    let size = opened[0].profile.pageSize
    let count = min(input.source.byteCount / size, Int(UInt32.max) - 1)
    var account = KeyAccount(
      opener, opened: opened, input: input,
      pages: (0..<count).map { KeyAccount.Page(number: UInt32($0 + 1), offset: $0 * size) },
      step: "page")
    account.run { sink.isExhausted }
    account.observe(into: &sink)
    return account
  }

  private func readDecrypted(
    _ opened: [CipherFile], _ account: KeyAccount, into sink: inout some FragmentSink
  ) {
    reportDamage(account.failed.map { $0 + 1 }, into: &sink)
    let ciphers = account.fitting.isEmpty ? Array(opened.prefix(1)) : account.fitting
    guard let source = DecryptedSource(input.source, ciphers: ciphers, layout: .database),
      let head = try? source.bytes(at: 0, count: DatabaseHeader.byteCount),
      let header = try? DatabaseHeader(parsing: head.span.bytes)
    else {
      sink.diagnostic(
        .formatDamaged, "the first page does not decrypt to a database's header",
        remedy: "the other pages verify: restore the first page from a backup", steps: ["decrypted"]
      )
      return
    }
    let store = DatabaseFile(source: source, geometry: header.geometry, showsBytes: false)
    let database = Database(store, header: header)
    let scan = DatabaseScan(database, input: input, prefix: ["decrypted"], showsBytes: false)
    // After a change of keys the log may be under another one than the file.
    scan.current = CurrentContent(store, database, input) {
      DecryptedSource($0, ciphers: opened, layout: $1)
    }
    scan.run(into: &sink)
  }

  /// How many pages verify tells damage from a wrong key: here the key is right.
  private func reportDamage(_ failed: [Int], into sink: inout some FragmentSink) {
    guard !failed.isEmpty else { return }
    for page in failed.prefix(20) {
      sink.diagnostic(
        .formatDamaged, "page \(page) does not verify under the key that opens the others",
        remedy: "the page is damaged or was written under another key; compare with a backup",
        steps: ["page", String(page)])
    }
    sink.observe(
      Observation(
        .damagedPages,
        counted(failed.count, "page does", "pages do") + " not verify under the key that fits"))
  }
}

/// Pages that are read one by one, without a database around them.
enum LonePages {
  static func database(
    _ source: any ByteSource, geometry: PageGeometry, encoding: TextEncoding = .utf8
  ) -> Database {
    var geometry = geometry
    geometry.hasFileHeader = false
    return Database(
      DatabaseFile(source: source, geometry: geometry),
      header: DatabaseHeader(of: geometry, encoding: encoding))
  }

  static func image(_ page: UInt32, kind: BTreePage.Kind, source: Int) -> PageImage {
    PageImage(
      page: page, role: PageRole(kind), tree: 0, steps: ["page", String(page)], source: source,
      liveness: .live, frame: nil)
  }
}

/// Names the pages of an encrypted file, and the records of those that are not encrypted.
final class CipherLocator: PlaceLocator {
  private let pageSize: Int
  private let byteCount: Int
  private let plain: [UInt32: ImageLocator]
  private let verdict: (Int, Int) -> CipherStatistics.Verdict

  init(
    pageSize: Int, byteCount: Int, plain: [UInt32: ImageLocator],
    isSeen: @escaping (Int, Int) -> CipherStatistics.Verdict
  ) {
    self.pageSize = pageSize
    self.byteCount = byteCount
    self.plain = plain
    verdict = isSeen
  }

  func place(of range: Range<Int>) -> Place? {
    guard range.lowerBound >= 0, range.upperBound <= byteCount else { return nil }
    let page = range.lowerBound / pageSize + 1
    let start = (page - 1) * pageSize
    if let locator = plain[UInt32(clamping: page)],
      let place = locator.database.pages.withPage(
        UInt32(clamping: page),
        { locator.place(of: range.lowerBound - start..<range.upperBound - start, in: $0) })
    {
      return place
    }
    var context = Context()
    context.page = page
    switch verdict(page, pageSize) {
    case .encrypted: context.role = "ciphertext"
    case .plaintext: context.role = "plaintext"
    case .zero: context.role = "zero"
    }
    let piece = Piece(offset: 0, source: range.lowerBound, count: range.count)
    return Place(steps: ["page", String(page)], context: context, origin: .pieces([piece]))
  }
}
