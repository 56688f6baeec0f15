import Bytes
import Findings
import Formats

/// One pass over a zip archive: which stretches were read as members, and how much more may be read.
struct ZipWalk: ~Copyable {
  static let largestEntryCount = 1_000_000
  private static let directoryBlock = 256 << 10

  let source: any ByteSource
  var notes = ReaderNotes()
  /// Headers with their data, in the order they were read.
  var covered: [Range<Int>] = []
  /// Starts of the local headers that were read.
  var seen: Set<Int> = []
  /// Compressed bytes that may still be read. In a sound archive every byte belongs to one member;
  /// members that share their data (a bomb's way to grow) use this up.
  var budget: Int
  var isStopped = false
  var data = Scratch()
  var output = Scratch()
  var whole = WholeInflater()
  var streaming = StreamInflater(.raw)
  private var namesOutside = 0
  private var firstOutside = ""

  init(_ source: any ByteSource) {
    self.source = source
    let (sum, overflow) = source.byteCount.addingReportingOverflow(64 << 10)
    budget = overflow ? .max : sum
  }

  /// Reads every member that the central directory names.
  mutating func readDirectory(
    _ end: ZipEnd, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    noteEnd(end, into: &sink)
    var block: [UInt8] = []
    var blockStart = end.directory.lowerBound
    var next = 0
    var count = 0
    let largest = ZipEntry.centralSize + 3 * 65_535
    while blockStart + next < end.directory.upperBound {
      if isStopped || sink.isExhausted { return }
      let start = blockStart + next
      let blockEnd = blockStart + block.count
      if block.isEmpty || (block.count - next < largest && blockEnd < end.directory.upperBound) {
        let size = min(Self.directoryBlock, end.directory.upperBound - start)
        block = try source.bytes(at: start, count: size)
        blockStart = start
        next = 0
      }
      guard let entry = try? ZipEntry(central: block.span.bytes, at: next) else { break }
      next += entry.headerSize
      count += 1
      guard count <= Self.largestEntryCount else {
        notes.add(
          .limitCount, "only the first \(Self.largestEntryCount) members were read",
          remedy: Remedy.limit, to: &sink)
        isStopped = true
        return
      }
      try read(entry, at: start, shift: end.shift, into: &sink)
    }
    // The count has 16 bits unless a zip64 record widened it; writers let it wrap.
    if count != end.record.entryCount, count & 0xFFFF != end.record.entryCount {
      notes.add(
        .formatDamaged,
        "the zip archive's end record counts \(counted(end.record.entryCount, "member")),"
          + " its directory \(count)",
        remedy: Remedy.damaged, to: &sink)
    }
  }

  private mutating func noteEnd(_ end: ZipEnd, into sink: inout some FragmentSink) {
    if end.record.disk != 0 {
      notes.add(
        .formatUnsupported, "this is one part of a split zip archive",
        remedy: "join the parts (zip -s 0) and scan the result", to: &sink)
    }
    guard end.record.commentLength > 0,
      let comment = try? source.bytes(
        at: end.offset + ZipEndRecord.size, count: end.record.commentLength)
    else { return }
    let piece = Piece(offset: 0, source: end.offset + ZipEndRecord.size, count: comment.count)
    sink.fragment(
      comment.span.bytes, at: Place(steps: ["#comment"], origin: .pieces([piece])))
  }

  private mutating func read(
    _ entry: ZipEntry, at position: Int, shift: Int, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    let name = shownName(entry)
    describe(entry, name: name, at: position, into: &sink)
    let header = (entry.localOffset ?? 0).addingReportingOverflow(shift)
    guard !header.overflow, header.partialValue <= source.byteCount - ZipEntry.localSize else {
      notes.add(
        .formatDamaged, "member \(MemberName.shown(name)) lies beyond the end of the zip archive",
        remedy: Remedy.damaged, steps: MemberName.steps(name), to: &sink)
      return
    }
    guard seen.insert(header.partialValue).inserted else { return }
    try read(entry, name: name, header: header.partialValue, into: &sink)
  }

  /// The member's name as text; counts those that lead out of the archive.
  mutating func shownName(_ entry: ZipEntry) -> String {
    let name =
      ZipExtraFields.text(ZipExtraFields.unicodePath, in: entry.extra).map(MemberName.bounded)
      ?? MemberName.text(entry.name)
    if MemberName.leadsOutside(name) {
      if namesOutside == 0 { firstOutside = MemberName.steps(name).joined(separator: "/") }
      namesOutside += 1
    }
    return name
  }

  /// Hands on what a directory entry says besides its name.
  private func describe(
    _ entry: ZipEntry, name: String, at position: Int, into sink: inout some FragmentSink
  ) {
    guard !entry.comment.isEmpty || !entry.extra.isEmpty else { return }
    var context = Context()
    context.member = name
    let steps = MemberName.steps(name)
    if !entry.comment.isEmpty {
      let start = position + entry.headerSize - entry.comment.count
      let piece = Piece(offset: 0, source: start, count: entry.comment.count)
      sink.fragment(
        entry.comment.span.bytes,
        at: Place(steps: steps + ["#comment"], context: context, origin: .pieces([piece])))
    }
    if let comment = ZipExtraFields.text(ZipExtraFields.unicodeComment, in: entry.extra) {
      let start = position + entry.headerSize - entry.comment.count - entry.extra.count
      sink.fragment(
        Array(comment.utf8).span.bytes,
        at: Place(
          steps: steps + ["#comment"], context: context,
          origin: .decoded(from: ByteRange(offset: start, length: entry.extra.count))))
    }
  }

  /// Reads what lies behind the end of the archive as a file of its own.
  mutating func readTrailing(
    _ end: ZipEnd, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    let size = source.byteCount - end.end
    guard size > 0, !isStopped, try startsArchive() else { return }
    let piece = Piece(offset: 0, source: end.end, count: size)
    let place = Place(steps: ["#trailing"], liveness: .slack, origin: .pieces([piece]))
    guard sink.beginMember("#trailing", at: place) else { return }
    _ = try copy(end.end..<source.byteCount, into: &sink)
    sink.endMember()
  }

  /// Gives bytes to the current member as they lie.
  mutating func copy(
    _ range: Range<Int>, into sink: inout some FragmentSink
  ) throws(ReadFailure) -> (crc: UInt32, isWhole: Bool) {
    var crc: UInt32 = 0
    var offset = range.lowerBound
    while offset < range.upperBound {
      let room = data.reserve(min(256 << 10, range.upperBound - offset))
      let count = try source.read(at: offset, into: room)
      guard count > 0, !sink.isExhausted else { return (crc, false) }
      let bytes = UnsafeRawBufferPointer(rebasing: room[..<count])
      crc = crc32(bytes, after: crc)
      guard sink.append(bytes.bytes) else {
        isStopped = true
        return (crc, false)
      }
      offset += count
    }
    return (crc, true)
  }

  /// Reports what was counted on the way.
  mutating func finish(_ sink: inout some FragmentSink) {
    if namesOutside > 0 {
      notes.add(
        .formatDamaged,
        "member names that lead out of the zip archive: \(namesOutside), the first is"
          + " \(MemberName.shown(firstOutside))",
        remedy: "do not extract it with a tool that follows such names; its members were searched",
        to: &sink)
    }
    notes.finish(&sink)
  }
}
