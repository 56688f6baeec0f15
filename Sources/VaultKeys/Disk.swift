import Glibc
package import SecretBytes
package import Synchronization

/// Every change that the vault makes to files outside of SQLite goes through here: so that each is
/// made durable in the right order, never follows a symbolic link, and can be made to fail or be cut
/// off in tests.
package enum Disk {
  /// One change, told to the observer before it is made.
  package enum Change: Equatable, Sendable {
    case write(path: String, offset: Int, bytes: [UInt8])
    case truncate(path: String, count: Int)
    case sync(path: String)
    case syncFolder(path: String)
    case remove(path: String)
    case removeFolder(path: String)
    case makeFolder(path: String)
    case rename(from: String, to: String)
  }

  /// For tests: sees each change first, and can refuse it with an error number.
  package static let observer = Mutex<Observer?>(nil)

  /// A class around the closure: a bare one would be wrapped again by each read out of the mutex.
  package final class Observer: Sendable {
    let see: @Sendable (Change) -> Int32

    package init(_ see: @escaping @Sendable (Change) -> Int32) {
      self.see = see
    }
  }

  private static func announce(_ change: @autoclosure () -> Change) throws(DiskFailure) {
    let observe = observer.withLock { $0 }
    guard let observe else { return }
    let change = change()
    let refusal = observe.see(change)
    guard refusal == 0 else { throw DiskFailure(errno: refusal, path: change.path) }
  }

  private static func check(_ result: Int, _ path: String) throws(DiskFailure) {
    guard result >= 0 else { throw DiskFailure(errno: errno, path: path) }
  }
}

/// The system refused a change or a read.
package struct DiskFailure: Error, Equatable, Sendable {
  package var errno: Int32
  package var path: String

  package init(errno: Int32, path: String) {
    self.errno = errno
    self.path = path
  }
}

extension Disk.Change {
  /// The file or folder that changes.
  package var path: String {
    switch self {
    case .write(let path, _, _), .truncate(let path, _), .sync(let path), .syncFolder(let path),
      .remove(let path), .removeFolder(let path), .makeFolder(let path), .rename(_, let path):
      path
    }
  }
}

// MARK: Reading

extension Disk {
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Size in bytes, or nothing if there is no such regular file.
  package static func size(_ path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// The first `limit` bytes from `offset` on.
  package static func read(
    _ path: String, at offset: Int = 0, limit: Int
  ) throws(DiskFailure) -> [UInt8] {
    let descriptor = try open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit)
    var filled = 0
    while filled < limit {
      let count = bytes.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress.map { $0 + filled }, limit - filled, offset + filled)
      }
      try check(count, path)
      guard count > 0 else { break }
      filled += count
    }
    return Array(bytes[..<filled])
  }

  /// All of a file that holds a secret of `size` bytes, read into guarded memory and nowhere else; nothing
  /// where the file has another size.
  package static func readSecret(
    _ path: String, size: Int
  ) throws(DiskFailure) -> SecretBytes? {
    let descriptor = try open(path, O_RDONLY)
    defer { close(descriptor) }
    var status = stat()
    try check(Int(fstat(descriptor, &status)), path)
    guard Int(status.st_size) == size else { return nil }
    let secret = SecretBytes(zeroCount: size)
    let count = secret.withMutableBytes { pread(descriptor, $0.baseAddress, size, 0) }
    try check(count, path)
    guard count == size else { return nil }
    return consume secret
  }

  /// Names in a folder, sorted.
  package static func names(in path: String) throws(DiskFailure) -> [String] {
    guard let folder = opendir(path) else { throw DiskFailure(errno: errno, path: path) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Bytes that this user can still write on the file system of `path`.
  package static func freeSpace(at path: String) throws(DiskFailure) -> Int {
    var status = statvfs()
    try check(Int(statvfs(path, &status)), path)
    return Int(status.f_bavail) * Int(status.f_frsize)
  }

  /// Opens a file or folder, and nothing else: a named pipe in the place of a file would be waited on
  /// for ever, and a device is no place for keys.
  package static func open(_ path: String, _ flags: Int32) throws(DiskFailure) -> Int32 {
    let descriptor = Glibc.open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    try check(Int(descriptor), path)
    var status = stat()
    let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    guard kind == S_IFREG || kind == S_IFDIR else {
      close(descriptor)
      throw DiskFailure(errno: ENXIO, path: path)
    }
    return descriptor
  }
}

// MARK: Changing

extension Disk {
  /// Writes into a file, which is made (0600) if it does not exist. Not durable before ``sync(_:)``.
  package static func write(
    _ bytes: [UInt8], to path: String, at offset: Int = 0
  ) throws(DiskFailure) {
    try announce(.write(path: path, offset: offset, bytes: bytes))
    let descriptor = try open(path, O_WRONLY | O_CREAT)
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        pwrite(
          descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written,
          offset + written)
      }
      try check(count, path)
      written += count
    }
  }

  package static func truncate(_ path: String, to count: Int) throws(DiskFailure) {
    try announce(.truncate(path: path, count: count))
    let descriptor = try open(path, O_WRONLY)
    defer { close(descriptor) }
    try check(Int(ftruncate(descriptor, count)), path)
  }

  package static func sync(_ path: String) throws(DiskFailure) {
    try announce(.sync(path: path))
    let descriptor = try open(path, O_RDONLY)
    defer { close(descriptor) }
    try check(Int(fsync(descriptor)), path)
  }

  /// Makes the names in a folder durable: new, renamed and removed ones.
  package static func syncFolder(_ path: String) throws(DiskFailure) {
    try announce(.syncFolder(path: path))
    let descriptor = try open(path, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    try check(Int(fsync(descriptor)), path)
  }

  /// Removes a file; one that is gone already is as good.
  package static func remove(_ path: String) throws(DiskFailure) {
    guard exists(path) else { return }
    try announce(.remove(path: path))
    if unlink(path) != 0, errno != ENOENT { throw DiskFailure(errno: errno, path: path) }
  }

  /// Removes an empty folder; one that is gone already is as good.
  package static func removeFolder(_ path: String) throws(DiskFailure) {
    guard exists(path) else { return }
    try announce(.removeFolder(path: path))
    if rmdir(path) != 0, errno != ENOENT { throw DiskFailure(errno: errno, path: path) }
  }

  /// Removes a folder and all that is in it, or a file; links are removed, not followed.
  package static func removeTree(_ path: String) throws(DiskFailure) {
    guard isFolder(path) else { return try remove(path) }
    for name in try names(in: path) {
      let inner = path + "/" + name
      if isFolder(inner) { try removeTree(inner) } else { try remove(inner) }
    }
    try removeFolder(path)
  }

  /// Makes a folder (0700); one that exists already is as good.
  package static func makeFolder(_ path: String) throws(DiskFailure) {
    if exists(path) { return }
    try announce(.makeFolder(path: path))
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw DiskFailure(errno: errno, path: path) }
  }

  /// Takes a file from everyone but its owner, where others may read it: SQLite makes databases for all
  /// that the umask allows. The folder around it lets nobody in, but a copy may lose that folder.
  package static func restrict(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o077 != 0
    else { return }
    chmod(path, status.st_mode & 0o700)
  }

  package static func rename(_ from: String, to path: String) throws(DiskFailure) {
    try announce(.rename(from: from, to: path))
    try check(Int(Glibc.rename(from, path)), path)
  }
}
