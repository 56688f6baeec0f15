package import CrashImages
package import VaultKeys

extension FileChange {
  /// A change of the vault's own file layer.
  package init(_ change: Disk.Change) {
    self =
      switch change {
      case .write(let path, let offset, let bytes): .write(path, offset: offset, bytes: bytes)
      case .truncate(let path, let count): .truncate(path, count: count)
      case .sync(let path): .sync(path)
      case .syncFolder(let path): .syncFolder(path)
      case .remove(let path): .remove(path)
      case .removeFolder(let path): .removeFolder(path)
      case .makeFolder(let path): .makeFolder(path)
      case .rename(let from, let to): .rename(from, to: to)
      }
  }
}
