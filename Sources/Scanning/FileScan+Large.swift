import Artifacts
import Bytes
import Findings

extension FileScan {
  /// Reads a large file part by part, as one task does it alone.
  func run(_ large: LargeFile) -> FileOutcome {
    for index in 0..<large.partCount {
      _ = large.put(search(part: index, of: large), at: index)
    }
    for index in 0..<large.shareCount {
      _ = large.put(readStructure(share: index, of: large), asShare: index)
    }
    var outcome = finish(large)
    large.complete(&outcome)
    return outcome
  }

  /// Searches one part of the file as it lies.
  func search(part index: Int, of large: LargeFile) -> FilePart {
    begin(since: large.started, full: large.full)
    let fragments = task.fragments
    let range = large.range(ofPart: index)
    var part = FilePart(touched: large.touched(ofPart: index))
    do throws(ReadFailure) {
      let source = try open()
      part.hasChanged = source.byteCount != file.byteCount
      let head = try source.bytes(at: 0, count: Recognition.headSize)
      let scan = SourceScan(
        task: task, name: path.lastName.description, depth: 0, steps: [])
      let isText = Recognition.isText(head.span.bytes)
      let stream = StreamScan(scan, part: range, isText: isText, touched: part.touched)
      let end = min(range.upperBound + StreamScan.after, source.byteCount)
      let stretches = try stretches(of: source, in: stream.start..<max(end, stream.start))
      let pieces = stretches.isWhole && !part.hasChanged ? stretches.pieces(within: range) : nil
      large.relay.add(pieces, of: index, at: range, in: source)
      for stretch in stretches.all {
        switch stretch {
        case .stored(let bytes): stream.append(bytes)
        case .zeros(let count): stream.skip(count)
        }
      }
      try stream.finishPart(of: source)
      scan.give(to: &part)
      part.touched = stream.touched
      part.lineEnds = stream.lines - 1
      if source.hasChanged { part.hasChanged = true }
    } catch {
      part.failure = error
      large.relay.fail()
    }
    part.account = task.account(since: fragments)
    return part
  }

  /// Reads a share of the structure, after all parts were searched.
  func readStructure(share index: Int, of large: LargeFile) -> FilePart {
    begin(since: large.started, full: large.fullOfShares)
    let fragments = task.fragments
    var share = FilePart(touched: TouchMap(byteCount: 0))
    do throws(ReadFailure) {
      let source = try open()
      let head = try source.bytes(at: 0, count: Recognition.headSize)
      let scan = SourceScan(
        task: task, name: path.lastName.description, depth: 0, steps: [])
      share.structure = scan.read(
        share: index, of: large.shareCount, source, head: head.span.bytes, large.touched,
        common: large.common)
      scan.give(to: &share)
    } catch {
      share.failure = error
    }
    share.account = task.account(since: fragments)
    return share
  }

  /// What lies in a range, up to where the file ended or the time was over.
  private func stretches(
    of source: FileSource, in range: Range<Int>
  ) throws(ReadFailure) -> Stretches {
    var found = Stretches(start: range.lowerBound)
    found.isWhole = try read(source, range, atMost: range.count) { found.all.append($0) }
    return found
  }

  /// Stretches one behind the other.
  private struct Stretches {
    let start: Int
    var all: [Stretch] = []
    var isWhole = false

    /// Those of a part, without what was read around it.
    func pieces(within part: Range<Int>) -> [HashRelay.Piece] {
      var offset = start
      return all.compactMap { stretch in
        let range = offset..<offset + stretch.count
        offset = range.upperBound
        let inside = range.clamped(to: part)
        guard !inside.isEmpty else { return nil }
        switch stretch {
        case .stored(let bytes):
          return .stored(
            bytes, inside.lowerBound - range.lowerBound..<inside.upperBound - range.lowerBound)
        case .zeros: return .zeros(inside.count)
        }
      }
    }
  }

  /// Reads the structure once every part was searched, and makes findings of all that was seen. The
  /// hash may not be known yet.
  func finish(_ large: LargeFile) -> FileOutcome {
    begin(since: large.started)
    return outcome { source, scan, _ throws(ReadFailure) in
      let touched = large.touched
      var lines = 0
      var hasChanged = false
      for part in large.takeParts() {
        if let failure = part.failure { throw failure }
        scan.add(part, lines: lines)
        lines += part.lineEnds
        hasChanged = hasChanged || part.hasChanged
      }
      let head = try source.bytes(at: 0, count: Recognition.headSize)
      scan.read(
        source, head: head.span.bytes, touched, shares: large.takeShares(), common: large.common)
      scan.merge()
      if hasChanged, !source.hasChanged { reportChange() }
      return nil
    }
  }
}

extension LargeFile {
  /// Adds the hash to what was made of the file.
  func complete(_ outcome: inout FileOutcome) {
    let digest = relay.digest(ofParts: partCount)
    let isKnown = outcome.diagnostics.contains { $0.code == .readChanged || $0.code == .limitTime }
    guard !isKnown, outcome.input != nil else { return }
    outcome.input?.setHash(digest)
    guard digest == nil else { return }
    outcome.diagnostics.append(
      Diagnostic(
        path: file.name, locator: file.name, code: .readChanged,
        message: "file could not be hashed: it changed, or was not read to its end in time",
        remedy: "scan a copy, or with a greater --max-time"))
  }
}
