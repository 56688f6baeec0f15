/// One change to a file or folder.
package enum FileChange: Equatable, Sendable {
  case create(String)
  case write(String, offset: Int, bytes: [UInt8])
  case truncate(String, count: Int)
  case sync(String)
  case syncFolder(String)
  case remove(String)
  case rename(String, to: String)
  case makeFolder(String)
  case removeFolder(String)
  /// A second name for a file.
  case link(String, to: String)
  /// Room for a file to grow into, which reads as zeros.
  case extend(String, count: Int)

  package var path: String {
    switch self {
    case .create(let path), .write(let path, _, _), .truncate(let path, _), .sync(let path),
      .syncFolder(let path), .remove(let path), .rename(let path, _), .makeFolder(let path),
      .removeFolder(let path), .link(let path, _), .extend(let path, _):
      path
    }
  }

  /// Whether it makes, removes or moves a name.
  package var changesNames: Bool {
    switch self {
    case .create, .remove, .rename, .makeFolder, .removeFolder, .link: true
    case .write, .truncate, .sync, .syncFolder, .extend: false
    }
  }
}
