import Bytes
import Findings
import Formats

/// gzip files (RFC 1952): one or several members that decompress to one content.
package struct GzipReader: ArtifactReader {
  package let kind = "gzip"
  package var isBinary: Bool { true }

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    GzipHeader.isSignature(head) && byteCount >= GzipHeader.fixedSize
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    var walk = GzipWalk(input)
    do throws(ReadFailure) {
      try walk.run(into: &sink)
    } catch {
      walk.notes.add(
        .readFailed, "reading the gzip file failed (errno \(error.errno))", remedy: Remedy.failed,
        to: &sink)
    }
    walk.notes.finish(&sink)
  }
}

/// One pass over the members of a gzip file.
private struct GzipWalk: ~Copyable {
  /// Size of the CRC-32 and length behind the data of a member.
  private static let trailerSize = 8

  let source: any ByteSource
  let fallbackName: String
  var notes = ReaderNotes()
  private var name = ""
  private var offset = 0
  private var isBegun = false
  private var data = Scratch()
  private var output = Scratch()
  private var streaming = StreamInflater(.raw)

  init(_ input: ReaderInput) {
    source = input.source
    fallbackName = ContentName.inside(input.name)
  }

  mutating func run(into sink: inout some FragmentSink) throws(ReadFailure) {
    while offset < source.byteCount, !sink.isExhausted {
      guard let header = try header() else { break }
      try describe(header, into: &sink)
      if !isBegun {
        guard sink.beginMember(name, at: place(origin: .transformed)) else { return }
        isBegun = true
      }
      let isFirst = offset == 0
      offset += header.size
      guard try member(isFirst: isFirst, into: &sink) else {
        sink.endMember()
        return
      }
    }
    if isBegun {
      sink.endMember()
    } else {
      notes.add(.formatDamaged, "the gzip header is damaged", remedy: Remedy.damaged, to: &sink)
    }
    try trailing(into: &sink)
  }

  private func place(_ steps: [String] = [], origin: Origin) -> Place {
    var context = Context()
    context.member = name
    return Place(steps: MemberName.steps(name) + steps, context: context, origin: origin)
  }

  private func header() throws(ReadFailure) -> GzipHeader? {
    for size in [512, GzipHeader.largestSize] {
      let bytes = try source.bytes(at: offset, count: size)
      guard GzipHeader.isSignature(bytes.span.bytes) else { return nil }
      if let header = try? GzipHeader(parsing: bytes.span.bytes) { return header }
    }
    return nil
  }

  /// Takes the content's name from the first header and hands on every text the headers hold.
  private mutating func describe(
    _ header: GzipHeader, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    let bytes = try source.bytes(at: offset, count: header.size)
    if !isBegun {
      let stored = MemberName.text(Array(bytes[header.name]))
      name = stored.isEmpty ? fallbackName : stored
    }
    let parts = [(header.name, "#name"), (header.comment, "#comment"), (header.extra, "#extra")]
    for (range, step) in parts where !range.isEmpty {
      let piece = Piece(offset: 0, source: offset + range.lowerBound, count: range.count)
      sink.fragment(
        bytes.span.bytes.clamped(to: range), at: place([step], origin: .pieces([piece])))
    }
  }

  /// Reads one member's data and trailer; false ends the reading.
  private mutating func member(
    isFirst: Bool, into sink: inout some FragmentSink
  ) throws(ReadFailure) -> Bool {
    var outcome = isFirst ? try whole(into: &sink) : nil
    if outcome == nil {
      outcome = streaming.run(source, range: offset..<source.byteCount, into: &sink)
    }
    guard let outcome else { return false }
    offset += outcome.consumed
    switch outcome.ending {
    case .finished: return try checkTrailer(outcome, into: &sink)
    case .refused: return false
    case .unreadable(let failure): throw failure
    case .truncated, .damaged:
      notes.add(
        .formatDamaged, "the gzip data is damaged or cut off after \(outcome.produced) bytes",
        remedy: Remedy.damaged, steps: MemberName.steps(name), to: &sink)
      return false
    }
  }

  /// Decompresses a member in one go where the length at the end of the file can be true of it.
  private mutating func whole(
    into sink: inout some FragmentSink
  ) throws(ReadFailure) -> StreamOutcome? {
    let count = source.byteCount - offset
    guard count > Self.trailerSize, count <= WholeInflater.limit else { return nil }
    let trailer = try source.bytes(at: source.byteCount - 4, count: 4)
    guard let stated = try? trailer.span.bytes.littleEndianInteger(at: 0, as: UInt32.self),
      WholeInflater.isPlausible(Int(stated), from: count)
    else { return nil }
    let input = data.reserve(count)
    let filled = try source.read(at: offset, into: input)
    let room = output.reserve(max(Int(stated), 1))
    let outcome = WholeInflater().inflate(
      UnsafeRawBufferPointer(rebasing: input[..<filled]),
      into: UnsafeMutableRawBufferPointer(rebasing: room[..<Int(stated)]))
    guard case .finished(let consumed, let produced) = outcome else { return nil }
    let bytes = UnsafeRawBufferPointer(rebasing: room[..<produced])
    let isTaken = produced == 0 || sink.append(bytes.bytes)
    return StreamOutcome(
      ending: isTaken ? .finished : .refused, consumed: consumed, produced: produced,
      crc: crc32(bytes))
  }

  private mutating func checkTrailer(
    _ outcome: StreamOutcome, into sink: inout some FragmentSink
  ) throws(ReadFailure) -> Bool {
    let trailer = try source.bytes(at: offset, count: Self.trailerSize)
    offset += trailer.count
    let crc = try? trailer.span.bytes.littleEndianInteger(at: 0, as: UInt32.self)
    let length = try? trailer.span.bytes.littleEndianInteger(at: 4, as: UInt32.self)
    if crc != outcome.crc || length != UInt32(truncatingIfNeeded: outcome.produced) {
      notes.add(
        .formatDamaged, "the gzip data does not match its checksum or length",
        remedy: Remedy.damaged, steps: MemberName.steps(name), to: &sink)
    }
    return true
  }

  /// Reads what lies behind the last member as a file of its own, unless it is padding.
  private mutating func trailing(into sink: inout some FragmentSink) throws(ReadFailure) {
    let start = offset
    guard isBegun, start < source.byteCount, !sink.isExhausted else { return }
    let first = try source.bytes(at: start, count: 64 << 10)
    guard first.contains(where: { $0 != 0 }) else { return }
    source.giveTrailing(from: start, into: &sink)
  }
}
