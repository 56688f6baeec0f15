import Artifacts
import Bytes
import Findings
import Glibc
import RuleEngine

/// What one file brought up.
struct FileOutcome: Sendable {
  var input: InputRecord?
  var findings: [Finding] = []
  /// Rulings that wait for the rest of their unit.
  var waiting: [WaitingRuling] = []
  var diagnostics: [Diagnostic] = []
  var fragments = 0
  /// Suppression comments in its text.
  var comments: [SourceComment] = []
  /// What rules of the `storage` kind could decide on in this file.
  var scopes: Set<StorageRule.Scope> = []
  var dependencies: [ComponentList.Statement] = []
  /// Values in it that may be keys of databases.
  var keys: [KeyCandidate] = []

  /// Whether a key that another file holds in clear may open it.
  var mayBeOpened: Bool {
    guard let input, input.encrypted != .no else { return false }
    return input.kind == "sqlcipher" || input.kind == "sqlite"
  }
}

/// The scan of one outer file: opened read-only, hashed and searched while it is read.
struct FileScan {
  let task: ScanTask
  let file: WalkedFile
  let findings: FindingMaker
  let path: RawPath

  /// Files up to this size are read at once.
  private static let wholeSize = 4 << 20
  private static let readSize = 1 << 20

  init(task: ScanTask, file: WalkedFile, findings: FindingMaker) {
    self.task = task
    self.file = file
    self.findings = findings
    path = file.path
  }

  func run() -> FileOutcome {
    if let large = LargeFile(file, limits: task.limits) { return run(large) }
    begin(since: FileSystem.clock)
    return outcome { source, scan, outcome throws(ReadFailure) in
      let digest = try read(source, into: scan, &outcome.comments)
      if digest == nil, !source.hasChanged, !task.isLate {
        report(
          .readChanged, "file holds another number of bytes than its size says: not all was read",
          remedy: "copy it to an ordinary file and scan the copy")
      }
      return digest
    }
  }

  func begin(since started: Double, full: Set<SeenPlaces.Key> = []) {
    task.begin(file.name, below: file.root, since: started, full: full) {
      FileSource.beside(path, $0)
    }
  }

  /// Opens the file, has its bytes read, and makes findings of what was seen.
  ///
  /// - Parameter read: reads the bytes into the scan; gives their hash, where it is known already.
  func outcome(
    _ read: (FileSource, SourceScan, inout FileOutcome) throws(ReadFailure) -> [UInt8]?
  ) -> FileOutcome {
    let fragments = task.fragments
    var outcome = FileOutcome()
    do throws(ReadFailure) {
      let source = try open()
      let scan = SourceScan(
        task: task, name: path.lastName.description, depth: 0, steps: [])
      var input = InputRecord(
        path: file.name, bytes: source.byteCount, sha256: nil, kind: "empty", encrypted: .no)
      input.setHash(try read(source, scan, &outcome))
      if source.byteCount > 0 {
        input.kind = scan.kind
        input.encrypted = scan.encrypted ?? Self.encryption(of: scan.kind)
        input.layout = scan.layout
      }
      if source.hasChanged {
        input.setHash(nil)
        reportChange()
      }
      scan.endFlood()
      scan.stateFile(file.name, byteCount: source.byteCount)
      observeSurroundings(of: input, source.status, scan)
      outcome.input = input
      outcome.scopes = scan.scopes
      outcome.findings = findings.findings(from: scan, path: file.name)
      outcome.keys = zip(scan.sights, outcome.findings).compactMap { sight, finding in
        sight.databaseKey.map { KeyCandidate(key: $0, finding: finding) }
      }
      outcome.waiting = findings.rulings(from: scan, path: file.name, into: &outcome.findings)
      Excerpting(task: task, source: source).add(to: &outcome.findings)
    } catch {
      report(error)
    }
    outcome.diagnostics = task.diagnostics
    outcome.dependencies = task.dependencies
    outcome.fragments = task.fragments - fragments
    return outcome
  }

  /// What the kind alone says of a file in which no reader saw a store.
  private static func encryption(of kind: String) -> InputRecord.Encrypted {
    if let isEncrypted = UnreadReader.isEncrypted(kind: kind) {
      return isEncrypted ? .yes : .unknown
    }
    let isImage = DiskImageReader.Format(rawValue: kind) != nil
    return kind == "data" || isImage ? .unknown : .no
  }

  func open() throws(ReadFailure) -> FileSource {
    let source = try FileSource(path)
    guard source.status.kind == .file else { throw ReadFailure(errno: ENXIO) }
    return source
  }

  func reportChange() {
    report(
      .readChanged, "file was written to while it was read",
      remedy: "scan a copy, or while the program that writes it is stopped")
  }

