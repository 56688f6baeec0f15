import Artifacts
import Bytes
import Findings
import Formats
import RuleEngine

/// The scan of bytes that come in order and are too many to keep: they are searched as they lie, in
/// windows that overlap.
final class StreamScan {
  /// How much is searched at a time.
  static let windowSize = 1 << 20
  /// How much of the window before stays in front of a window, and how much behind it is only looked
  /// at: a match may reach that far.
  static let before = 4_096
  static let after = 17_408

  let scan: SourceScan
  /// Starts count in this part of the source alone; what lies around it is only looked at.
  private let part: Range<Int>
  private var buffer: [UInt8] = []
  /// Offset of the buffer in the source.
  private var base = 0
  /// Up to where starts were accepted, in the buffer.
  private var accepted = 0
  private(set) var touched: TouchMap
  /// Whether a reader will look at the source's structure afterwards.
  let readsStructure: Bool
  /// Whether there is a structure to miss: what begins like a file in memory is only a part of one.
  private let isFile: Bool
  private var isText: Bool?
  private(set) var lines = 1
  /// Encoded text that began in a window before and has not ended yet.
  private var openRun: LongRun?
  /// The members of an archive that comes out of a compressed stream.
  private var members: Members?
  private var isBegun = false

  private struct Members {
    var archive = TarStream()
    var sink: ScanSink
  }

  init(_ scan: SourceScan, structureOf byteCount: Int? = nil, isFile: Bool = true) {
    self.scan = scan
    self.isFile = isFile
    part = 0..<Int.max
    readsStructure = byteCount != nil
    touched = TouchMap(byteCount: byteCount ?? 0)
    buffer.reserveCapacity(Self.windowSize + Self.before + Self.after)
  }

  /// The scan of one part of a large file, whose bytes come from `start` on.
  ///
  /// - Parameter touched: an empty map that covers the part and what lies around it.
  init(_ scan: SourceScan, part: Range<Int>, isText: Bool, touched: TouchMap) {
    self.scan = scan
    isFile = true
    self.part = part
    self.isText = isText
    self.touched = touched
    readsStructure = true
    base = max(0, part.lowerBound - Self.before)
    accepted = part.lowerBound - base
  }

  /// Where the bytes of the part must start.
  var start: Int { base }

  /// Takes over bytes; all of a part at once need not be copied.
  func append(_ bytes: [UInt8]) {
    guard part.upperBound < .max, buffer.isEmpty else {
      append(bytes.span.bytes)
      return
    }
    buffer = bytes
  }

  func append(_ bytes: RawSpan) {
    if !isBegun { begin(bytes) }
    if var open = members {
      members = nil
      open.archive.append(bytes, into: &open.sink)
      members = open
    }
    var rest = bytes
    while !rest.isEmpty {
      let room = max(1, Self.windowSize + Self.before + Self.after - buffer.count)
      let part = rest.clamped(to: 0..<room)
      part.withUnsafeBytes { buffer.append(contentsOf: $0) }
      rest = rest.clamped(to: part.byteCount..<rest.byteCount)
      if buffer.count >= Self.windowSize + Self.before + Self.after { search(isLast: false) }
    }
  }

  /// The first bytes say whether members are to be had.
  private func begin(_ head: RawSpan) {
    isBegun = true
    guard isFile, !readsStructure, part.upperBound == .max, TarHeader.isHeader(head) else { return }
    members = Members(sink: ScanSink(scan: scan))
  }

  /// Leaves out bytes that are known to be zeros: a hole of a sparse file.
  func skip(_ count: Int) {
    // Zeros are no text, and have no lines.
    isText = false
    search(isLast: true)
    base += buffer.count + count
    buffer.removeAll(keepingCapacity: true)
    accepted = max(0, part.lowerBound - base)
  }

