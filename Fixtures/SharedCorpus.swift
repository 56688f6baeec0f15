import Glibc

/// Files of other projects that tests may read where they are and that are never copied: they lie
/// beside the package, and tests that need them are skipped where they are absent.
package enum SharedCorpus {
  /// The folder, beside the package.
  package static let root: String = {
    let file = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return file.dropLast(2).joined(separator: "/") + "/../shared/corpus"
  }()

  package static var isPresent: Bool { access(root, R_OK) == 0 }

  /// Paths below the folder `name`, in order, without those that hold the answers.
  package static func files(in name: String) -> [String] {
    var found: [String] = []
    var folders = [name]
    while let folder = folders.popLast() {
      guard let handle = opendir(root + "/" + folder) else { continue }
      defer { closedir(handle) }
      while let entry = readdir(handle) {
        let entryName = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard ![".", "..", "INDEX.md", "truth"].contains(entryName) else { continue }
        let path = folder + "/" + entryName
        if entry.pointee.d_type == UInt8(DT_DIR) {
          folders.append(path)
        } else {
          found.append(path)
        }
      }
    }
    return found.sorted()
  }

  /// The bytes of a file of the corpus; empty where there is none.
  package static func bytes(of path: String) -> [UInt8] {
    let descriptor = open(root + "/" + path, O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Rows of a folder's table of ground truth: file and what a correct tool must report.
  package static func truth(of name: String) -> [(file: String, truth: String)] {
    String(decoding: bytes(of: name + "/INDEX.md"), as: UTF8.self).split(separator: "\n")
      .compactMap { line in
        let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
        guard line.hasPrefix("|"), cells.count >= 5, let file = cells.first, let last = cells.last
        else { return nil }
        return (String(file.prefix { $0 != " " }), String(last))
      }
  }
}
