import CSodium
import DriverProtocol
import Glibc

/// Stands for the system's keychain: one file a key, outside of the store. The system would guard it.
struct Keychain {
  let folder: String

  func path(_ name: String) -> String { folder + "/" + name }

  /// The key's 64 hexadecimal digits, or nothing if there is none.
  func key(_ name: String) -> String? {
    guard let bytes = Files.read(path(name)), bytes.count == 32 else { return nil }
    return Self.hexadecimal(bytes)
  }

  func make(_ name: String) throws(Refusal) -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&bytes, 32)
    try keep(bytes, name)
    return Self.hexadecimal(bytes)
  }

  func keep(_ bytes: [UInt8], _ name: String) throws(Refusal) {
    mkdir(folder, 0o700)
    try Files.write(bytes, to: path(name))
  }

  func remove(_ name: String) {
    unlink(path(name))
    Files.sync(folder)
  }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func bytes(_ hexadecimal: String) -> [UInt8] {
    stride(from: 0, to: hexadecimal.utf8.count, by: 2).compactMap {
      UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16)
    }
  }
}

/// Files, written so that a cut leaves the old or the new content.
enum Files {
  static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += buffer[..<count]
    }
  }

  static func write(_ bytes: [UInt8], to path: String) throws(Refusal) {
    let draft = path + ".new"
    let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw refusal() }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(file, $0.baseAddress.map { $0 + written }, bytes.count - written)
      }
      guard count > 0 else {
        let refusal = refusal()
        close(file)
        throw refusal
      }
      written += count
    }
    let isDurable = fsync(file) == 0
    close(file)
    guard isDurable, rename(draft, path) == 0 else { throw refusal() }
    sync(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
  }

  static func sync(_ folder: String) {
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func names(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func refusal() -> Refusal {
    Refusal(errno == ENOSPC ? .full : .io, "the file cannot be written: error \(errno)")
  }
}
