import CrashImages
import DriverProtocol
import Findings
import Glibc
import SQLiteFormat
import Scanning

/// An undisturbed part of a store's life, and what must hold in it.
struct LifeScenario: Sendable {
  var name: String
  var title: String
  var template: Template.Kind = .filled
  var needs: Set<Capability> = []
  /// Whether the driver's memory is looked at.
  var isExamined = false
  var play: @Sendable (Stage) -> Void

  static let all: [LifeScenario] = [
    LifeScenario(
      name: "normal-use", title: "made, filled, read, searched, closed", template: .bare,
      play: { $0.use() }),
    LifeScenario(
      name: "checkpoint", title: "a log grows and is emptied", play: { $0.growLog() }),
    LifeScenario(name: "crash", title: "the driver crashes while open", play: { $0.crash() }),
    LifeScenario(
      name: "lock", title: "memory after locking", isExamined: true, play: { $0.lock(.lock) }),
    LifeScenario(
      name: "close", title: "memory and core after closing", isExamined: true,
      play: { $0.lock(.close) }),
    LifeScenario(
      name: "profile-switch", title: "one profile is left for another", needs: [.profiles],
      isExamined: true, play: { $0.switchProfile() }),
    LifeScenario(
      name: "wrong-password", title: "a wrong password is tried", needs: [.passwords],
      play: { $0.tryWrongPassword() }),
    LifeScenario(
      name: "decoy-unlock", title: "the decoy is opened", needs: [.decoy], play: { $0.openDecoy() }),
    LifeScenario(
      name: "password-change", title: "the password is changed", needs: [.passwd],
      play: { $0.changePassword() }),
    LifeScenario(
      name: "delete", title: "items are deleted", needs: [.delete], play: { $0.delete() }),
    LifeScenario(
      name: "rotation", title: "keys are rotated", needs: [.rotate], play: { $0.rotate() }),
    LifeScenario(
      name: "erase", title: "a profile is erased", needs: [.erase, .profiles], play: { $0.erase() }),
    LifeScenario(
      name: "undeletion", title: "what was erased and formatted is undeleted",
      needs: [.erase, .format, .profiles], play: { $0.undelete() }),
    LifeScenario(
      name: "format", title: "the store is formatted", needs: [.format], play: { $0.format() }),
    LifeScenario(
      name: "migration", title: "an older store is migrated", template: .older, needs: [.older],
      play: { $0.migrate() }),
    LifeScenario(
      name: "newer-schema", title: "a newer store is opened", template: .newer, needs: [.newer],
      play: { $0.openNewer() }),
    LifeScenario(
      name: "damage", title: "damaged files are opened", play: { $0.openDamaged() }),
    LifeScenario(
      name: "backup", title: "a backup is made, and restored without keys",
      play: { $0.backUp() }),
  ]
}

extension Stage {
  private func open() { ask(.unlock(state.password)) }

  fileprivate func use() {
    ask(.create(cast.password))
    open()
    places = Places(ask(Step(verb: .places, isPlaced: true)))
    for item in cast.first { ask(.put(item)) }
    if subject.can([.attach]) { ask(.attach(cast.attachment, to: "a1")) }
    if subject.can([.profiles]) {
      ask(.addProfile)
      for item in cast.second { ask(.put(item, profile: 1)) }
    }
    lookAround("open")
    if subject.can([.search]) {
      for item in cast.first {
        let found = ask(Step(verb: .search, members: ["text": .string(item.term)]))["ids"]?.strings
        if found != [item.id] {
          fail(.lost, "a search for the word of \(item.id) does not find it")
        }
        let other =
          ask(
            Step(verb: .search, members: ["text": .string(item.term), "profile": .integer(1)]),
            if: subject.can([.profiles]))["ids"]?.strings ?? []
        if !other.isEmpty { fail(.wrongProfile, "profile 1 finds a word of profile 0") }
      }
    }
    ask(Step(verb: .status, isPlaced: true))
    ask(.close)
    check("after closing")
    lookForNewKeys()
  }

