import Artifacts
import Bytes
import Findings
import SQLiteFormat

extension InspectedFile {
  /// Pages that are named one by one.
  private static var mostNamed: Int { 50 }

  /// An encrypted database: which pages are ciphertext, which key opens it, and what is inside.
  func cipherSections(hasPlainHeader: Bool) -> [Inspection.Section] {
    guard let encryption = try? EncryptionMap(source) else { return [] }
    let opener = CipherOpener(source, keys: keys)
    let opened = keys.indices.map { (index: $0, file: opener.open(with: $0)) }
    let first = opened.lazy.compactMap(\.file).first
    let size = first?.profile.pageSize ?? (source.byteCount % 4096 == 0 ? 4096 : 1024)
    var sections = [ciphertext(encryption, pageSize: size, hasPlainHeader: hasPlainHeader)]
    for (index, file) in opened { sections.append(keySection(index, file)) }
    if let first { sections += inside(first) }
    return sections
  }

  private func ciphertext(
    _ encryption: EncryptionMap, pageSize: Int, hasPlainHeader: Bool
  ) -> Inspection.Section {
    var section = Inspection.Section("ciphertext", "Ciphertext")
    let layout = StorageLayout(of: encryption, pageSize: pageSize)
    section.add("encrypted", "encrypted", .word(encryption.summary.rawValue))
    section.add("pageSize", "bytes a page, as counted", .number(pageSize))
    for (key, role, label) in [
      ("encryptedPages", "ciphertext", "pages of ciphertext"),
      ("plaintextPages", "plaintext", "pages that can be read"),
      ("zeroPages", "zero", "empty pages"),
    ] {
      let count = layout.runs.filter { $0.role == role }.reduce(0) { $0 + $1.count }
      section.add(key, label, .number(count))
    }
    if source.byteCount % pageSize != 0 {
      section.add("trailing", "bytes after the last page", .size(source.byteCount % pageSize))
    }
    section.layout = layout
    if hasPlainHeader {
      section.remarks.append(
        "a readable header stands before the ciphertext: the salt is kept elsewhere")
    }
    if keys.isEmpty {
      section.remarks.append("no key was given: --key opens it, where it is SQLCipher's")
    }
    return section
  }

  /// What one key is worth. How many pages verify tells damage from a wrong key.
  private func keySection(_ index: Int, _ file: CipherFile?) -> Inspection.Section {
    var section = Inspection.Section("key\(index + 1)", "Key \(index + 1)")
    guard let file else {
      section.add("opens", "opens the database", .flag(false))
      section.remarks.append("no page verifies: the key is wrong, or this is no SQLCipher database")
      return section
    }
    let size = file.profile.pageSize
    var counts: [CipherFile.PageState: Int] = [:]
    var failed: [Int] = []
    var plain: [Int] = []
    for page in 0..<source.byteCount / size {
      guard let bytes = try? source.bytes(at: page * size, count: size) else { break }
      let state = file.state(of: bytes.span.bytes, page: UInt32(clamping: page + 1))
      counts[state, default: 0] += 1
      if state == .failed { failed.append(page + 1) }
      if state == .plaintext { plain.append(page + 1) }
    }
    section.add("opens", "opens the database", .flag(true))
    section.add("format", "format", .text(file.profile.name))
    section.add("pageSize", "bytes a page", .number(size))
    section.add("reserved", "reserved bytes a page", .number(file.profile.reserved))
    section.add(
      "kdf", "key derivation",
      .text("PBKDF2-HMAC-\(file.profile.kdf.rawValue), \(file.profile.iterations) rounds"))
    section.add("hmac", "page HMAC", .init(file.profile.hmac?.rawValue))
    section.add("verified", "pages that verify", .number(counts[.verified] ?? 0))
    section.add("zero", "empty pages", .number(counts[.zero] ?? 0))
    section.add("plaintext", "pages that can be read", .number(counts[.plaintext] ?? 0))
    section.add("failed", "pages that do not verify", .number(counts[.failed] ?? 0))
    if !failed.isEmpty {
      section.add("failedPages", "these", .list(failed.prefix(Self.mostNamed).map { .number($0) }))
      section.remarks.append(
        "the key is right, those pages are not: damaged, or written under another key")
    }
    if !plain.isEmpty {
      section.add("plainPages", "readable", .list(plain.prefix(Self.mostNamed).map { .number($0) }))
      section.remarks.append("pages of plaintext among ciphertext: they lie open to anyone")
    }
    return section
  }

