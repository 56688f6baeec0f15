import CrashImages
import DriverProtocol
import Findings

/// Removed files that come back.
extension Stage {
  /// What was removed comes back, as it was when it was removed: tools for that are everywhere. Without
  /// the keys, which were overwritten or are items of a keychain, it must be worth nothing.
  func undelete() {
    let before = (try? DiskImage(of: machine.disk)) ?? DiskImage()
    open()
    ask(.erase(1))
    ask(.close)
    driver.end()
    bringBack(from: before)
    restart()
    let opened = reply(.unlock(cast.password))
    if opened.members != nil {
      let items = reply(Step(verb: .list, members: ["profile": .integer(1)])).members?["ids"]
      if items?.strings?.isEmpty == false {
        fail(.undecidable, "an erased profile opens once its files are undeleted")
      }
      _ = reply(.close)
    }
    ask(.format)
    driver.end()
    bringBack(from: before)
    restart()
    if reply(.unlock(cast.password)).members != nil {
      let items = reply(Step(verb: .list)).members?["ids"]?.strings ?? []
      if !items.isEmpty {
        fail(.undecidable, "a formatted store opens once its files are undeleted")
      }
    }
  }

  /// Makes every file and folder that was there before and is gone now, with what it held when it was
  /// removed.
  private func bringBack(from before: DiskImage) {
    var image = before
    var removed = DiskImage()
    for change in ChangeLog(at: machine.log).counted {
      switch change {
      case .remove(let path) where before.files[path] != nil:
        removed.files[path] = image.files[path]
      case .removeFolder(let path) where before.folders.contains(path):
        removed.folders.insert(path)
      default: break
      }
      image.apply(change)
    }
    for folder in removed.folders.sorted() where !Folder.exists(folder) { try? Folder.make(folder) }
    for (path, bytes) in removed.files.sorted(by: { $0.key < $1.key })
    where !Folder.exists(path) && places.name(of: path, in: machine) != "keys" {
      try? Folder.write(bytes, to: path)
    }
  }
}