  /// The keys of a store that was just made are looked for byte by byte: the compiled search knows only
  /// those of prepared stores.
  private func lookForNewKeys() {
    guard subject.can([.keys]) else { return }
    restart()
    guard let keys = try? Template.keys(driver, machine, cast.password) else { return }
    for (name, hex) in keys.sorted(by: { $0.key < $1.key }) {
      let item = Template.bytes(hex)
      for path in Folder.files(below: machine.disk)
      where places.name(of: path, in: machine) != "keys" {
        let content = (try? Folder.read(path)) ?? []
        if content.holds(item) || content.holds(Array(hex.utf8)) {
          fail(.leaked, "the key \(name) stands in \(path.dropFirst(machine.disk.count + 1))")
        }
      }
    }
  }

  private func ask(_ step: Step, if condition: Bool) -> [String: JSONValue] {
    condition ? ask(step) : [:]
  }

  fileprivate func growLog() {
    open()
    for round in 0..<20 {
      for item in cast.later {
        var item = item
        // Long enough for overflow pages, and different each time.
        item.fields["filler"] = String(repeating: "round \(round) ", count: 600)
        ask(.put(item))
      }
      if round == 10 { lookAround("half-way") }
    }
    lookAround("open")
    ask(.lock)
    lookAround("locked")
    check("after the log was emptied")
  }

  fileprivate func crash() {
    open()
    ask(.put(cast.later[0]))
    // It crashes by itself, in the middle of things: a signal from outside could be blocked.
    page?.watch(.abort, at: 2)
    if case .done = reply(.put(cast.later[2])) { fail(.noAnswer, "nothing is written by a put") }
    driver.end()
    page?.watch()
    lookAround("aborted")
    let pattern = (try? Folder.read("/proc/sys/kernel/core_pattern")) ?? []
    if pattern.first == UInt8(ascii: "|") || pattern.first == UInt8(ascii: "/") {
      notes.append("cores go elsewhere on this system (core_pattern): none was looked at")
    }
    check("after a crash")
    restart()
    open()
    ask(.put(cast.later[1]))
    driver.end()
    lookAround("killed")
    check("after being killed")
  }

  fileprivate func lock(_ verb: Verb) {
    open()
    ask(.put(cast.later[0]))
    ask(Step(verb: .get, members: ["id": .string("a1")]))
    ask(Step(verb: .list))
    if subject.can([.search]) {
      ask(Step(verb: .search, members: ["text": .string(cast.first[1].term)]))
    }
    if subject.can([.attach]) { ask(Step(verb: .attachment, members: ["id": .string("a1")])) }
    ask(Step(verb: verb))
    refuse(
      Step(verb: .get, members: ["id": .string("a1")]), [.locked, .missing, .refused],
      "reading from a \(verb.rawValue)ed store")
    lookAtMemory("\(verb.rawValue)ed", andCore: verb == .close)
  }

  fileprivate func switchProfile() {
    open()
    ask(Step(verb: .get, members: ["id": .string("b1"), "profile": .integer(1)]))
    refuse(
      Step(verb: .get, members: ["id": .string("a1"), "profile": .integer(1)]), [.notFound],
      "an item of another profile")
    ask(.lock)
    open()
    ask(Step(verb: .get, members: ["id": .string("a1")]))
    let found = looker.look(atMemoryOf: driver.identifier, as: "\(name)/switched/memory")
    let others = cast.second.reduce(into: Set<String>()) { $0.formUnion(cast.needles(of: $1)) }
    var only = found
    only.leaks.removeAll { !others.contains($0.finding.needle ?? "") }
    only.groups["memory"] = [.values]
    add(only)
    if found.bytes["memory"] ?? 0 > 0 {
      // What is open shows that the search works.
      let own = cast.needles(of: cast.first[0])
      add(Look(planted: ["memory": found.leaks.contains { own.contains($0.finding.needle ?? "") }]))
    } else {
      notes.append("the memory of the driver cannot be read: run as root to look at it")
    }
    ask(.close)
    check("after switching")
  }

  fileprivate func tryWrongPassword() {
    let before = snapshot()
    refuse(.unlock(cast.wrongPassword), [.wrongPassword], "a wrong password")
    refuse(.unlock(""), [.wrongPassword, .refused], "an empty password")
    expectUnchanged(before, "a wrong password")
    check("after a wrong password")
  }