  /// Adds what the file's name, its mode and its neighbours say of it.
  private func observeSurroundings(
    of input: InputRecord, _ status: FileStatus, _ scan: SourceScan
  ) {
    guard !findings.storageRules.isEmpty else { return }
    if scan.scopes.contains(.store), CopyName.claimsEncryption(path.lastName.description) {
      scan.scopes.insert(.name)
    }
    let surroundings = FileSurroundings(
      path: path, status: status, sibling: { FileSource.beside(path, $0) })
    for observation in surroundings.observations(kind: input.kind, encrypted: input.encrypted) {
      scan.note(observation)
    }
  }

  /// Reads, hashes and searches the whole file; nothing where it ended early.
  private func read(
    _ source: FileSource, into scan: SourceScan, _ comments: inout [SourceComment]
  ) throws(ReadFailure) -> [UInt8]? {
    guard source.byteCount > Self.wholeSize else {
      // One byte more than the size says, so that a file that grew is noticed.
      let bytes = try source.bytes(upTo: source.byteCount + 1)
      let digest =
        bytes.count == source.byteCount ? SHA256.digest(of: bytes.span.bytes) : nil
      scan.scan(bytes, digest: digest)
      if scan.isText { comments = SourceComment.comments(in: bytes, path: file.name) }
      return digest
    }
    let stream = StreamScan(scan, structureOf: source.byteCount)
    let digest = try feed(source, to: stream)
    stream.finish()
    let head = try source.bytes(at: 0, count: Recognition.headSize)
    scan.read(source, head: head.span.bytes, stream.touched)
    scan.merge()
    return digest
  }

  private func feed(_ source: FileSource, to stream: StreamScan) throws(ReadFailure) -> [UInt8]? {
    let hash = SHA256()
    let isWhole = try read(source, 0..<source.byteCount) { bytes in
      switch bytes {
      case .stored(let bytes):
        hash.update(bytes.span.bytes)
        stream.append(bytes.span.bytes)
      case .zeros(let count):
        Self.hashZeros(count, into: hash)
        stream.skip(count)
      }
    }
    return isWhole ? hash.finish() : nil
  }

  /// What a file holds at some place.
  enum Stretch {
    case stored([UInt8])
    /// A hole of a sparse file.
    case zeros(Int)

    var count: Int {
      switch self {
      case .stored(let bytes): bytes.count
      case .zeros(let count): count
      }
    }
  }

  /// Reads a range of the file in order; false where it ended early or took too long.
  func read(
    _ source: FileSource, _ range: Range<Int>, atMost most: Int = readSize,
    _ body: (Stretch) -> Void
  ) throws(ReadFailure) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let stored = source.storedRange(from: offset)
      let start = min(stored.lowerBound, range.upperBound)
      if start > offset {
        body(.zeros(start - offset))
        offset = start
      }
      let end = min(stored.upperBound, range.upperBound)
      while offset < end {
        let bytes = try source.bytes(at: offset, count: min(most, end - offset))
        guard !bytes.isEmpty else { return false }
        body(.stored(bytes))
        offset += bytes.count
        if task.isLate {
          task.reportOnce(
            .limitTime, "reading this file took more than \(Int(task.limits.seconds)) seconds",
            remedy: "scan with a greater --max-time", steps: [])
          return false
        }
      }
    }
    return true
  }

  static func hashZeros(_ count: Int, into hash: borrowing SHA256) {
    let zeros = [UInt8](repeating: 0, count: min(count, readSize))
    var left = count
    while left > 0 {
      hash.update(zeros.span.bytes.clamped(to: 0..<left))
      left -= min(left, zeros.count)
    }
  }

  private func report(_ failure: ReadFailure) {
    let message = FileSystem.message(failure.errno)
    switch failure.errno {
    case EACCES, EPERM:
      report(
        .readPermission, "file cannot be read: \(message)",
        remedy: "run as a user who may read it, or leave it out with --exclude")
    case ENOENT, ELOOP, ENXIO:
      report(
        .readVanished, "file was gone or had become something else when it was opened",
        remedy: "scan again while nothing else changes the folder")
    default:
      report(
        .readFailed, "file cannot be read: \(message)", remedy: "copy the medium and scan the copy")
    }
  }

  private func report(_ code: Diagnostic.Code, _ message: String, remedy: String) {
    task.report(code, message, remedy: remedy, steps: [])
  }
}

extension FileSource {
  /// The bytes from the start, at most `count`, even where the size promised fewer.
  fileprivate func bytes(upTo count: Int) throws(ReadFailure) -> [UInt8] {
    var failure: ReadFailure?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(ReadFailure) {
        filled = try read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
