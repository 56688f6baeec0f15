/// Every reader of the scanner.
package enum Readers {
  /// The library that opens archives, with its version.
  package static var library: String { LibArchive.version }

  /// Narrowest signature first: the first reader that recognises a source reads it.
  package static let builtIn: [any ArtifactReader] = [
    SQLiteReader(),
    WriteAheadLogReader(),
    JournalReader(),
    ZipReader(),
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
    ArchiveReader(.cab),
    ArchiveReader(.iso),
    ArchiveReader(.tar),
    ArchiveReader(.cpio),
    ArchiveReader(.lha),
    TraceV3Reader(),
    AppleCompressionReader(),
    BinaryCookiesReader(),
    DataModelReader(),
    PropertyListReader(),
    CrashReportReader(),
    JSONReader(),
    DelimitedTextReader(),
    KeyValueTextReader(),
    TextReader(),
    FilterReader(.compress),
    FilterReader(.lzma),
    BrotliReader(),
    DeflateReader.zlib,
    DeflateReader.raw,
    TemporaryPagesReader(),
    CipherReader(),
  ]
}
