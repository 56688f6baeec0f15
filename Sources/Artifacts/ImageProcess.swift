import Bytes
import CImageProcess
import Glibc
import ImageProtocol

/// The program that reads file systems, at work on one image.
final class ImageProcess {
  enum Shape: String { case disk, volume }

  enum Step {
    case record(ImageRecord)
    /// Nothing came within a moment: see whether there is time left, and ask again.
    case waiting
    /// It ended, or wrote what is no record.
    case ended
  }

  /// Why it could not be started.
  enum StartFailure: Error {
    case missing(MissingCompanion)
    case system(ReadFailure)
  }

  private let identifier: pid_t
  private let output: Int32
  private var waiting: [UInt8] = []
  private var start = 0

  init(reading source: any ByteSource, as shape: Shape) throws(StartFailure) {
    let program: String
    do throws(MissingCompanion) {
      program = try CompanionFile.imageReader.path()
    } catch {
      throw .missing(error)
    }
    do throws(ReadFailure) {
      let copy = source.openFile == nil ? try Self.copy(of: source) : nil
      defer { if let copy { close(copy) } }
      var ends: [Int32] = [-1, -1]
      guard image_pipe(&ends) == 0 else { throw ReadFailure(errno: errno) }
      defer { close(ends[1]) }
      do throws(ReadFailure) {
        identifier = try Self.start(
          program, shape, input: source.openFile ?? copy ?? -1, output: ends[1])
      } catch {
        close(ends[0])
        throw error
      }
      output = ends[0]
    } catch {
      throw .system(error)
    }
  }

  deinit {
    kill(identifier, SIGKILL)
    while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
    close(output)
  }

  /// A file in memory, for a source that is none.
  private static func copy(of source: any ByteSource) throws(ReadFailure) -> Int32 {
    let file = image_memory_file()
    guard file >= 0 else { throw ReadFailure(errno: errno) }
    var offset = 0
    while offset < source.byteCount {
      let bytes = try source.bytes(at: offset, count: 1 << 20)
      let count = bytes.isEmpty ? 0 : write(file, bytes, bytes.count)
      guard count > 0 else {
        close(file)
        throw ReadFailure(errno: errno)
      }
      offset += count
    }
    return file
  }

  private static func start(
    _ program: String, _ shape: Shape, input: Int32, output: Int32
  ) throws(ReadFailure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    // Where the libraries are is all that it is to know of its surroundings.
    let libraries = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=" + String(cString: $0) }
    let arguments = [strdup(program), strdup(shape.rawValue), nil]
    let environment = [strdup("LC_ALL=C.UTF-8"), libraries.flatMap { strdup($0) }, nil]
    defer { for text in arguments + environment { free(text) } }
    var identifier: pid_t = 0
    let problem = posix_spawn(&identifier, program, &actions, nil, arguments, environment)
    guard problem == 0 else { throw ReadFailure(errno: problem) }
    return identifier
  }

  /// What it tells next.
  func next() -> Step {
    let head = ImageRecord.headSize
    if let step = stored() { return step }
    var asked = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard poll(&asked, 1, 200) != 0 else { return .waiting }
    waiting.removeFirst(start)
    start = 0
    let wanted = max(1 << 18, head)
    let before = waiting.count
    var count = 0
    waiting.append(contentsOf: repeatElement(0, count: wanted))
    count = waiting.withUnsafeMutableBytes {
      Glibc.read(output, $0.baseAddress.map { $0 + before }, wanted)
    }
    waiting.removeLast(wanted - max(0, count))
    if count < 0, errno == EINTR { return .waiting }
    guard count > 0 else { return .ended }
    return stored() ?? .waiting
  }

  /// The next record, of what was read; nothing while it is not all there.
  private func stored() -> Step? {
    guard waiting.count - start >= ImageRecord.headSize else { return nil }
    let head = Array(waiting[start..<start + ImageRecord.headSize])
    guard let size = ImageRecord.bodySize(head: head) else { return .ended }
    let body = start + ImageRecord.headSize
    guard waiting.count - body >= size else { return nil }
    start = body + size
    guard let record = ImageRecord(head: head, body: Array(waiting[body..<body + size])) else {
      return .ended
    }
    return .record(record)
  }
}
