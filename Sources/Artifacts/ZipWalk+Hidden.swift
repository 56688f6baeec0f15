import Bytes
import Findings
import Formats

extension ZipWalk {
  /// Reads members that the central directory does not name: left behind by an update in place, or put
  /// there to be overlooked.
  mutating func readHidden(_ end: ZipEnd, into sink: inout some FragmentSink) throws(ReadFailure) {
    covered.append(end.directory)
    // In front of an archive inside another file lies that file, which is not ours to take apart.
    let start = try startsArchive() ? 0 : covered.map(\.lowerBound).min() ?? 0
    for gap in gaps(from: start, to: end.offset) where !isStopped {
      try recover(gap, liveness: .deleted, into: &sink)
    }
  }

  /// Whether the source starts as an archive and does not just hold one.
  func startsArchive() throws(ReadFailure) -> Bool {
    try source.bytes(at: 0, count: 2) == [0x50, 0x4B]
  }

  /// Stretches that no member and no record covers, long enough for a local header.
  private mutating func gaps(from start: Int, to end: Int) -> [Range<Int>] {
    covered.sort { $0.lowerBound < $1.lowerBound }
    var gaps: [Range<Int>] = []
    var position = start
    for range in covered {
      if range.lowerBound - position >= ZipEntry.localSize {
        gaps.append(position..<range.lowerBound)
      }
      position = max(position, range.upperBound)
    }
    if end - position >= ZipEntry.localSize { gaps.append(position..<end) }
    return gaps
  }

  /// Reads members by the local headers found in `range`.
  mutating func recover(
    _ range: Range<Int>, liveness: Liveness, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    var position = range.lowerBound
    var count = 0
    var signatures = ZipSignatures(source: source)
    while let header = try signatures.nextHeader(in: position..<range.upperBound) {
      if isStopped || sink.isExhausted { return }
      count += 1
      guard count <= Self.largestEntryCount else {
        notes.add(
          .limitCount, "only the first \(Self.largestEntryCount) members were read",
          remedy: Remedy.limit, to: &sink)
        isStopped = true
        return
      }
      guard seen.insert(header).inserted,
        let local = try localHeader(at: header, guess: 1024), local.isPlausible
      else {
        position = header + 4
        continue
      }
      position = try recoverMember(
        local, header: header, limit: range.upperBound, liveness: liveness, into: &sink)
    }
  }

  /// Reads one member by its local header and says where the search goes on.
  private mutating func recoverMember(
    _ local: ZipEntry, header: Int, limit: Int, liveness: Liveness,
    into sink: inout some FragmentSink
  ) throws(ReadFailure) -> Int {
    let name = shownName(local)
    if liveness == .deleted {
      sink.fragment(
        local.name.span.bytes,
        at: Place(
          steps: MemberName.steps(name), liveness: liveness,
          origin: .pieces([Piece(offset: 0, source: header + 30, count: local.name.count)])))
    }
    var entry = local
    let start = min(header + local.headerSize, limit)
    if local.hasDataDescriptor, local.compressedSize == 0, !local.isEncrypted {
      if local.method == .deflate {
        return try recoverStream(
          Member(entry: entry, name: name, header: header, start: start, liveness: liveness),
          limit: limit, into: &sink)
      }
      let end = try dataEnd(from: start, limit: limit)
      entry.compressedSize = end.offset - start
      entry.uncompressedSize = entry.compressedSize
      entry.crc = end.crc ?? entry.crc
    }
    try readMember(
      Member(entry: entry, name: name, header: header, start: start, liveness: liveness),
      into: &sink)
    let fits = entry.compressedSize <= limit - start
    return fits ? start + entry.compressedSize : header + ZipEntry.localSize
  }

  /// Reads a deflated member whose size follows its data: the stream itself says where it ends.
  private mutating func recoverStream(
    _ member: Member, limit: Int, into sink: inout some FragmentSink
  ) throws(ReadFailure) -> Int {
    var context = Context()
    context.member = member.name
    let steps = MemberName.steps(member.name)
    let range = member.start..<min(limit, member.start + budget.clamped(to: limit))
    let place = Place(
      steps: steps, liveness: member.liveness, context: context, origin: .transformed)
    guard sink.beginMember(member.name, at: place) else {
      isStopped = true
      return limit
    }
    let outcome = streaming.run(source, range: range, into: &sink)
    sink.endMember()
    budget -= outcome.consumed
    let end = member.start + outcome.consumed
    switch outcome.ending {
    case .refused: isStopped = true
    case .finished: break
    case .unreadable(let failure): throw failure
    case .truncated, .damaged:
      report(
        .damaged("is damaged or cut off after \(outcome.produced) bytes"), of: member.name,
        steps: steps, to: &sink)
      return member.header + ZipEntry.localSize
    }
    covered.append(member.header..<end)
    return end
  }

  /// Where the data of a member of unknown size ends: at a data descriptor (§4.3.9) that states the
  /// distance, else at the next header.
  private func dataEnd(
    from start: Int, limit: Int
  ) throws(ReadFailure) -> (offset: Int, crc: UInt32?) {
    var position = start
    var signatures = ZipSignatures(source: source)
    while let found = try signatures.next(in: position..<limit) {
      let bytes = try source.bytes(at: found, count: 16)
      let signature = Array(bytes.prefix(4))
      if signature == [0x50, 0x4B, 7, 8] {
        if let crc = Self.descriptor(bytes, distance: found - start) { return (found, crc) }
      } else if signature == ZipEntry.localSignature || signature == ZipEntry.centralSignature {
        return (found, nil)
      }
      position = found + 2
    }
    return (limit, nil)
  }

  /// The CRC-32 of a data descriptor that states this size.
  private static func descriptor(_ bytes: [UInt8], distance: Int) -> UInt32? {
    let bytes = bytes.span.bytes
    guard let size = try? bytes.littleEndianInteger(at: 8, as: UInt32.self), Int(size) == distance
    else { return nil }
    return try? bytes.littleEndianInteger(at: 4, as: UInt32.self)
  }
}

extension ZipEntry {
  /// Whether a local header found by its signature alone is likely one.
  fileprivate var isPlausible: Bool {
    versionNeeded & 0xFF <= 100 && !name.isEmpty && name.count <= 4096
      && !method.name.hasPrefix("method")
  }
}

extension Int {
  fileprivate func clamped(to limit: Int) -> Int {
    Swift.min(Swift.max(self, 0), limit)
  }
}
