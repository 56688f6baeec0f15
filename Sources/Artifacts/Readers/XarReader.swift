import Bytes
import Findings
import Formats

/// xar archives: Apple's installer packages, signed or not.
///
/// libarchive's reader for them can be sent round in circles, so this is one of our own.
///
///     offset  size  field
///          0     4  "xar!"
///          4     2  header size
///          8     8  size of the compressed table of contents
///         16     8  its size decompressed
///                   table of contents (zlib), then the heap
package struct XarReader: ArtifactReader {
  package let kind = "xar"
  package var isBinary: Bool { true }
  private static let largestTable = 16 << 20

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    guard head.hasBytes("xar!"), let size = try? head.integer(at: 4, as: UInt16.self) else {
      return false
    }
    return size >= 28 && Int(size) < byteCount
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    var notes = ReaderNotes()
    do throws(ReadFailure) {
      if let (table, heap) = try table(of: input.source, into: &sink) {
        var walk = XarWalk(source: input.source, heap: heap)
        try walk.run(table, notes: &notes, into: &sink)
      } else {
        notes.add(
          .formatDamaged, "the xar archive's table of contents is damaged", remedy: Remedy.damaged,
          to: &sink)
      }
    } catch {
      notes.add(
        .readFailed, "reading the xar archive failed (errno \(error.errno))", remedy: Remedy.failed,
        to: &sink)
    }
    notes.finish(&sink)
  }

  private func table(
    of source: any ByteSource, into sink: inout some FragmentSink
  ) throws(ReadFailure) -> (XarTable, heap: Int)? {
    let header = try source.bytes(at: 0, count: 28)
    let bytes = header.span.bytes
    guard let size = try? bytes.integer(at: 4, as: UInt16.self),
      let stored = try? bytes.integer(at: 8, as: UInt64.self), let length = Int(exactly: stored),
      length <= source.byteCount - Int(size), length <= Self.largestTable
    else { return nil }
    let packed = try source.bytes(at: Int(size), count: length)
    guard let xml = inflated(packed, .zlib, limit: Self.largestTable)?.content else { return nil }
    sink.fragment(xml.span.bytes, at: Place(steps: ["#toc"], origin: .transformed))
    return (XarTable(parsing: xml), Int(size) + length)
  }
}

/// One pass over the files of a xar archive.
private struct XarWalk: ~Copyable {
  let source: any ByteSource
  /// Where the heap starts.
  let heap: Int
  private var budget: Int
  /// Why the member that was read last was not read to its end, if that was for want of memory.
  private var memoryProblem: String?
  private var streaming = StreamInflater(.zlib)

  init(source: any ByteSource, heap: Int) {
    self.source = source
    self.heap = heap
    budget = max(source.byteCount, 64 << 10)
  }

  mutating func run(
    _ table: XarTable, notes: inout ReaderNotes, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    if table.isCutOff {
      notes.add(
        .limitCount, "the xar archive has more files, or deeper folders, than are read",
        remedy: Remedy.limit, to: &sink)
    }
    for entry in table.entries where entry.extent.length != 0 {
      if sink.isExhausted { return }
      guard try read(entry, notes: &notes, into: &sink) else { return }
    }
  }

  /// Reads one file or attribute; false leaves the archive.
  private mutating func read(
    _ entry: XarTable.Entry, notes: inout ReaderNotes, into sink: inout some FragmentSink
  ) throws(ReadFailure) -> Bool {
    let name = MemberName.bounded(entry.path.joined(separator: "/"))
    let steps = MemberName.steps(name) + (entry.attribute.map { ["#xattr", $0] } ?? [])
    let extent = entry.extent
    guard extent.offset >= 0, extent.length > 0, extent.offset <= source.byteCount - heap,
      extent.length <= source.byteCount - heap - extent.offset
    else {
      notes.add(
        .formatDamaged, "member \(MemberName.shown(name)) lies beyond the end of the xar archive",
        remedy: Remedy.damaged, steps: steps, to: &sink)
      return true
    }
    guard extent.length <= budget else {
      notes.add(
        .limitExpansion,
        "member \(MemberName.shown(name)) was not read: members of this archive share their data",
        remedy: Remedy.limit, steps: steps, to: &sink)
      return true
    }
    budget -= extent.length
    let start = heap + extent.offset
    let isStored = extent.encoding.isEmpty || extent.encoding.hasSuffix("octet-stream")
    var context = Context()
    context.member = name
    let piece = Piece(offset: 0, source: start, count: extent.length)
    let place = Place(
      steps: steps, context: context, origin: isStored ? .pieces([piece]) : .transformed)
    guard sink.beginMember(name, at: place) else { return false }
    memoryProblem = nil
    let ending = try expand(extent, start..<start + extent.length, isStored: isStored, into: &sink)
    sink.endMember()
    switch ending {
    case .finished: return true
    case .refused: return false
    case .unreadable(let failure): throw failure
    case .truncated, .damaged:
      if let problem = memoryProblem {
        notes.add(
          .limitMemory, "member \(MemberName.shown(name)) of the xar archive: \(problem)",
          remedy: Remedy.memory,
          steps: steps, to: &sink)
        return true
      }
      notes.add(
        .formatDamaged,
        "member \(MemberName.shown(name)) of the xar archive is damaged (\(MemberName.shown(extent.encoding)))",
        remedy: Remedy.damaged, steps: steps, to: &sink)
      return true
    }
  }

  private mutating func expand(
    _ extent: XarTable.Extent, _ range: Range<Int>, isStored: Bool,
    into sink: inout some FragmentSink
  ) throws(ReadFailure) -> StreamEnding {
    if isStored {
      var offset = range.lowerBound
      while offset < range.upperBound, !sink.isExhausted {
        let block = try source.bytes(at: offset, count: min(256 << 10, range.upperBound - offset))
        guard !block.isEmpty else { return .truncated }
        guard sink.append(block.span.bytes) else { return .refused }
        offset += block.count
      }
      return .finished
    }
    // "gzip" in the table means a zlib stream.
    if extent.encoding.hasSuffix("gzip") {
      return streaming.run(source, range: range, into: &sink).ending
    }
    let filters: [(String, FilterReader.Filter)] = [
      ("bzip2", .bzip2), ("xz", .xz), ("lzma", .lzma),
    ]
    guard let filter = filters.first(where: { extent.encoding.hasSuffix($0.0) })?.1 else {
      return .damaged
    }
    let part = SplicedSource(head: [], source: source, range: range)
    guard let archive = LibArchive(part, prepare: filter.prepare), archive.open(),
      case .entry = archive.next()
    else { return .damaged }
    switch archive.copyEntry(into: &sink) {
    case .complete, .sparse: return .finished
    case .refused: return .refused
    case .damaged:
      memoryProblem = archive.memoryProblem
      return .damaged
    }
  }
}
