import Glibc

/// A folder that is gone with the value: where tests put files that are scanned.
package final class TemporaryFolder {
  package let path: String

  /// The folder could not be made or written to: the system's error number.
  package struct Failure: Error {
    package var errno: Int32
  }

  package init() throws(Failure) {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/vestige-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template), let real = realpath(made, nil) else {
      throw Failure(errno: errno)
    }
    defer { free(real) }
    path = String(cString: real)
  }

  deinit { Self.remove(Array(path.utf8CString)) }

  package subscript(name: String) -> String { path + "/" + name }

  /// Writes a file, and the folders it lies in.
  package func write(_ name: String, _ text: String) throws(Failure) {
    try write(name, bytes: Array(text.utf8))
  }

  package func write(_ name: String, bytes: [UInt8]) throws(Failure) {
    try write(name: Array(name.utf8), bytes: bytes)
  }

  /// Writes a file whose name need not be text.
  package func write(name: [UInt8], bytes: [UInt8]) throws(Failure) {
    let whole = Array(path.utf8) + [UInt8(ascii: "/")] + name
    for index in whole.indices.dropFirst(path.utf8.count + 1)
    where whole[index] == UInt8(ascii: "/") {
      mkdir(whole[..<index].map { CChar(bitPattern: $0) } + [0], 0o755)
    }
    let opened = open(
      whole.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard opened >= 0 else { throw Failure(errno: errno) }
    defer { close(opened) }
    guard Glibc.write(opened, bytes, bytes.count) == bytes.count else {
      throw Failure(errno: errno)
    }
  }

  /// Writes a file of `size` bytes of which only the given ones are stored.
  package func writeSparse(_ name: String, size: Int, _ parts: [(offset: Int, bytes: [UInt8])])
    throws(Failure)
  {
    let opened = open(self[name], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard opened >= 0 else { throw Failure(errno: errno) }
    defer { close(opened) }
    guard ftruncate(opened, off_t(size)) == 0 else { throw Failure(errno: errno) }
    for part in parts {
      guard pwrite(opened, part.bytes, part.bytes.count, off_t(part.offset)) == part.bytes.count
      else { throw Failure(errno: errno) }
    }
  }

  /// Copies a file, as it lies at this moment.
  package func copy(_ name: String, to other: String) throws(Failure) {
    guard let file = fopen(self[name], "rb") else { throw Failure(errno: errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    try write(other, bytes: bytes)
  }

  package func link(_ name: String, to target: String) {
    symlink(target, self[name])
  }

  package func hardLink(_ name: String, to existing: String) {
    Glibc.link(self[existing], self[name])
  }

  /// A pipe with a name: opening it to read would wait for a writer.
  package func makePipe(_ name: String) {
    mkfifo(self[name], 0o600)
  }

  package func makeSocket(_ name: String) {
    let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(made) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let whole = Array(self[name].utf8CString)
    withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard whole.count <= room.count else { return }
      whole.withUnsafeBytes { room.copyMemory(from: $0) }
    }
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Every name below, with what would show that something was written: size, time, kind.
  package var listing: [String] {
    var rows: [String] = []
    var folders = [path]
    while let folder = folders.popLast() {
      guard let handle = opendir(folder) else { continue }
      defer { closedir(handle) }
      while let entry = readdir(handle) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
        guard name != Array(".".utf8), name != Array("..".utf8) else { continue }
        let whole = folder + "/" + String(decoding: name, as: UTF8.self)
        var status = stat()
        guard lstat(whole, &status) == 0 else { continue }
        let time = status.st_mtim
        rows.append(
          "\(whole) \(status.st_mode) \(status.st_size) \(time.tv_sec).\(time.tv_nsec) \(status.st_ino)"
        )
        if status.st_mode & S_IFMT == S_IFDIR { folders.append(whole) }
      }
    }
    return rows.sorted()
  }

  private static func remove(_ path: [CChar]) {
    chmod(path, 0o700)
    if let handle = opendir(path) {
      defer { closedir(handle) }
      while let entry = readdir(handle) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { name in
          name.prefix { $0 != 0 }.map { CChar(bitPattern: $0) }
        }
        guard name != [0x2e], name != [0x2e, 0x2e] else { continue }
        let whole = path.dropLast() + [0x2f] + name + [0]
        var status = stat()
        guard lstat(Array(whole), &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR {
          remove(Array(whole))
        } else {
          unlink(Array(whole))
        }
      }
    }
    rmdir(path)
  }
}
