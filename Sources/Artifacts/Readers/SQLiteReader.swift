import Bytes
import Findings
import SQLiteFormat

/// Databases of SQLite: every value that lies in them, live or deleted, and what each byte is.
package struct SQLiteReader: ArtifactReader {
  package let kind = "sqlite"
  package var isBinary: Bool { true }

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    head.hasBytes(DatabaseHeader.magic) || DatabaseHeader.isNearly(head)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    _ = readKeepingPlaces(input, into: &sink)
  }

  package func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    let input = mended(input, into: &sink)
    guard let header = Self.header(of: input.source, into: &sink) else { return nil }
    if CipherReader.hasPlainHeader(input.source),
      let encryption = try? EncryptionMap(input.source)
    {
      return CipherScan(input: input, encryption: encryption, hasPlainHeader: true).run(into: &sink)
    }
    let scan = scan(input, header)
    scan.run(into: &sink)
    return describe(scan, input, into: &sink)
  }

  private func mended(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> ReaderInput {
    var mended = input
    mended.source = MendedSource.mending(input.source)
    if mended.source is MendedSource {
      sink.diagnostic(
        .formatDamaged, "the name of the format at the start of the database is damaged",
        remedy: "the rest of the header is sound, and the pages were read by it", steps: [])
    }
    return mended
  }

  private func scan(_ input: ReaderInput, _ header: DatabaseHeader) -> DatabaseScan {
    let store = DatabaseFile(source: input.source, geometry: header.geometry)
    let scan = DatabaseScan(database(store, header, input.common), input: input)
    scan.current = CurrentContent(store, scan.database, input) { source, _ in source }
    return scan
  }

  private func database(
    _ store: DatabaseFile, _ header: DatabaseHeader, _ common: CommonKnowledge?
  ) -> Database {
    if let known = common?.value as? KnownDatabase {
      return Database(store, header: header, outline: known.main)
    }
    let database = Database(store, header: header)
    common?.value = KnownDatabase(main: database.outline)
    return database
  }

  private func describe(
    _ scan: DatabaseScan, _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> any PlaceLocator {
    sink.describe(StorageLayout(of: scan.database) { scan.liveness(of: $0, $1) })
    return DatabaseLocator(scan, byteCount: input.source.byteCount)
  }

  /// The file header; a diagnostic says what is wrong with one that cannot be used.
  static func header(
    of source: any ByteSource, into sink: inout some FragmentSink
  ) -> DatabaseHeader? {
    do throws(ReadFailure) {
      let head = try source.bytes(at: 0, count: DatabaseHeader.byteCount)
      do throws(HeaderError) {
        return try DatabaseHeader(parsing: head.span.bytes)
      } catch {
        sink.diagnostic(
          .formatDamaged, "the header of the database is damaged: \(error.problem)",
          remedy: "its bytes were searched as they lie; repair the header to have pages read",
          steps: [])
      }
    } catch {
      sink.diagnostic(
        .readFailed, "the database could not be read (errno \(error.errno))",
        remedy: "copy the file to a medium that can be read", steps: [])
    }
    return nil
  }
}

extension SQLiteReader: PartialReader {
  package func read(
    share index: Int, of count: Int, _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any ReaderShare)? {
    plainScan(input)?.read(share: index, of: count, into: &sink)
  }

  package func finish(
    _ shares: [any ReaderShare], _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    let shares = shares.compactMap { $0 as? DatabaseShare }
    guard !shares.isEmpty, let scan = plainScan(input) else { return nil }
    for share in shares { scan.adopt(share) }
    scan.finish(into: &sink)
    return describe(scan, input, into: &sink)
  }

  /// Nothing where the file is no database with a sound header and without a key.
  private func plainScan(_ input: ReaderInput) -> DatabaseScan? {
    guard let head = try? input.source.bytes(at: 0, count: DatabaseHeader.byteCount),
      let header = try? DatabaseHeader(parsing: head.span.bytes),
      !CipherReader.hasPlainHeader(input.source)
    else { return nil }
    return scan(input, header)
  }
}

extension HeaderError {
  var problem: String {
    switch self {
    case .truncated(let missing):
      counted(missing.count, "byte is", "bytes are") + " missing at its end"
    case .magic: "it does not start with the name of the format"
    case .pageSize(let stored, let reserved):
      "no database has pages of \(stored) bytes with \(reserved) reserved"
    }
  }
}
