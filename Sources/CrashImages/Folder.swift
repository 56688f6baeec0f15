import Glibc

/// The few calls that images need of the file system.
package enum Folder {
  /// The system refused: its error number, and where.
  package struct Failure: Error, Equatable {
    package var errno: Int32
    package var path: String

    package init(errno: Int32, path: String) {
      self.errno = errno
      self.path = path
    }
  }

  package enum Kind: Sendable { case file, folder, other }

  package static func kind(_ path: String) -> Kind {
    var status = stat()
    guard lstat(path, &status) == 0 else { return .other }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    default: return .other
    }
  }

  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Names in a folder, sorted.
  package static func names(_ path: String) throws(Failure) -> [String] {
    guard let folder = opendir(path) else { throw Failure(errno: errno, path: path) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The paths of all files below a folder, or the file itself.
  package static func files(below path: String) -> [String] {
    switch kind(path) {
    case .file: return [path]
    case .folder: return ((try? names(path)) ?? []).flatMap { files(below: path + "/" + $0) }
    case .other: return []
    }
  }

  package static func read(_ path: String) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Failure(errno: errno, path: path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Failure(errno: errno, path: path) }
    let size = Int(status.st_size)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      filled = 0
      while filled < size {
        let count = pread(descriptor, buffer.baseAddress.map { $0 + filled }, size - filled, filled)
        guard count > 0 else { break }
        filled += count
      }
    }
  }

  /// Makes or replaces a file that only its owner may read.
  package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(errno: errno, path: path) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written)
      }
      guard count > 0 else { throw Failure(errno: errno, path: path) }
      written += count
    }
  }

  /// Makes a folder; one that is there already is as good.
  package static func make(_ path: String) throws(Failure) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw Failure(errno: errno, path: path)
    }
  }

  /// Removes a file, or a folder with everything in it.
  package static func remove(_ path: String) {
    if kind(path) == .folder {
      for name in (try? names(path)) ?? [] { remove(path + "/" + name) }
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  /// Copies a file, or a folder with everything in it.
  package static func copy(_ path: String, to target: String) throws(Failure) {
    switch kind(path) {
    case .file: try write(read(path), to: target)
    case .folder:
      try make(target)
      for name in try names(path) { try copy(path + "/" + name, to: target + "/" + name) }
    case .other: break
    }
  }
}

extension String {
  /// The folder that a path lies in.
  package var enclosingFolder: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
