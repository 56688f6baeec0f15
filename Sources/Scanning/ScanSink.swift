import Artifacts
import Bytes
import Findings
import Formats
import RuleEngine

/// Takes what a reader finds in a source and searches it.
struct ScanSink: FragmentSink {
  private let scan: SourceScan
  /// What the reader reads, where it can be read again.
  private let source: (any ByteSource)?
  private var member: Member?

  /// A member whose bytes are still coming.
  private struct Member {
    var name: String
    var place: Place
    var bytes: [UInt8] = []
    /// Once it is larger than what is kept in memory it is searched window by window.
    var stream: StreamScan?
    /// How many bytes have come.
    var count = 0

    /// Where in the archive the member lies, if it is stored there in one stretch.
    var stretch: Range<Int>? {
      guard case .pieces(let pieces) = place.origin, pieces.count == 1, let piece = pieces.first,
        piece.offset == 0
      else { return nil }
      return piece.source..<piece.source + piece.count
    }
  }

  init(scan: SourceScan, of source: (any ByteSource)? = nil) {
    self.scan = scan
    self.source = source
  }

  mutating func fragment(_ bytes: RawSpan, at place: Place) {
    scan.task.viewing(.field) { scan.searchFragment(bytes, at: place) }
  }

  mutating func fragment(_ bytes: RawSpan, lost: [Range<Int>], at place: Place) {
    scan.task.viewing(.field) { scan.searchFragment(bytes, at: place, lost: lost) }
  }

  mutating func nested(_ bytes: [UInt8], name: String, at place: Place) {
    scan.scanNested(bytes, as: .member, name: name, at: place)
  }

  mutating func beginMember(_ name: String, at place: Place) -> Bool {
    endMember()
    guard scan.enter(0, at: place) else { return false }
    member = Member(name: name, place: place)
    return true
  }

  mutating func append(_ bytes: RawSpan) -> Bool {
    guard let place = member?.place else { return false }
    guard scan.spend(bytes.byteCount, steps: place.steps) else { return false }
    member?.count += bytes.byteCount
    if let stream = member?.stream {
      scan.task.viewing(.member) { stream.append(bytes) }
      return true
    }
    bytes.withUnsafeBytes { member?.bytes.append(contentsOf: $0) }
    if let open = member, isLarge(open) { startStream(open) }
    return true
  }

  /// Whether a member is more than is kept in memory: by what came, or by what its archive says that will.
  private func isLarge(_ member: Member) -> Bool {
    let stated = member.bytes.count < Recognition.headSize ? 0 : member.stretch?.count ?? 0
    let count = max(member.bytes.count, stated)
    return count > scan.task.limits.memberSize && count > limit(for: member)
  }

  /// How much of a member is kept in memory.
  private func limit(for member: Member) -> Int {
    let limits = scan.task.limits
    let head = member.bytes.span.bytes.clamped(to: 0..<Recognition.headSize)
    let isProgram = MachOFile.isMachO(head) || ELFFile(head) != nil
    return isProgram ? max(limits.programSize, limits.memberSize) : limits.memberSize
  }

  mutating func member(_ source: any ByteSource, name: String, at place: Place) -> Bool {
    endMember()
    guard scan.enter(0, at: place) else { return false }
    guard source.byteCount > scan.task.limits.memberSize else {
      member = Member(name: name, place: place)
      defer { endMember() }
      guard scan.spend(source.byteCount, steps: place.steps) else { return false }
      do throws(ReadFailure) {
        member?.bytes = try source.bytes(at: 0, count: source.byteCount)
      } catch {
        report(error, steps: place.steps)
      }
      return true
    }
    let inner = inner(named: name, at: place)
    scan.task.fragments += 1
    let isWhole = scan.task.viewing(.member) { read(large: source, into: inner, at: place) }
    inner.stateFile(name, byteCount: source.byteCount)
    scan.adopt(inner, at: place)
    return isWhole
  }

  /// Searches a file window by window, and reads its structure where it lies. False where a limit ended it.
  private func read(
    large source: any ByteSource, into inner: SourceScan, at place: Place
  ) -> Bool {
    let stream = StreamScan(inner, structureOf: source.byteCount)
    var isWhole = true
    do throws(ReadFailure) {
      isWhole = try feed(source, to: stream, steps: place.steps)
      stream.finish()
      let head = try source.bytes(at: 0, count: Recognition.headSize)
      if isWhole { inner.read(source, head: head.span.bytes, stream.touched) }
    } catch {
      report(error, steps: place.steps)
    }
    inner.merge()
    return isWhole
  }

