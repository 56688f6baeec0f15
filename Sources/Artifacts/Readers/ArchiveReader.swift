package import Bytes
import CArchive
import Findings
import Formats

/// Archives that libarchive reads, one format a reader: their members are files of their own.
package struct ArchiveReader: ArtifactReader {
  package var kind: String { format.rawValue }
  package var isBinary: Bool { format != .ar && format != .cpio }
  private let format: Format

  package init(_ format: Format) {
    self.format = format
  }

  package enum Format: String, CaseIterable, Sendable {
    case tar
    case sevenZip = "7z"
    case cpio, ar, iso, rar, rar5, cab, lha

    fileprivate var support: (OpaquePointer) -> Int32 {
      switch self {
      case .tar:
        { archive in
          // What follows the end mark of the first archive is read as well.
          let supported = archive_read_support_format_tar(archive)
          archive_read_set_options(archive, "read_concatenated_archives")
          return supported
        }
      case .sevenZip: { archive_read_support_format_7zip($0) }
      case .cpio: { archive_read_support_format_cpio($0) }
      case .ar: { archive_read_support_format_ar($0) }
      case .iso: { archive_read_support_format_iso9660($0) }
      case .rar: { archive_read_support_format_rar($0) }
      case .rar5: { archive_read_support_format_rar5($0) }
      case .cab: { archive_read_support_format_cab($0) }
      case .lha: { archive_read_support_format_lha($0) }
      }
    }
  }

  /// Where the first volume descriptor of an ISO 9660 image has its signature (ECMA-119, §8.1: sector 16).
  private static let volumeSignatureOffset = 16 * 2048 + 1

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    switch format {
    case .tar: TarHeader.isHeader(head)
    case .sevenZip: head.hasBytes([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C])
    case .cpio: Self.isCpio(head)
    case .ar: head.hasBytes("!<arch>\n")
    case .iso: head.hasBytes("CD001", at: Self.volumeSignatureOffset)
    case .rar: head.hasBytes([0x52, 0x61, 0x72, 0x21, 0x1A, 7, 0])
    case .rar5: head.hasBytes([0x52, 0x61, 0x72, 0x21, 0x1A, 7, 1, 0])
    case .cab: head.hasBytes([0x4D, 0x53, 0x43, 0x46, 0, 0, 0, 0])
    case .lha:
      head.hasBytes("-lh", at: 2) && head[at: 6] == 0x2D && (head[at: 0] ?? 0) >= 22
    }
  }

  package func recognisesElsewhere(in source: any ByteSource) -> Bool {
    guard format == .iso, source.byteCount > Self.volumeSignatureOffset + 2048,
      let signature = try? source.bytes(at: Self.volumeSignatureOffset, count: 5)
    else { return false }
    return signature.elementsEqual("CD001".utf8)
  }

  /// The old binary form in both byte orders, the portable one and the two new ones (cpio(5)).
  private static func isCpio(_ head: RawSpan) -> Bool {
    if head.hasBytes("070701") || head.hasBytes("070702") {
      return (6..<110).allSatisfy { isHexDigit(head[at: $0]) }
    }
    if head.hasBytes("070707") {
      return (6..<76).allSatisfy { (0x30...0x37).contains(head[at: $0] ?? 0) }
    }
    guard head.hasBytes([0xC7, 0x71]) || head.hasBytes([0x71, 0xC7]), head.byteCount > 26 else {
      return false
    }
    let isLittleEndian = head[at: 0] == 0xC7
    let nameSize =
      isLittleEndian
      ? try? head.littleEndianInteger(at: 20, as: UInt16.self)
      : try? head.integer(at: 20, as: UInt16.self)
    guard let nameSize, nameSize > 1, nameSize < 4096 else { return false }
    let end = 26 + Int(nameSize) - 1
    return end >= head.byteCount || head[at: end] == 0
  }

  private static func isHexDigit(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    var walk = ArchiveWalk(kind: kind)
    if format == .iso, (try? ContinuationAreas(in: input.source))?.isEndless == true {
      walk.notes.add(
        .formatDamaged,
        "names of the iso image send their reader round in a circle: its members were not read",
        remedy: Remedy.damaged, to: &sink)
      return walk.notes.finish(&sink)
    }
    let memory = format == .rar ? LibArchive.memoryOfRAR : LibArchive.memory
    let archive = LibArchive(input.source, memory: memory, prepare: format.support)
    if let archive, archive.open() {
      walk.run(archive, into: &sink)
    } else if let problem = archive?.memoryProblem {
      walk.notes.add(
        .limitMemory, "the \(kind) archive: \(problem)", remedy: Remedy.memory, to: &sink)
    } else {
      walk.notes.add(
        .formatDamaged,
        "the \(kind) archive could not be opened: \(archive?.problem ?? "no memory")",
        remedy: Remedy.damaged, to: &sink)
    }
    walk.notes.finish(&sink)
  }
}

