import CrashImages
import DriverProtocol
import Findings
import SQLiteFormat

/// What was deleted, erased or formatted is gone, for whoever has the key too.
extension Stage {
  func delete() {
    let keys = currentKeys()
    open()
    for id in ["a1", "a2"] { ask(.delete(id)) }
    refuse(Step(verb: .get, members: ["id": .string("a2")]), [.notFound], "a deleted item")
    if subject.can([.search]) {
      let found = ask(Step(verb: .search, members: ["text": .string(cast.first[1].term)]))
      if found["ids"]?.strings?.isEmpty == false { fail(.undecidable, "a deleted item is found") }
    }
    ask(.close)
    check("after deleting")
    // Behind the encryption too: whoever has the key must not find what was deleted.
    let gone = cast.needles(of: cast.first[0]).union(cast.needles(of: cast.first[1]))
    examine(by: keys, "deleted", gone, "deleted, and still there for whoever has the key")
  }

  func currentKeys() -> [DatabaseKey] {
    guard subject.can([.keys]) else {
      notes.append(
        "the driver does not tell its keys: nothing was looked for behind the encryption")
      return []
    }
    guard let filled = subject.templates[.filled] else { return [] }
    let keys = Template.databaseKeys(filled.keys)
    // A store may encrypt in a way of its own. Then nothing can be said of what its keys open: neither
    // that it is clean nor that a leak was missed.
    guard !looker.opened(filled.machine.store, by: keys, as: "control").isEmpty else {
      notes.append(
        "the keys that the driver tells open no database that can be read here: "
          + "nothing was looked for behind the encryption")
      return []
    }
    return keys
  }

  /// Looks for canaries inside what keys open. That the keys open it at all is the control.
  func examine(
    by keys: [DatabaseKey], _ moment: String, _ needles: Set<String>, _ reason: String
  ) {
    guard !keys.isEmpty else { return }
    let opened = looker.opened(machine.store, by: keys, as: "\(name)/\(moment)/opened")
    let found = opened.filter { needles.contains($0.needle ?? "") }
    add(found, place: "opened", group: .values, because: reason)
    var look = Look(planted: ["opened": !opened.isEmpty])
    look.groups["opened"] = [.values]
    look.bytes["opened"] = Folder.files(below: machine.store).reduce(0) { $0 + Looker.size($1) }
    add(look)
  }

  func erase() {
    let keys = currentKeys()
    open()
    ask(.erase(1))
    ask(.close)
    let names = Set(snapshot().keys)
    check("after erasing")
    // An answer means that it is done, not that the next opening will do it.
    for path in names.subtracting(snapshot().keys).sorted()
    where !path.hasSuffix("-wal") && !path.hasSuffix("-journal") {
      fail(
        .undecidable,
        "what was answered is done at the next opening: "
          + "\(path.dropFirst(machine.disk.count + 1)) goes then")
    }
    restart()
    open()
    let reply = reply(Step(verb: .list, members: ["profile": .integer(1)]))
    if reply.members?["ids"]?.strings?.isEmpty == false {
      fail(.undecidable, "the erased profile lists items")
    }
    ask(.close)
    let gone = cast.second.reduce(into: Set<String>()) { $0.formUnion(cast.needles(of: $1)) }
    examine(by: keys, "erased", gone, "erased, and still there for whoever has the key")
    expectNoKey(named: "database-1", "the erased profile")
  }

  /// The key of what was erased must be in no key item either.
  private func expectNoKey(named name: String, _ what: String) {
    guard let path = subject.templates[.filled]?.path(ofKey: name, in: places) else { return }
    fail(.undecidable, "the key of \(what) is still in \(path.dropFirst(machine.disk.count + 1))")
  }

  func format() {
    open()
    ask(.put(cast.later[0]))
    ask(.close)
    ask(.format)
    let left = Folder.files(below: machine.store) + places.keys.flatMap { Folder.files(below: $0) }
    for path in left {
      fail(.undecidable, "formatting left \(path.dropFirst(machine.disk.count + 1))")
    }
    refuse(.unlock(cast.password), [.missing, .wrongPassword, .damaged], "a formatted store")
    for path in Folder.files(below: machine.store) {
      fail(.undecidable, "opening what is gone made \(path.dropFirst(machine.disk.count + 1))")
    }
  }
}
