import Bytes
import Findings
import Glibc

/// Files that a person hands to the program: needles, rules, secrets.
package enum InputFile {
  /// Larger files are not what was meant.
  private static let largest = 64 << 20

  /// A file cannot be used.
  package struct Failure: Equatable {
    package var path: String
    package var message: String
  }

  /// The bytes of a report, which may be many times as large as what a person writes.
  package static func report(at path: String) throws(Failure) -> [UInt8] {
    path == "-" ? try standardInput(atMost: 1 << 30) : try bytes(at: path, atMost: 1 << 30)
  }

  /// The bytes of an evidence bundle.
  package static func bundle(at path: String) throws(Failure) -> [UInt8] {
    try bytes(at: path, atMost: 1 << 30)
  }

  /// The text of a file; `-` is standard input.
  package static func text(at path: String) throws(Failure) -> String {
    let bytes =
      path == "-" ? try standardInput(atMost: largest) : try bytes(at: path, atMost: largest)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(path: path, message: "it is not text in UTF-8")
    }
    return text
  }

  /// The rule files below a folder: path below it, and text.
  package static func yamlFiles(below folder: String) throws(Failure) -> [(
    path: String, text: String
  )] {
    var walk = Walk(include: [Glob("*.yaml"), Glob("*.yml")], exclude: [])
    do throws(Walk.MissingPath) {
      try walk.add([folder])
    } catch {
      throw Failure(path: error.path, message: error.message)
    }
    if let problem = walk.diagnostics.first {
      throw Failure(path: problem.path, message: problem.message)
    }
    var files: [(path: String, text: String)] = []
    for file in walk.files {
      files.append((file.name, try text(at: String(decoding: file.path.bytes, as: UTF8.self))))
    }
    guard !files.isEmpty else {
      throw Failure(path: folder, message: "there is no rule file in it")
    }
    return files
  }

  private static func bytes(at path: String, atMost largest: Int) throws(Failure) -> [UInt8] {
    do throws(ReadFailure) {
      let source = try FileSource(RawPath(path), followingLink: true)
      guard source.byteCount <= largest else {
        throw ReadFailure(errno: EFBIG)
      }
      return try source.bytes(at: 0, count: source.byteCount)
    } catch {
      throw Failure(path: path, message: FileSystem.message(error.errno))
    }
  }

  private static func standardInput(atMost largest: Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw Failure(path: "standard input", message: FileSystem.message(errno))
      }
      if count == 0 { return bytes }
      bytes += buffer.prefix(count)
      guard bytes.count <= largest else {
        throw Failure(path: "standard input", message: FileSystem.message(EFBIG))
      }
    }
  }
}

extension InputFile.Failure: Explained {
  package var problem: String { "\(path): \(message)" }
  package var remedy: String { "name a file that exists and that you may read" }
}