/// One pass over an archive's entries.
private struct ArchiveWalk {
  private static let largestEntryCount = 1_000_000

  let kind: String
  var notes = ReaderNotes()
  private var namesOutside = 0

  init(kind: String) {
    self.kind = kind
  }

  mutating func run(_ archive: LibArchive, into sink: inout some FragmentSink) {
    var count = 0
    var isStopped = false
    while !isStopped, !sink.isExhausted {
      count += 1
      guard count <= Self.largestEntryCount else {
        notes.add(
          .limitCount, "only the first \(Self.largestEntryCount) members were read",
          remedy: Remedy.limit, to: &sink)
        break
      }
      switch archive.next() {
      case .entry(let entry): isStopped = !read(entry, of: archive, into: &sink)
      case .warned(let entry):
        // Names that the process's locale cannot show are read as stored.
        if !archive.problem.contains("converted") {
          damaged(archive.problem, archive, steps: [], into: &sink)
        }
        isStopped = !read(entry, of: archive, into: &sink)
      case .end: isStopped = true
      case .failed:
        failed(archive, after: count - 1, into: &sink)
        isStopped = true
      }
    }
    if namesOutside > 0 {
      notes.add(
        .formatDamaged, "member names that lead out of the \(kind) archive: \(namesOutside)",
        remedy: "do not extract it with a tool that follows such names; its members were searched",
        to: &sink)
    }
  }

  /// Reads one entry; false leaves the archive.
  private mutating func read(
    _ entry: OpaquePointer, of archive: LibArchive, into sink: inout some FragmentSink
  ) -> Bool {
    let name = Self.name(of: entry)
    let steps = MemberName.steps(name)
    if MemberName.leadsOutside(name) { namesOutside += 1 }
    var context = Context()
    context.member = name
    describe(entry, steps: steps, context: context, into: &sink)
    if archive_entry_is_encrypted(entry) > 0 {
      notes.add(
        .formatEncrypted, "member \(MemberName.shown(name)) of the \(kind) archive is encrypted",
        remedy: Remedy.encrypted, steps: steps, to: &sink)
      return true
    }
    // Directories, links and devices have no data of their own; what a link points to was handed on.
    let type = UInt32(archive_entry_filetype(entry))
    guard type == 0o100000 || (type != 0o040000 && archive_entry_size(entry) > 0) else {
      return true
    }
    let first = archive.nextBlock()
    let place = Place(
      steps: steps, context: context, origin: Self.origin(of: entry, first, in: archive))
    guard sink.beginMember(name, at: place) else { return false }
    let outcome = archive.copyEntry(startingWith: first, into: &sink)
    sink.endMember()
    switch outcome {
    case .complete: return true
    case .refused: return false
    case .sparse:
      notes.add(
        .limitSize, "member \(MemberName.shown(name)) has holes that were left out",
        remedy: Remedy.limit,
        steps: steps, to: &sink)
      return true
    case .damaged(let isFatal):
      damaged(
        "member \(MemberName.shown(name)): \(archive.problem)", archive, steps: steps, into: &sink)
      return !isFatal
    }
  }

