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

  /// Writes every file that was there before and is gone now, with what it held when it was removed.
  private func bringBack(from before: DiskImage) {
    var image = before
    var removed: [String: [UInt8]] = [:]
    for change in ChangeLog(at: machine.log).counted {
      if case .remove(let path) = change, before.files[path] != nil {
        removed[path] = image.files[path]
      }
      image.apply(change)
    }
    for (path, bytes) in removed.sorted(by: { $0.key < $1.key })
    where !Folder.exists(path) && places.name(of: path, in: machine) != "keys" {
      var folder = path.enclosingFolder
      var missing: [String] = []
      while !Folder.exists(folder) {
        missing.append(folder)
        folder = folder.enclosingFolder
      }
      for folder in missing.reversed() { try? Folder.make(folder) }
      try? Folder.write(bytes, to: path)
    }
  }
}
