import Bytes
import CArchive
import Findings
import Formats

extension ZipWalk {
  /// Room for a local header that is longer than the central one says.
  private static let headerAllowance = 512

  /// Reads the member whose local header starts at `header`, by what the central directory says of it.
  mutating func read(
    _ entry: ZipEntry, name: String, header: Int, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    let guess = ZipEntry.localSize + entry.name.count + Self.headerAllowance
    guard let local = try localHeader(at: header, guess: guess) else {
      notes.add(
        .formatDamaged,
        "member \(MemberName.shown(name)) has no local header where the directory says",
        remedy: Remedy.damaged, steps: MemberName.steps(name), to: &sink)
      return
    }
    let disagrees =
      local.method != entry.method
      || (!local.hasDataDescriptor && local.compressedSize != entry.compressedSize)
    if disagrees {
      notes.add(
        .formatDamaged,
        "the two headers of member \(MemberName.shown(name)) disagree; it was read by both",
        remedy: Remedy.damaged, steps: MemberName.steps(name), to: &sink)
    }
    let start = header + local.headerSize
    try readMember(
      Member(entry: entry, name: name, header: header, start: start, liveness: .live), into: &sink)
    if disagrees, !isStopped {
      try readMember(
        Member(
          entry: local, name: shownName(local), header: header, start: start, liveness: .deleted),
        into: &sink)
    }
  }

  /// The local header at `header`, read with a guess of its length first.
  func localHeader(at header: Int, guess: Int) throws(ReadFailure) -> ZipEntry? {
    let bytes = try source.bytes(at: header, count: guess)
    if let parsed = try? ZipEntry(local: bytes.span.bytes, at: 0) { return parsed }
    guard bytes.span.bytes.hasBytes(ZipEntry.localSignature), bytes.count == guess else {
      return nil
    }
    let longer = try source.bytes(at: header, count: ZipEntry.localSize + 2 * 65_535)
    return try? ZipEntry(local: longer.span.bytes, at: 0)
  }

  /// A member about to be read: by which header, and where its data starts.
  struct Member {
    var entry: ZipEntry
    var name: String
    var header: Int
    var start: Int
    var liveness: Liveness
  }

  /// Reads a member of known compressed size.
  mutating func readMember(
    _ member: Member, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    let entry = member.entry
    let steps = MemberName.steps(member.name)
    let start = min(member.start, source.byteCount)
    let available = source.byteCount - start
    let size = min(entry.compressedSize, available)
    covered.append(member.header..<start + size)
    if entry.isEncrypted {
      notes.add(
        .formatEncrypted, "member \(MemberName.shown(member.name)) of the zip archive is encrypted",
        remedy: Remedy.encrypted, steps: steps, to: &sink)
      return
    }
    if size < entry.compressedSize {
      notes.add(
        .formatDamaged,
        "member \(MemberName.shown(member.name)) is cut off by the end of the zip archive",
        remedy: Remedy.damaged, steps: steps, to: &sink)
    }
    if entry.isDirectory, size == 0 { return }
    guard size <= budget else {
      notes.add(
        .limitExpansion,
        "member \(MemberName.shown(member.name)) was not read: members of this zip archive share their data",
        remedy: Remedy.limit, steps: steps, to: &sink)
      return
    }
    budget -= size
    var context = Context()
    context.member = member.name
    let isStored = entry.method == .stored
    let origin: Origin =
      isStored ? .pieces([Piece(offset: 0, source: start, count: size)]) : .transformed
    let place = Place(
      steps: steps, liveness: member.liveness, context: context, origin: origin)
    guard sink.beginMember(member.name, at: place) else {
      isStopped = true
      return
    }
    let problem = try expand(entry, start..<start + size, into: &sink)
    sink.endMember()
    if let problem { report(problem, of: member.name, steps: steps, to: &sink) }
  }

  /// What was wrong with a member's data.
  enum Problem: Equatable {
    case damaged(String)
    case memory(String)
    case unsupported
  }

  mutating func report(
    _ problem: Problem, of name: String, steps: [String], to sink: inout some FragmentSink
  ) {
    switch problem {
    case .damaged(let what):
      notes.add(
        .formatDamaged, "member \(MemberName.shown(name)) of the zip archive \(what)",
        remedy: Remedy.damaged,
        steps: steps, to: &sink)
    case .memory(let what):
      notes.add(
        .limitMemory, "member \(MemberName.shown(name)) of the zip archive: \(what)",
        remedy: Remedy.memory,
        steps: steps, to: &sink)
    case .unsupported:
      notes.add(
        .formatUnsupported,
        "member \(MemberName.shown(name)) of the zip archive is compressed in a way not known here",
        remedy: Remedy.unsupported, steps: steps, to: &sink)
    }
  }