  /// Where an entry's data lies, if its first block was handed out as it was read: formats that do not
  /// compress keep an entry in one stretch, unless it is sparse.
  private static func origin(
    of entry: OpaquePointer, _ first: LibArchive.Block, in archive: LibArchive
  ) -> Origin {
    guard case .bytes(let bytes, at: 0) = first, archive_entry_sparse_count(entry) == 0,
      let start = archive.sourceOffset(of: bytes),
      let size = Int(exactly: archive_entry_size(entry)),
      size > 0, size <= archive.byteCount - start
    else { return .transformed }
    return .pieces([Piece(offset: 0, source: start, count: size)])
  }

  /// The name as UTF-8 where libarchive knows its encoding, else as stored.
  private static func name(of entry: OpaquePointer) -> String {
    if let text = LibArchive.text(archive_entry_pathname_utf8, of: entry) {
      return MemberName.bounded(String(decoding: text, as: UTF8.self))
    }
    return LibArchive.text(archive_entry_pathname, of: entry).map(MemberName.text) ?? "unnamed"
  }

  /// Hands on the texts an entry has besides its data: what a link points to, extended attributes.
  private func describe(
    _ entry: OpaquePointer, steps: [String], context: Context, into sink: inout some FragmentSink
  ) {
    for target in [archive_entry_symlink, archive_entry_hardlink] {
      guard let text = LibArchive.text(target, of: entry) else { continue }
      sink.fragment(
        text.span.bytes,
        at: Place(steps: steps + ["#link"], context: context, origin: .transformed))
    }
    archive_entry_xattr_reset(entry)
    var key: UnsafePointer<CChar>?
    var value: UnsafeRawPointer?
    var size = 0
    var count = 0
    while count < 1024, archive_entry_xattr_next(entry, &key, &value, &size) == ARCHIVE_OK {
      count += 1
      guard let value, size > 0 else { continue }
      var named = context
      named.key = key.map { String(cString: $0) }
      sink.nested(
        Array(UnsafeRawBufferPointer(start: value, count: size)), name: named.key ?? "attribute",
        at: Place(
          steps: steps + ["#xattr", named.key ?? ""], context: named, origin: .transformed))
    }
  }

  private mutating func damaged(
    _ what: String, _ archive: LibArchive, steps: [String], into sink: inout some FragmentSink
  ) {
    if let failure = archive.failure {
      notes.add(
        .readFailed, "reading the \(kind) archive failed (errno \(failure.errno))",
        remedy: Remedy.failed, steps: steps, to: &sink)
    } else if let problem = archive.memoryProblem {
      notes.add(
        .limitMemory, "the \(kind) archive: \(problem)", remedy: Remedy.memory, steps: steps,
        to: &sink)
    } else if archive.isOutOfBudget {
      notes.add(
        .limitExpansion, "the \(kind) archive sends its reader back and forth without end",
        remedy: Remedy.limit, steps: steps, to: &sink)
    } else if Self.saysEncrypted(what) {
      notes.add(
        .formatEncrypted, "the \(kind) archive is encrypted", remedy: Remedy.encrypted,
        steps: steps, to: &sink)
    } else if what.contains("nsupported") || what.contains("not supported") {
      notes.add(
        .formatUnsupported, "the \(kind) archive: \(what)", remedy: Remedy.unsupported,
        steps: steps, to: &sink)
    } else {
      notes.add(
        .formatDamaged, "the \(kind) archive is damaged: \(what)", remedy: Remedy.damaged,
        steps: steps, to: &sink)
    }
  }

  private static func saysEncrypted(_ text: String) -> Bool {
    text.contains("ncrypt") || text.contains("assphrase")
  }

  private mutating func failed(
    _ archive: LibArchive, after count: Int, into sink: inout some FragmentSink
  ) {
    let what =
      archive.hasEncryptedEntries && archive.failure == nil
      ? "encrypted headers" : "\(archive.problem) (after \(count) members)"
    damaged(what, archive, steps: [], into: &sink)
  }
}