  /// Searches what is left of a part. Encoded text that goes on behind it belongs to the part in which
  /// it starts, and is read on from `source`.
  func finishPart(of source: some ByteSource) throws(ReadFailure) {
    search(isLast: base + buffer.count >= source.byteCount)
    guard var run = openRun else { return }
    openRun = nil
    while run.end < source.byteCount, !scan.task.isLate {
      let bytes = try source.bytes(at: run.end, count: Self.windowSize)
      guard run.append(bytes.span.bytes) else { break }
    }
    run.finish()
  }

  /// Searches what is left. The structure of what was too large to keep was not read, which is said
  /// where a reader would have known it.
  func finish() {
    if var open = members {
      open.archive.finish(into: &open.sink)
      open.sink.finish()
    }
    search(isLast: true)
    if !readsStructure { scan.merge() }
  }

  private func search(isLast: Bool) {
    if isText == nil { identify() }
    let end = min(isLast ? buffer.count : buffer.count - Self.after, part.upperBound - base)
    guard accepted < end else { return }
    let decoded = decodeOpenRun(isLast: isLast)
    let known = scan.sights.count
    let open = scan.search(
      buffer.span.bytes, base: base, accepted: accepted..<end, surroundings: Surroundings(),
      touched: &touched, continues: !isLast, decoded: decoded)
    if let open, openRun == nil { startRun(open) }
    if isText == true { addLines(to: known..<scan.sights.count, upTo: end) }
    guard base + end < part.upperBound else {
      accepted = end
      return
    }
    let dropped = max(0, end - Self.before)
    buffer.removeSubrange(0..<dropped)
    base += dropped
    accepted = end - dropped
  }

  private func startRun(_ run: EncodedRun) {
    guard var long = LongRun(run.encoding, from: run.range.lowerBound + base, in: scan) else {
      return
    }
    _ = long.append(buffer.span.bytes.clamped(to: run.range.lowerBound..<buffer.count))
    openRun = long
  }

  /// Goes on with encoded text that is longer than a window, and says up to where the buffer is part
  /// of it.
  private func decodeOpenRun(isLast: Bool) -> Int {
    guard var run = openRun else { return 0 }
    let held = buffer
    let start = max(0, run.end - base)
    let goesOn = run.append(held.span.bytes.clamped(to: start..<held.count))
    let end = run.end - base
    if goesOn, !isLast {
      openRun = run
    } else {
      run.finish()
      openRun = nil
    }
    return end
  }

  private func identify() {
    let held = buffer
    let head = held.span.bytes.clamped(to: 0..<Recognition.headSize)
    let known = Recognition(
      of: head, byteCount: buffer.count, name: scan.name, source: nil, asksMagic: false)
    scan.kind = known.kind
    isText = known.isText
    guard isFile, !readsStructure, members == nil, !known.readers.isEmpty, !known.isText else {
      return
    }
    let limits = scan.task.limits
    let isProgram = known.kind == "mach-o" || known.kind == "elf"
    let limit = isProgram ? limits.programSize : limits.memberSize
    scan.report(
      .limitSize,
      "larger than \(limit) bytes inside a container: searched as it lies, its"
        + " \(known.kind) structure was not read",
      remedy: "unpack it and scan it by itself", steps: [])
  }

  /// Gives line numbers to sights of this window and counts its lines.
  private func addLines(to new: Range<Int>, upTo end: Int) {
    var line = lines
    var offset = accepted
    for index in new.sorted(by: { start(of: $0) < start(of: $1) }) {
      guard scan.sights[index].line == nil, start(of: index) != Int.max else { continue }
      let place = min(max(start(of: index) - base, offset), buffer.count)
      line += LineCounter.lineEnds(in: buffer.span.bytes.clamped(to: offset..<place))
      offset = place
      scan.sights[index].line = line
    }
    lines += LineCounter.lineEnds(in: buffer.span.bytes.clamped(to: accepted..<end))
  }

  private func start(of sight: Int) -> Int { scan.sights[sight].ranges.first?.offset ?? Int.max }
}