  /// Hands the stored bytes of a file on; false where a limit ended it.
  private func feed(
    _ source: any ByteSource, to stream: StreamScan, steps: [String]
  ) throws(ReadFailure) -> Bool {
    var offset = 0
    while offset < source.byteCount {
      let stored = source.storedRange(from: offset)
      if stored.lowerBound > offset { stream.skip(stored.lowerBound - offset) }
      offset = stored.lowerBound
      while offset < stored.upperBound {
        let bytes = try source.bytes(at: offset, count: min(1 << 20, stored.upperBound - offset))
        // The file became shorter while it was read, which is told of it.
        guard !bytes.isEmpty else { return true }
        guard scan.spend(bytes.count, steps: steps) else { return false }
        stream.append(bytes.span.bytes)
        offset += bytes.count
      }
    }
    return true
  }

  private func report(_ failure: ReadFailure, steps: [String]) {
    scan.report(
      .readFailed, "could not be read (errno \(failure.errno))",
      remedy: "check the disk or the permissions and scan again", steps: steps)
  }

  private func inner(named name: String, at place: Place) -> SourceScan {
    SourceScan(
      task: scan.task, name: name, depth: scan.depth + 1,
      steps: Locator.steps(scan.steps, inside: place.steps),
      isResidue: scan.isResidue || place.liveness != .live)
  }

  /// Says anew where the open member comes from: how far its text went is known at its end.
  mutating func setOrigin(_ origin: Origin) { member?.place.origin = origin }

  mutating func endMember() {
    guard let ended = member else { return }
    member = nil
    if let stream = ended.stream {
      scan.task.viewing(.member) {
        stream.finish()
        if stream.readsStructure { readStructure(of: ended, stream) }
      }
      stream.scan.stateFile(ended.name, byteCount: scan.task.limits.memberSize)
      scan.adopt(stream.scan, at: ended.place)
    } else if !ended.bytes.isEmpty {
      let inner = inner(named: ended.name, at: ended.place)
      scan.task.fragments += 1
      scan.task.viewing(.member) {
        inner.scan(ended.bytes, digest: scan.task.digest(ofMember: ended.bytes))
      }
      inner.stateFile(ended.name, byteCount: ended.bytes.count)
      scan.adopt(inner, at: ended.place)
    }
  }

  private mutating func startStream(_ open: Member) {
    let stream = StreamScan(
      inner(named: open.name, at: open.place),
      structureOf: source == nil ? nil : open.stretch?.count)
    scan.task.viewing(.member) { stream.append(open.bytes.span.bytes) }
    member?.bytes = []
    member?.stream = stream
  }

  /// Reads the structure of a large member where the archive stores it. That less came than the archive
  /// promised was told.
  private func readStructure(of member: Member, _ stream: StreamScan) {
    if let source, let stretch = member.stretch, stretch.count == member.count {
      let part = SplicedSource(stretch, of: source)
      if let head = try? part.bytes(at: 0, count: Recognition.headSize) {
        stream.scan.read(part, head: head.span.bytes, stream.touched)
      }
    }
    stream.scan.merge()
  }

  mutating func diagnostic(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String]
  ) {
    scan.report(code, message, remedy: remedy, steps: steps)
  }

  mutating func observe(_ observation: Observation) {
    scan.observe(observation)
  }

  mutating func state(_ fact: Fact) {
    scan.state(fact)
  }

  func wants(_ subject: Fact.Subject) -> Bool { scan.wants(subject) }

  func isTelling(_ name: String) -> Bool { scan.task.searcher.isTelling(name) }

  mutating func missing(_ subjects: [Fact.Subject], because reason: String) {
    scan.note(missing: subjects, because: reason)
  }

  mutating func describe(_ layout: StorageLayout) {
    scan.layout = layout
  }

  var isExhausted: Bool { scan.isExhausted(steps: []) }

  /// Ends a member that the reader left open.
  mutating func finish() {
    endMember()
  }
}
