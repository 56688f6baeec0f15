import Findings
import Glibc
import Reporting
import Scanning

/// Text on its way to a file or the terminal, written in pieces.
///
/// A file is written beside its name and moved into place when it is whole: a full disk leaves no half report
/// where a program looks for one, and the last good one stays.
struct FileOutput: TextOutputStream {
  private let descriptor: Int32
  /// Nothing for standard output.
  private let path: String?
  /// Where the file is written until it is whole; nothing where it is written in place.
  private let beside: String?
  private var buffer = ""
  private var failure: Int32 = 0

  static func standardOutput() -> FileOutput {
    FileOutput(descriptor: STDOUT_FILENO, path: nil, beside: nil)
  }

  /// Creates or replaces a file.
  init(creating path: String) throws(OutputError) {
    if Self.isReplaceable(path) {
      let beside = "\(path).\(getpid()).new"
      let opened = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
      if opened >= 0 {
        self.init(descriptor: opened, path: path, beside: beside)
        return
      }
    }
    // A pipe, a device, a link, or a file in a folder that takes no new ones.
    let opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard opened >= 0 else { throw OutputError(path: path, code: errno) }
    self.init(descriptor: opened, path: path, beside: nil)
  }

  private init(descriptor: Int32, path: String?, beside: String?) {
    self.descriptor = descriptor
    self.path = path
    self.beside = beside
  }

  /// Whether a file of that name can be put in place of what is there: nothing, or a file of its own.
  private static func isReplaceable(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT }
    return status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
      && status.st_mode & 0o777 == 0o644 && status.st_uid == geteuid()
  }

  /// Finds out before any work is done whether a file could be written there.
  static func check(_ path: String) throws(OutputError) {
    var status = stat()
    if stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { throw OutputError(path: path, code: EISDIR) }
      guard access(path, W_OK) == 0 else { throw OutputError(path: path, code: errno) }
      return
    }
    guard errno == ENOENT else { throw OutputError(path: path, code: errno) }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard access(folder, W_OK | X_OK) == 0 else { throw OutputError(path: path, code: errno) }
  }

  /// Finds out before any work is done that a report takes the place of nothing that is read, by
  /// whatever name or link its path leads there: evidence stays what it is.
  static func check(_ path: String, isNoneOf inputs: [String]) throws(UsageError) {
    var output = stat()
    guard stat(path, &output) == 0, output.st_mode & S_IFMT == S_IFREG else { return }
    for input in inputs {
      var status = stat()
      guard stat(input, &status) == 0, status.st_dev == output.st_dev,
        status.st_ino == output.st_ino
      else { continue }
      throw .badValue("--report", "would overwrite \(input), which is read")
    }
  }

  /// Finds out before any work is done that a report takes the place of nothing that is scanned, but for an
  /// earlier report: a run that comes again writes where it wrote before.
  static func check(_ path: String, isNoneScannedBy options: ScanOptions) throws(UsageError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, options.reads(path),
      !isOwnReport(path, byteCount: Int(status.st_size))
    else { return }
    throw .overwritesScanned(path)
  }

  private static func isOwnReport(_ path: String, byteCount: Int) -> Bool {
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return false }
    defer { close(opened) }
    func sample(at offset: Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: OwnReport.sample)
      let count = pread(opened, &bytes, bytes.count, offset)
      return Array(bytes.prefix(max(0, count)))
    }
    return OwnReport.isOne(
      start: sample(at: 0), end: sample(at: max(0, byteCount - OwnReport.sample)),
      byteCount: byteCount)
  }

  mutating func write(_ text: String) {
    buffer += text
    if buffer.utf8.count > 1 << 16 { flush() }
  }

  private mutating func flush() {
    if failure == 0 { failure = Terminal.write(buffer, to: descriptor) }
    buffer = ""
  }

  /// Writes what is left, and puts a file in its place.
  mutating func finish() throws(OutputError) {
    flush()
    if path != nil, close(descriptor) != 0, failure == 0 { failure = errno }
    if let path, let beside {
      if failure == 0, rename(beside, path) != 0 { failure = errno }
      if failure != 0 { unlink(beside) }
    }
    guard failure == 0 else { throw OutputError(path: path, code: failure) }
  }

  /// Writes a file that is not text.
  static func write(_ bytes: [UInt8], to path: String) throws(OutputError) {
    var output = try FileOutput(creating: path)
    output.failure = bytes.withUnsafeBytes { Terminal.write($0, to: output.descriptor) }
    try output.finish()
  }
}

/// A report cannot be written.
struct OutputError: Equatable {
  /// Nothing for standard output.
  var path: String?
  /// As the system names the reason.
  var code: Int32

  /// Whether nobody reads what is written any more (`| head`): whoever left needs no message.
  var isAbandoned: Bool { path == nil && code == EPIPE }
}

extension OutputError: Explained {
  var problem: String {
    "\(path ?? "standard output") cannot be written: \(String(cString: strerror(code)))"
  }

  var remedy: String {
    switch code {
    case ENOSPC, EDQUOT, EFBIG: "make room, or name a path on another disk"
    default: "name a path in a folder that you may write to"
    }
  }
}
