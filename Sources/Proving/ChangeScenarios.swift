import CrashImages
import DriverProtocol
import Findings

/// A store gets other keys, other tables, or another program.
extension Stage {
  func rotate() {
    let keys = currentKeys()
    open()
    ask(.rotate(cast.password))
    if !keys.isEmpty {
      // Still open: what was promised holds when the answer comes, not when the store is closed.
      let opened = looker.opened(machine.store, by: keys, as: "\(name)/rotated/opened")
      add(opened, place: "opened", group: .values, because: "the old key still opens it")
      // That the keys opened the store before is the control.
      var look = Look(planted: ["opened": true])
      look.groups["opened"] = [.values]
      look.bytes["opened"] = Folder.files(below: machine.store).reduce(0) { $0 + Looker.size($1) }
      add(look)
    }
    lookAround("rotated")
    ask(.close)
    check("after rotating")
    expectOtherKeys()
  }

  /// Whatever the store's cipher is: a key that is as it was opens what it opened before.
  private func expectOtherKeys() {
    guard subject.can([.keys]), let filled = subject.templates[.filled] else { return }
    restart()
    guard let keys = try? Template.keys(driver, machine, cast.password) else { return }
    let old = Set(filled.keys.values.map { $0.lowercased() })
    for (name, hex) in keys.sorted(by: { $0.key < $1.key }) where old.contains(hex.lowercased()) {
      fail(.undecidable, "the key \(name) is the same after rotating")
    }
  }

  func migrate() {
    let before = snapshot()
    if case .refused(let why) = reply(.unlock(cast.password)), why.kind != .migrationNeeded {
      fail(.lost, "an older store is refused (\(why.kind.rawValue)): \(why.message)")
    }
    if case .refused(let why) = reply(Step(verb: .list)), why.kind != .migrationNeeded {
      fail(.lost, "an older store cannot be read (\(why.kind.rawValue)): \(why.message)")
    }
    if before.isEmpty { fail(.noAnswer, "the older store has no file") }
    ask(.migrate)
    lookAround("migrated")
    ask(.close)
    check("after migrating")
  }

  func openNewer() {
    let before = snapshot()
    let opened = reply(.unlock(cast.password))
    let listed = opened.members == nil ? opened : reply(Step(verb: .list))
    switch listed {
    case .refused(let why) where why.kind == .schemaTooNew: break
    case .refused(let why):
      fail(.undecidable, "a newer store is refused as \(why.kind.rawValue): \(why.message)")
    case .done: fail(.undecidable, "a newer store is opened as if it were known")
    case .none(let why): fail(.noAnswer, why)
    }
    _ = reply(.close)
    driver.end()
    expectUnchanged(before, "opening a newer store")
  }
}