  /// Gives a member's content to the sink.
  private mutating func expand(
    _ entry: ZipEntry, _ range: Range<Int>, into sink: inout some FragmentSink
  ) throws(ReadFailure) -> Problem? {
    switch entry.method {
    case .stored:
      let copied = try copy(range, into: &sink)
      guard copied.isWhole else { return nil }
      // Some programs leave out the checksum of what they store as it is.
      let crc = entry.crc == 0 ? 0 : copied.crc
      return verdict(entry, produced: range.count, crc: crc)
    case .deflate:
      return try inflate(entry, range, into: &sink)
    default:
      return otherMethod(entry, range, into: &sink)
    }
  }

  /// Whether what came out is what the header says.
  private func verdict(_ entry: ZipEntry, produced: Int, crc: UInt32) -> Problem? {
    if produced != entry.uncompressedSize {
      return .damaged("is said to hold \(entry.uncompressedSize) bytes and holds \(produced)")
    }
    return crc == entry.crc ? nil : .damaged("does not match its checksum")
  }

  private mutating func inflate(
    _ entry: ZipEntry, _ range: Range<Int>, into sink: inout some FragmentSink
  ) throws(ReadFailure) -> Problem? {
    if WholeInflater.isPlausible(entry.uncompressedSize, from: range.count) {
      let input = data.reserve(max(range.count, 1))
      let filled = try source.read(
        at: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: input[..<range.count]))
      let room = output.reserve(max(entry.uncompressedSize, 1))
      let compressed = UnsafeRawBufferPointer(rebasing: input[..<filled])
      let outcome = whole.inflate(
        compressed, into: UnsafeMutableRawBufferPointer(rebasing: room[..<entry.uncompressedSize]))
      if case .finished(let consumed, let produced) = outcome {
        let bytes = UnsafeRawBufferPointer(rebasing: room[..<produced])
        if !sink.append(bytes.bytes) { isStopped = true }
        defer { releaseLarge() }
        if consumed < range.count { return .damaged("has bytes behind the end of its data") }
        return verdict(entry, produced: produced, crc: crc32(bytes))
      }
      releaseLarge()
    }
    return stream(entry, range, into: &sink)
  }

  /// Memory that one large member needed is not kept for the next.
  private mutating func releaseLarge() {
    data.shrink(to: 1 << 20)
    output.shrink(to: 2 << 20)
  }

  private mutating func stream(
    _ entry: ZipEntry, _ range: Range<Int>, into sink: inout some FragmentSink
  ) -> Problem? {
    let outcome = streaming.run(source, range: range, into: &sink)
    switch outcome.ending {
    case .refused:
      isStopped = true
      return nil
    case .unreadable(let failure): return .damaged("could not be read (errno \(failure.errno))")
    case .truncated: return .damaged("ends before its data does")
    case .damaged: return .damaged("is damaged after \(outcome.produced) bytes")
    case .finished: return verdict(entry, produced: outcome.produced, crc: outcome.crc)
    }
  }

  /// Lets libarchive read a method of its own, as the only member of an archive made up for it.
  private mutating func otherMethod(
    _ entry: ZipEntry, _ range: Range<Int>, into sink: inout some FragmentSink
  ) -> Problem? {
    guard entry.compressedSize <= Int(UInt32.max) - 1,
      entry.uncompressedSize <= Int(UInt32.max) - 1
    else { return .unsupported }
    let spliced = SplicedSource(head: entry.soleHeader, source: source, range: range)
    let archive = LibArchive(spliced) { archive_read_support_format_zip_streamable($0) }
    guard let archive, archive.open() else { return .unsupported }
    switch archive.next() {
    case .entry, .warned: break
    case .end, .failed: return archive.memoryProblem.map(Problem.memory) ?? .unsupported
    }
    switch archive.copyEntry(into: &sink) {
    case .complete, .sparse: return nil
    case .refused:
      isStopped = true
      return nil
    case .damaged:
      if let problem = archive.memoryProblem { return .memory(problem) }
      let isKnown = !archive.problem.contains("nsupported") && !archive.problem.contains("not supp")
      return isKnown ? .damaged("is damaged: \(archive.problem)") : .unsupported
    }
  }
}

extension ZipEntry {
  /// A local header with this entry's sizes in it, named so that nothing depends on the real name.
  fileprivate var soleHeader: [UInt8] {
    var header = Self.localSignature
    func add<Value: FixedWidthInteger>(_ value: Value) {
      for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
        header.append(UInt8(truncatingIfNeeded: value >> Value(shift)))
      }
    }
    add(UInt16(63))
    add(flags & ~0x0809)
    add(method.rawValue)
    add(UInt32(0))
    add(crc)
    add(UInt32(truncatingIfNeeded: compressedSize))
    add(UInt32(truncatingIfNeeded: uncompressedSize))
    add(UInt16(1))
    add(UInt16(0))
    header.append(0x6D)
    return header
  }
}
