import Bytes
package import Formats

extension InputFile {
  /// The advisories in a file, or in all JSON files below a folder, in the form of OSV.
  package static func advisories(at path: String) throws(Failure) -> [Advisory] {
    var walk = Walk(include: [], exclude: [])
    do throws(Walk.MissingPath) {
      try walk.add([path])
    } catch {
      throw Failure(path: error.path, message: error.message)
    }
    var advisories: [Advisory] = []
    let files = walk.files.filter { walk.files.count == 1 || $0.name.hasSuffix(".json") }
    for file in files {
      let name = String(decoding: file.path.bytes, as: UTF8.self)
      let bytes = Array(try text(at: name).utf8)
      guard let document = JSONValue(parsing: bytes.span.bytes) else {
        throw Failure(path: file.name, message: "it is not JSON")
      }
      advisories += Advisory.all(in: document)
    }
    guard !advisories.isEmpty else {
      throw Failure(path: path, message: "there is no advisory in the form of OSV in it")
    }
    return advisories
  }
}
