import Findings

/// A file the walk found. There may be millions: each is kept small.
struct WalkedFile: Sendable {
  /// Its name in reports: relative to its root.
  private(set) var name: String
  private var location: Location
  /// Its size when the walk met it.
  let byteCount: Int
  /// The path it was found below, as reports name it: `.` where everything is relative to it.
  let root: String
  /// Another name of the same file that is scanned in its place.
  var sameAs: String?
  /// How many names lead to it from its root, its own one included.
  var depth: Int32 = 1
  /// How many of them it shares with the file before it.
  var namesBefore: Int32 = 0

  /// What leads to a file.
  private enum Location {
    /// The folder that its name starts from, which all files below it share.
    case below(RawPath)
    case path(RawPath)
  }

  /// - Parameter folder: where the name starts from, if the path is no other than both together.
  init(path: RawPath, name: RawPath, below folder: RawPath?, byteCount: Int, root: String) {
    let shown = name.description
    self.name = shown
    // A name that had to be escaped is longer than what it stands for, and leads nowhere.
    let leadsThere = shown.utf8.count == name.bytes.count
    location = leadsThere ? folder.map(Location.below) ?? .path(path) : .path(path)
    self.byteCount = byteCount
    self.root = root
  }

  /// Where it is opened.
  var path: RawPath {
    switch location {
    case .below(let folder): folder.appending(Array(name.utf8))
    case .path(let path): path
    }
  }

  /// The same file under another name in reports.
  func named(_ name: String) -> WalkedFile {
    var file = self
    file.location = .path(path)
    file.name = name
    return file
  }
}
