package import Bytes
import Findings
import Formats

/// An archive or compressed stream behind the end of a program or script: what self-extractors and
/// installers carry, and where things are hidden. (A zip archive is found by its own end record.)
package struct AppendedReader: ArtifactReader {
  package let kind = "appended"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool { false }

  package func recognisesElsewhere(in source: any ByteSource) -> Bool {
    (try? Self.start(in: source)) != nil
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    do throws(ReadFailure) {
      guard let start = try Self.start(in: input.source) else { return }
      let count = input.source.byteCount - start
      let place = Place(
        steps: ["appended", String(start)],
        origin: .pieces([Piece(offset: 0, source: start, count: count)]))
      guard sink.beginMember("appended", at: place) else { return }
      var offset = start
      while offset < input.source.byteCount {
        let bytes = try input.source.bytes(at: offset, count: Self.step)
        guard !bytes.isEmpty, sink.append(bytes.span.bytes) else { break }
        offset += bytes.count
      }
      sink.endMember()
    } catch {
      sink.reportFailure(error)
    }
  }

  private static let step = 1 << 20
  /// Self-extractors have their settings before the archive.
  private static let reach = 64 << 10

  /// Where the container behind a program starts.
  private static func start(in source: any ByteSource) throws(ReadFailure) -> Int? {
    var found = try ProgramEnd.offset(in: source)
    if found == nil { found = try scriptEnd(in: source) }
    guard let end = found, end < source.byteCount,
      try ZipEnd(in: source, tails: ZipEnd.shortTail) == nil
    else { return nil }
    let behind = try source.bytes(at: end, count: reach)
    let bytes = behind.span.bytes
    // Linkers and signers pad with zeros.
    var start = 0
    while start < 4_096, bytes[at: start] == 0 { start += 1 }
    for offset in [0, start] where isContainer(bytes, at: offset, source.byteCount - end) {
      return end + offset
    }
    for offset in 0..<bytes.byteCount where isArchive(bytes, at: offset) { return end + offset }
    return nil
  }

  /// A shell script that carries a payload: the line behind which the first control character stands.
  private static func scriptEnd(in source: any ByteSource) throws(ReadFailure) -> Int? {
    let head = try source.bytes(at: 0, count: 1 << 20)
    let bytes = head.span.bytes
    guard bytes.hasBytes("#!"), let control = bytes.firstControlCharacter else { return nil }
    // Signatures may start with some printable bytes.
    return (max(0, control - 16)...control).last { bytes[at: $0 - 1] == 0x0a }
  }

  /// Formats with a signature that is long enough, or a checked header.
  private static let containers: [any ArtifactReader] = [
    GzipReader(), FilterReader(.xz), FilterReader(.zstd), FilterReader(.bzip2), FilterReader(.lz4),
    FilterReader(.lzip), ArchiveReader(.tar), ArchiveReader(.cpio), ArchiveReader(.cab),
    ArchiveReader(.sevenZip), ArchiveReader(.rar), ArchiveReader(.rar5), XarReader(),
    SQLiteReader(), AppleCompressionReader(),
  ]

  private static func isContainer(_ bytes: RawSpan, at offset: Int, _ count: Int) -> Bool {
    let head = bytes.clamped(to: offset..<offset + 4_096)
    return head.byteCount >= 16
      && containers.contains { $0.recognises(head, byteCount: count - offset, name: "") }
  }

  private static func isArchive(_ bytes: RawSpan, at offset: Int) -> Bool {
    switch bytes[at: offset] {
    case 0x1f: isGzip(bytes, at: offset)
    case 0xfd: bytes.hasBytes([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], at: offset)
    case 0x37: bytes.hasBytes([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], at: offset)
    case 0x52: bytes.hasBytes("Rar!\u{1a}\u{7}", at: offset)
    default: false
    }
  }

  /// A gzip header as programs write it: no reserved flag, a known compression level and system
  /// (RFC 1952, §2.3.1).
  private static func isGzip(_ bytes: RawSpan, at offset: Int) -> Bool {
    guard bytes.hasBytes([0x1f, 0x8b, 8], at: offset), let flags = bytes[at: offset + 3],
      let level = bytes[at: offset + 8], let system = bytes[at: offset + 9]
    else { return false }
    return flags < 0x20 && (level == 0 || level == 2 || level == 4)
      && (system <= 13 || system == 255)
  }
}
