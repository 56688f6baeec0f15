import Bytes
import Glibc

/// What the file system says of one name, without following a symbolic link.
struct FileStatus: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case file, folder, symbolicLink, fifo, socket, device
  }

  var kind: Kind
  var byteCount: Int
  var device: UInt64
  var inode: UInt64
  var links: Int
  var modified: Int
  /// Blocks of 512 bytes that are stored: fewer than the size says in a sparse file.
  var blocks: Int
  var mode: UInt32

  var isSparse: Bool { blocks * 512 < byteCount }
}

/// The calls that walk folders and look at names; every other file of this target is portable.
enum FileSystem {
  static func status(of path: RawPath, followingLink: Bool = false) throws(ReadFailure)
    -> FileStatus
  {
    var status = stat()
    let result = followingLink ? stat(path.characters, &status) : lstat(path.characters, &status)
    guard result == 0 else { throw ReadFailure(errno: errno) }
    return FileStatus(status)
  }

  static func status(of descriptor: Int32) throws(ReadFailure) -> FileStatus {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw ReadFailure(errno: errno) }
    return FileStatus(status)
  }

  /// The names in a folder, sorted by their bytes.
  static func names(in folder: RawPath) throws(ReadFailure) -> [[UInt8]] {
    guard let stream = opendir(folder.characters) else { throw ReadFailure(errno: errno) }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw ReadFailure(errno: errno) }
        break
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        Array(name.prefix { $0 != 0 })
      }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The absolute path without symbolic links, or nothing where there is no such file.
  static func resolved(_ path: RawPath) -> RawPath? {
    guard let resolved = realpath(path.characters, nil) else { return nil }
    defer { free(resolved) }
    return RawPath(String(cString: resolved))
  }

  static let noSuchProcess = ESRCH

  static func exists(process: Int32) -> Bool { access("/proc/\(process)", F_OK) == 0 }

  /// What the system calls an error number.
  static func message(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Errors for what is there and no file.
  static var isFolder: Int32 { EISDIR }
  static var noDevice: Int32 { ENXIO }

  /// Seconds on a clock that only goes forward.
  static var clock: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .symbolicLink
    case S_IFIFO: kind = .fifo
    case S_IFSOCK: kind = .socket
    default: kind = .device
    }
    byteCount = Int(status.st_size)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    links = Int(status.st_nlink)
    modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
    blocks = Int(status.st_blocks)
    mode = status.st_mode
  }
}

/// A file opened for reading only, never followed through a symbolic link and never written to.
final class FileSource: ByteSource {
  let status: FileStatus
  private let descriptor: Int32

  /// lseek(2)'s ways to find stored bytes and holes, which the headers hide behind a feature macro.
  private static let seekData: Int32 = 3
  private static let seekHole: Int32 = 4
  private static let zerosBesideHole = 64

  init(_ path: RawPath, followingLink: Bool = false) throws(ReadFailure) {
    // O_NONBLOCK: a name may have become a FIFO since the walk; opening one must not hang.
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW)
    let opened = open(path.characters, flags)
    guard opened >= 0 else { throw ReadFailure(errno: errno) }
    do throws(ReadFailure) {
      status = try FileSystem.status(of: opened)
    } catch {
      close(opened)
      throw error
    }
    descriptor = opened
  }

  deinit { close(descriptor) }

  var byteCount: Int { status.byteCount }
  var openFile: Int32? { descriptor }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadFailure) -> Int {
    var done = 0
    while done < buffer.count {
      let start = buffer.baseAddress.map { $0 + done }
      let count = pread(descriptor, start, buffer.count - done, off_t(offset + done))
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw ReadFailure(errno: errno)
      }
      done += count
    }
    return done
  }

  /// Whether the file was written to since it was opened.
  var hasChanged: Bool {
    guard let now = try? FileSystem.status(of: descriptor) else { return true }
    return now.byteCount != status.byteCount || now.modified != status.modified
  }

  func storedRange(from offset: Int) -> Range<Int> {
    guard status.isSparse else { return offset..<byteCount }
    let start = lseek(descriptor, off_t(offset), Self.seekData)
    guard start >= 0 else { return errno == ENXIO ? byteCount..<byteCount : offset..<byteCount }
    let end = lseek(descriptor, start, Self.seekHole)
    // Some zeros of the holes on both sides: UTF-16 text and numbers may start or end with one.
    let lower = max(offset, Int(start) - Self.zerosBesideHole)
    return lower..<(end >= 0 ? min(Int(end) + Self.zerosBesideHole, byteCount) : byteCount)
  }
}
