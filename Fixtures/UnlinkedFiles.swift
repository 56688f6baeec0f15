import Glibc

/// Files that SQLite unlinks as soon as it has opened them, read while it has them open: what a crash
/// of the machine, or an image of the disk, would still show.
package enum UnlinkedFiles {
  /// The content of every temporary file of SQLite that this process has open.
  package static func temporary() -> [[UInt8]] {
    var files: [[UInt8]] = []
    for descriptor in Int32(3)..<1024 {
      var name = [CChar](repeating: 0, count: 4096)
      let count = readlink("/proc/self/fd/\(descriptor)", &name, name.count - 1)
      guard count > 0 else { continue }
      let path = String(decoding: name[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard path.contains("/etilqs_") else { continue }
      files.append(bytes(of: descriptor))
    }
    return files
  }

  private static func bytes(of descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
