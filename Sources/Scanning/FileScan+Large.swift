import Artifacts
import Bytes
import Findings

extension FileScan {
  /// Reads a large file part by part, as one task does it alone.
  func run(_ large: LargeFile) -> FileOutcome {
    for index in 0..<large.partCount {
      _ = large.put(search(part: index, of: large), at: index)
    }
    hash(large)
    for index in 0..<large.shareCount {
      _ = large.put(readStructure(share: index, of: large), asShare: index)
    }
    var outcome = finish(large)
    large.complete(&outcome)
    return outcome
  }

  /// Searches one part of the file as it lies.
  func search(part index: Int, of large: LargeFile) -> FilePart {
    begin(since: large.started)
    let fragments = task.fragments
    let range = large.range(ofPart: index)
    var part = FilePart(touched: large.touched(ofPart: index))
    do throws(ReadFailure) {
      let source = try open()
      part.hasChanged = source.byteCount != file.status.byteCount
      let head = try source.bytes(at: 0, count: Recognition.headSize)
      let scan = SourceScan(
        task: task, name: file.path.lastName.description, depth: 0, steps: [])
      let isText = Recognition.isText(head.span.bytes)
      let stream = StreamScan(scan, part: range, isText: isText, touched: part.touched)
      let end = min(range.upperBound + StreamScan.after, source.byteCount)
      _ = try read(source, stream.start..<max(end, stream.start)) { stretch in
        switch stretch {
        case .stored(let bytes): stream.append(bytes.span.bytes)
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
    }
    part.account = task.account(since: fragments)
    return part
  }

  /// Reads a share of the structure, after all parts were searched.
  func readStructure(share index: Int, of large: LargeFile) -> FilePart {
    begin(since: large.started)
    let fragments = task.fragments
    var share = FilePart(touched: TouchMap(byteCount: 0))
    do throws(ReadFailure) {
      let source = try open()
      let head = try source.bytes(at: 0, count: Recognition.headSize)
      let scan = SourceScan(
        task: task, name: file.path.lastName.description, depth: 0, steps: [])
      share.structure = scan.read(
        share: index, of: large.shareCount, source, head: head.span.bytes, large.touched)
      scan.give(to: &share)
    } catch {
      share.failure = error
    }
    share.account = task.account(since: fragments)
    return share
  }

  /// Hashes the whole file.
  func hash(_ large: LargeFile) {
    begin(since: large.started)
    let hash = SHA256()
    guard let source = try? open(), source.byteCount == file.status.byteCount else { return }
    let isWhole = try? read(source, 0..<source.byteCount) { stretch in
      switch stretch {
      case .stored(let bytes): hash.update(bytes.span.bytes)
      case .zeros(let count): Self.hashZeros(count, into: hash)
      }
    }
    if isWhole == true, !source.hasChanged { large.digest = hash.finish() }
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
      scan.read(source, head: head.span.bytes, touched, shares: large.takeShares())
      scan.merge()
      if hasChanged, !source.hasChanged { reportChange() }
      return nil
    }
  }
}

extension LargeFile {
  /// Adds the hash to what was made of the file.
  func complete(_ outcome: inout FileOutcome) {
    let isKnown = outcome.diagnostics.contains { $0.code == .readChanged || $0.code == .limitTime }
    guard !isKnown, outcome.input != nil else { return }
    outcome.input?.sha256 = digest?.hexadecimal
    guard digest == nil else { return }
    outcome.diagnostics.append(
      Diagnostic(
        path: file.name, locator: file.name, code: .readChanged,
        message: "file could not be hashed: it changed, or was not read to its end in time",
        remedy: "scan a copy, or with a greater --max-time"))
  }
}
