import Glibc

/// Who may read a file.
enum FileAccess {
  /// Whether its own mode and those of all folders above let every user read it: a store of mode 644 in
  /// a folder of mode 700 is nobody else's.
  static func isReadableByAll(_ path: RawPath, mode: UInt32) -> Bool {
    guard mode & UInt32(S_IROTH) != 0, let whole = FileSystem.resolved(path) else { return false }
    var folder = whole.bytes[...]
    while let slash = folder.lastIndex(of: UInt8(ascii: "/")) {
      folder = folder[..<slash]
      let name = folder.isEmpty ? [UInt8(ascii: "/")] : Array(folder)
      guard let status = try? FileSystem.status(of: RawPath(bytes: name)),
        status.mode & UInt32(S_IXOTH) != 0
      else { return false }
    }
    return true
  }
}
