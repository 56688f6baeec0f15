import Bytes
import CArchive
import Findings
import Formats

/// Single compressed streams that libarchive's filters decompress, one format a reader.
///
/// Only filters with a library behind them are used: libarchive would start a program for others.
package struct FilterReader: ArtifactReader {
  package var kind: String { filter.rawValue }
  package var isBinary: Bool { true }
  private let filter: Filter

  package init(_ filter: Filter) {
    self.filter = filter
  }

  package enum Filter: String, CaseIterable, Sendable {
    case bzip2, xz, lzma, lzip, zstd, lz4, compress, rpm

    fileprivate var code: Int32 {
      switch self {
      case .bzip2: ARCHIVE_FILTER_BZIP2
      case .xz: ARCHIVE_FILTER_XZ
      case .lzma: ARCHIVE_FILTER_LZMA
      case .lzip: ARCHIVE_FILTER_LZIP
      case .zstd: ARCHIVE_FILTER_ZSTD
      case .lz4: ARCHIVE_FILTER_LZ4
      case .compress: ARCHIVE_FILTER_COMPRESS
      case .rpm: ARCHIVE_FILTER_RPM
      }
    }

    /// Makes this the archive's only filter; anything but OK means that no library is behind it.
    func prepare(_ archive: OpaquePointer) -> Int32 {
      guard archive_read_set_format(archive, ARCHIVE_FORMAT_RAW) == ARCHIVE_OK else {
        return ARCHIVE_FATAL
      }
      // The compress filter reads its header when it is added, before there is anything to read from,
      // so it has to be found by bidding.
      let added =
        self == .compress
        ? archive_read_support_filter_compress(archive)
        : archive_read_append_filter(archive, code)
      return added == ARCHIVE_OK ? ARCHIVE_OK : ARCHIVE_FATAL
    }
  }

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    switch filter {
    case .bzip2: Self.isBzip2(head)
    case .xz: head.hasBytes([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0])
    case .lzma: Self.isLzma(head, byteCount: byteCount)
    case .lzip: head.hasBytes("LZIP") && (head[at: 4] ?? 0xFF) <= 1
    case .zstd: Self.hasFrame([0x28, 0xB5, 0x2F, 0xFD], head)
    case .lz4: Self.hasFrame([4, 0x22, 0x4D, 0x18], head) || head.hasBytes([2, 0x21, 0x4C, 0x18])
    case .compress: Self.isCompress(head)
    // The package's headers were searched as they lie; the filter skips them.
    case .rpm: head.hasBytes([0xED, 0xAB, 0xEE, 0xDB])
    }
  }

  /// "BZh", a block size, then the magic of a block or of the end: π or its square root in BCD.
  private static func isBzip2(_ head: RawSpan) -> Bool {
    guard head.hasBytes("BZh"), let size = head[at: 3], (0x31...0x39).contains(size) else {
      return false
    }
    return head.hasBytes([0x31, 0x41, 0x59, 0x26, 0x53, 0x59], at: 4)
      || head.hasBytes([0x17, 0x72, 0x45, 0x38, 0x50, 0x90], at: 4)
  }

  /// The old header has no signature: properties that decoders take, a dictionary of a usual size, and a
  /// length that is unknown or that so many bytes can stand for.
  private static func isLzma(_ head: RawSpan, byteCount: Int) -> Bool {
    guard head.byteCount > 13, let properties = head[at: 0], properties < 225, head[at: 13] == 0,
      let dictionary = try? head.littleEndianInteger(at: 1, as: UInt32.self),
      let length = try? head.littleEndianInteger(at: 5, as: UInt64.self)
    else { return false }
    // Literals depend on at most four bits of the byte before and of the place (`LZMA_LCLP_MAX`).
    guard properties % 9 + properties / 9 % 5 <= 4 else { return false }
    let isUsual = dictionary >= 4096 && dictionary & (dictionary - 1) == 0
    // The longest match, of 273 bytes, costs more than a hundredth of a byte.
    return isUsual && (length == .max || length / (1 << 15) <= UInt64(byteCount))
  }

  /// Whether something says so that other files do not have: a name, or what all encoders write unless they
  /// are told otherwise. Of what cannot be read from its start on nobody knows that it is a stream.
  private static func isSurelyLzma(_ input: ReaderInput) -> Bool {
    let usual = try? input.source.bytes(at: 0, count: 1).first == 0x5D
    return usual == true || input.name.hasSuffix(".lzma") || input.name.hasSuffix(".tlz")
  }

  /// A frame of zstd or lz4, behind a few skippable frames at most: parallel compressors write those.
  private static func hasFrame(_ magic: [UInt8], _ head: RawSpan) -> Bool {
    var offset = 0
    for _ in 0..<8 {
      if head.hasBytes(magic, at: offset) { return true }
      guard let skippable = try? head.littleEndianInteger(at: offset, as: UInt32.self),
        skippable & 0xFFFF_FFF0 == 0x184D_2A50,
        let size = try? head.littleEndianInteger(at: offset + 4, as: UInt32.self)
      else { return false }
      offset += 8 + Int(size)
    }
    return false
  }

  /// Two bytes of magic, then at most 16 bits a code, block mode or not, and codes that each stand for
  /// something: the first for a byte, every other for one more string at most. Of ciphertext that starts
  /// with the magic half the codes stand for nothing yet.
  private static func isCompress(_ head: RawSpan) -> Bool {
    guard head.hasBytes([0x1F, 0x9D]), head.byteCount > 5, let flags = head[at: 2],
      flags & 0x60 == 0, (9...16).contains(flags & 31)
    else { return false }
    let hasClearCode = flags & 0x80 != 0
    for number in 0..<128 {
      // Nine bits each, the lowest first, as long as there are fewer than 512 strings.
      let bit = 9 * number
      guard let low = head[at: 3 + bit / 8], let high = head[at: 4 + bit / 8] else { break }
      let code = (Int(low) | Int(high) << 8) >> (bit % 8) & 511
      if number > 0, hasClearCode, code == 256 { break }
      guard code < (number == 0 ? 256 : 256 + number + (hasClearCode ? 1 : 0)) else { return false }
    }
    return true
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let archive = LibArchive(input.source, prepare: filter.prepare) else {
      sink.diagnostic(
        .formatUnsupported, "this build of libarchive cannot decompress \(kind)",
        remedy: Remedy.unsupported, steps: [])
      return
    }
    let name = ContentName.inside(input.name)
    let steps = MemberName.steps(name)
    var context = Context()
    context.member = name
    guard archive.open(), case .entry = archive.next() else {
      // An empty stream has no entry and nothing to say.
      if archive.problem != "unknown error" || archive.memoryProblem != nil {
        damaged(archive, steps, &sink)
      }
      return
    }
    let place = Place(steps: steps, context: context, origin: .transformed)
    var first: LibArchive.Block?
    if filter == .lzma {
      first = archive.nextBlock()
      if case .failed = first, archive.memoryProblem == nil, !Self.isSurelyLzma(input) { return }
    }
    guard sink.beginMember(name, at: place) else { return }
    let outcome = archive.copyEntry(startingWith: first, into: &sink)
    sink.endMember()
    if case .damaged = outcome { damaged(archive, steps, &sink) }
  }

  private func damaged(_ archive: LibArchive, _ steps: [String], _ sink: inout some FragmentSink) {
    if let failure = archive.failure {
      sink.diagnostic(
        .readFailed, "reading the \(kind) stream failed (errno \(failure.errno))",
        remedy: Remedy.failed, steps: steps)
    } else if let problem = archive.memoryProblem {
      sink.diagnostic(
        .limitMemory, "the \(kind) stream: \(problem)", remedy: Remedy.memory, steps: steps)
    } else {
      sink.diagnostic(
        .formatDamaged, "the \(kind) stream is damaged: \(archive.problem)",
        remedy: Remedy.damaged, steps: steps)
    }
  }
}
