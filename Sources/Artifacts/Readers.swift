/// Every reader of the scanner.
package enum Readers {
  /// The library that opens archives, with its version.
  package static var library: String { LibArchive.version }

  /// Narrowest signature first: the first reader that recognises a source reads it.
  package static let builtIn: [any ArtifactReader] = signed + images + unread + shapes

  private static let images: [any ArtifactReader] = DiskImageReader.Format.allCases
    .map(DiskImageReader.init)

  private static let unread: [any ArtifactReader] = UnreadReader.Format.allCases
    .filter { !$0.isText }.map(UnreadReader.init)

  private static let signed: [any ArtifactReader] = [
    SQLiteReader(),
    WriteAheadLogReader(),
    JournalReader(),
    ZipReader(),
    AppendedReader(),
    LevelDBReader(),
    GzipReader(),
    FilterReader(.xz),
    FilterReader(.zstd),
    FilterReader(.bzip2),
    FilterReader(.lz4),
    FilterReader(.lzip),
    PNGReader(),
    PDFReader(),
    ArchiveReader(.sevenZip),
    ArchiveReader(.rar5),
    ArchiveReader(.rar),
    ArchiveReader(.ar),
    XarReader(),
    FilterReader(.rpm),
    MachOReader(),
    ELFReader(),
    SignedDataReader(),
    ArchiveReader(.cab),
    ArchiveReader(.iso),
    ArchiveReader(.tar),
    ArchiveReader(.cpio),
    ArchiveReader(.lha),
    TraceV3Reader(),
    AppleCompressionReader(),
    BinaryCookiesReader(),
    RTFReader(),
    DataModelReader(),
    PropertyListReader(),
    OctalDumpReader(),
    CrashReportReader(),
    UnreadReader(.age),
    UnreadReader(.armored),
    JSONBReader(),
    JSONReader(),
    FoldedTextReader.card,
    FoldedTextReader.ldif,
    MailReader(),
    MarkupReader(),
    PDFContentReader(),
    DelimitedTextReader(),
    KeyValueTextReader(),
    TextReader(),
  ]

  /// Formats that are told by their shape, since a signature of theirs is short or missing.
  private static let shapes: [any ArtifactReader] = [
    FilterReader(.compress),
    FilterReader(.lzma),
    BrotliReader(),
    DeflateReader.zlib,
    DeflateReader.raw,
    TemporaryPagesReader(),
    StatementJournalReader(),
    CipherReader(),
  ]

  /// Those that text need be asked about.
  package static let forText = builtIn.filter { !$0.isBinary }
}
