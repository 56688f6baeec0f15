import Glibc

/// A folder that fixtures are written into.
package struct FixtureFolder: Sendable {
  package let path: String

  package enum Failure: Error {
    case notEmpty(path: String)
    case cannotWrite(path: String, errno: Int32)
    case cannotRead(path: String, errno: Int32)
  }

  /// The folder at `path`, made where it is missing; it must be empty.
  package init(empty path: String) throws(Failure) {
    self.path = path
    if mkdir(path, 0o755) == 0 { return }
    guard errno == EEXIST, Self.isEmpty(path) else { throw .notEmpty(path: path) }
  }

  /// A folder of its own for what is thrown away again: see ``remove()``.
  package init(temporary name: String) throws(Failure) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/\(name).XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw .cannotWrite(path: parent, errno: errno) }
    path = String(cString: made)
  }

  /// Writes a file; folders on its way are made.
  package func write(_ bytes: [UInt8], to name: String) throws(Failure) {
    let file = path + "/" + name
    for (index, byte) in file.utf8.enumerated().dropFirst() where byte == UInt8(ascii: "/") {
      mkdir(String(decoding: file.utf8.prefix(index), as: UTF8.self), 0o755)
    }
    guard let handle = fopen(file, "wb") else { throw .cannotWrite(path: file, errno: errno) }
    let written = fwrite(bytes, 1, bytes.count, handle)
    guard fclose(handle) == 0, written == bytes.count else {
      throw .cannotWrite(path: file, errno: errno)
    }
  }

  package func write(_ text: String, to name: String) throws(Failure) {
    try write(Array(text.utf8), to: name)
  }

  package func bytes(of name: String) throws(Failure) -> [UInt8] {
    let file = path + "/" + name
    guard let handle = fopen(file, "rb") else { throw .cannotRead(path: file, errno: errno) }
    defer { fclose(handle) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, handle), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// Removes the folder and everything in it.
  package func remove() {
    Self.remove(path)
  }

  private static func remove(_ path: String) {
    for name in names(in: path) where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
    rmdir(path)
  }

  private static func isEmpty(_ path: String) -> Bool {
    access(path, R_OK) == 0 && names(in: path).isEmpty
  }

  private static func names(in path: String) -> [String] {
    guard let handle = opendir(path) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }
}