  private func expectUnchanged(_ before: [String: [UInt8]], _ what: String) {
    let after = snapshot()
    for (path, bytes) in before.sorted(by: { $0.key < $1.key }) where after[path] != bytes {
      let short = path.dropFirst(machine.disk.count + 1)
      fail(
        after[path] == nil ? .lost : .undecidable,
        "\(what) \(after[path] == nil ? "removed" : "changed") \(short)")
    }
    for path in after.keys.sorted() where before[path] == nil && after[path]?.isEmpty == false {
      fail(.undecidable, "\(what) made \(path.dropFirst(machine.disk.count + 1))")
    }
  }

  fileprivate func openDecoy() {
    open()
    ask(.setDecoy(cast.decoyPassword, current: cast.password))
    ask(.close)
    lookAround("decoy-set")
    nameCheck()
    ask(.unlock(cast.decoyPassword))
    let ids = ask(Step(verb: .list))["ids"]?.strings ?? []
    if !ids.isEmpty {
      fail(.wrongProfile, "the decoy lists \(ids.count) items that are not its own")
    }
    for item in cast.first {
      refuse(
        Step(verb: .get, members: ["id": .string(item.id)]), [.notFound, .missing],
        "an item of the first space, asked of the decoy")
    }
    ask(Step(verb: .put, members: cast.decoyItem.putRequest))
    ask(.close)
    check("after the decoy was used")
    nameCheck()
    restart()
    let decoy = reply(.unlock(cast.decoyPassword))
    guard decoy.members != nil else { return fail(.lost, "the decoy does not open any more") }
    let own = ask(Step(verb: .get, members: ["id": .string("d1")]))["fields"]?.object
    if own?.compactMapValues(\.string) != cast.decoyItem.fields {
      fail(.lost, "the decoy's own item is gone")
    }
    ask(.close)
  }

  /// No path may tell that there is a second space.
  private func nameCheck() {
    for path in Folder.files(below: machine.disk) {
      let short = path.dropFirst(machine.disk.count + 1).lowercased()
      for word in ["decoy", "duress", "hidden", "fake", "panic"] where short.contains(word) {
        fail(.leaked, "the name \(short) tells that there is a decoy")
      }
    }
  }

  fileprivate func changePassword() {
    open()
    ask(.changePassword(from: cast.password, to: cast.newPassword))
    ask(.close)
    restart()
    refuse(.unlock(cast.password), [.wrongPassword], "the old password")
    check("with the new password")
  }

  fileprivate func delete() {
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

  private func currentKeys() -> [DatabaseKey] {
    guard subject.can([.keys]) else {
      notes.append(
        "the driver does not tell its keys: nothing was looked for behind the encryption")
      return []
    }
    return Template.databaseKeys(subject.templates[.filled]?.keys ?? [:])
  }

  /// Looks for canaries inside what keys open. That the keys open it at all is the control.
  private func examine(
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

  fileprivate func rotate() {
    let keys = currentKeys()
    open()
    ask(.rotate(cast.password))
    if !keys.isEmpty {
      // Still open: what was promised holds when the answer comes, not when the store is closed.
      let opened = looker.opened(machine.store, by: keys, as: "\(name)/rotated/opened")
      add(opened, place: "opened", group: .values, because: "the old key still opens it")
      var look = Look()
      let before = subject.templates[.filled].map {
        looker.opened($0.machine.store, by: keys, as: "control")
      }
      look.planted["opened"] = before?.isEmpty == false
      look.groups["opened"] = [.values]
      look.bytes["opened"] = Folder.files(below: machine.store).reduce(0) { $0 + Looker.size($1) }
      add(look)
    }
    lookAround("rotated")
    ask(.close)
    check("after rotating")
  }

  fileprivate func erase() {
    let keys = currentKeys()
    open()
    ask(.erase(1))
    ask(.close)
    check("after erasing")
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

  fileprivate func format() {
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

  /// What was removed comes back, as it was when it was removed: tools for that are everywhere. Without
  /// the keys, which were overwritten or are items of a keychain, it must be worth nothing.
  fileprivate func undelete() {
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

  fileprivate func migrate() {
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

  fileprivate func openNewer() {
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

extension [UInt8] {
  /// Whether other bytes stand somewhere in these.
  func holds(_ part: [UInt8]) -> Bool {
    guard !part.isEmpty, count >= part.count else { return false }
    return indices.dropLast(part.count - 1).contains { self[$0...].starts(with: part) }
  }
}