  /// The database that a key shows: nothing of this lies open in the file.
  private func inside(_ file: CipherFile) -> [Inspection.Section] {
    guard let plain = DecryptedSource(source, ciphers: [file], layout: .database),
      let head = try? plain.bytes(at: 0, count: DatabaseHeader.byteCount),
      let header = try? DatabaseHeader(parsing: head.span.bytes)
    else { return [] }
    let store = DatabaseFile(source: plain, geometry: header.geometry, showsBytes: false)
    let inspection = DatabaseInspection(store, header: header)
    var sections = DatabaseSections(inspection).all + storeSections(inspection.database)
    for index in sections.indices where !sections[index].title.isEmpty {
      sections[index].title += ", inside the ciphertext"
    }
    return sections + sealedSections(inspection.database)
  }

  /// Which frames of a log beside an encrypted database open under which key.
  func cipherFrames(
    _ log: any ByteSource, _ index: LogIndex, main: (any ByteSource)?
  ) -> Inspection.Section {
    let pages = index.frames.indices.map {
      (page: index.frames[$0].page, offset: index.pageOffset(ofFrame: $0))
    }
    return proof(
      "frameKeys", "Frames under the keys given", log, pages, pageSize: index.pageSize, main: main)
  }

  /// The same for the records of a journal.
  func cipherRecords(
    _ file: any ByteSource, _ journal: RollbackJournal, main: (any ByteSource)?
  ) -> Inspection.Section {
    let pages = journal.records.map { (page: $0.page, offset: $0.offset) }
    return proof(
      "recordKeys", "Records under the keys given", file, pages, pageSize: journal.pageSize,
      main: main)
  }

  /// After a change of keys this proves what still opens under the old one.
  private func proof(
    _ key: String, _ title: String, _ file: any ByteSource, _ pages: [(page: UInt32, offset: Int)],
    pageSize: Int, main: (any ByteSource)?
  ) -> Inspection.Section {
    var section = Inspection.Section(key, title)
    guard let main, !keys.isEmpty, !pages.isEmpty else { return section }
    func bytes(_ page: (page: UInt32, offset: Int)) -> [UInt8]? {
      try? file.bytes(at: page.offset, count: pageSize)
    }
    let samples = stride(from: 0, to: pages.count, by: max(1, pages.count / 24)).compactMap {
      index in bytes(pages[index]).map { (page: pages[index].page, bytes: $0) }
    }
    let opened = CipherOpener(main, keys: keys, samples: samples).open().filter {
      $0.profile.pageSize == pageSize
    }
    guard !opened.isEmpty else { return section }
    var table = Inspection.Table(
      .init("key", "key"), .init("verified", "verified", isNumber: true),
      .init("first", "first", isNumber: true), .init("last", "last", isNumber: true))
    var places = [[Int]](repeating: [], count: opened.count)
    var readable = 0
    var failed = 0
    for (number, page) in pages.enumerated() {
      guard let bytes = bytes(page) else { continue }
      let span = bytes.span.bytes
      if let fit = opened.firstIndex(where: { $0.state(of: span, page: page.page) == .verified }) {
        places[fit].append(number + 1)
      } else if opened[0].state(of: span, page: page.page) == .plaintext {
        readable += 1
      } else if opened[0].state(of: span, page: page.page) == .failed {
        failed += 1
      }
    }
    for (file, found) in zip(opened, places) {
      table.rows.append([
        .word("key \(file.keyIndex + 1)"), .number(found.count),
        found.first.map { .number($0) } ?? .missing, found.last.map { .number($0) } ?? .missing,
      ])
    }
    section.table = table
    section.add("readable", "readable without a key", .number(readable))
    section.add("failed", "under no key given", .number(failed))
    return section
  }
}
