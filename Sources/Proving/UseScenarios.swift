import CrashImages
import DriverProtocol
import Findings
import Glibc

/// Daily life: a store is made, filled, read, and its program dies.
extension Stage {
  func use() {
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
  /// those of prepared stores. They are looked for in files, on standard error, and in what was ever
  /// written: what a program says of a key, it mostly says when it makes it.
  private func lookForNewKeys() {
    guard subject.can([.keys]) else { return }
    restart()
    guard let keys = try? Template.keys(driver, machine, cast.password) else { return }
    let log = ChangeLog(at: machine.log).entries.map(\.change)
    // A key item that is replaced is first written under another name.
    let items = log.compactMap { change in
      if case .rename(let from, let to) = change, isKeyItem(to) { from } else { nil }
    }
    for (name, hex) in keys.sorted(by: { $0.key < $1.key }) {
      let forms = [
        Template.bytes(hex), Array(hex.lowercased().utf8), Array(hex.uppercased().utf8),
      ]
      func holds(_ content: [UInt8]) -> Bool { forms.contains(where: content.holds) }
      for path in Folder.files(below: machine.disk) where !isKeyItem(path) {
        if holds((try? Folder.read(path)) ?? []) {
          fail(.leaked, "the key \(name) stands in \(path.dropFirst(machine.disk.count + 1))")
        }
      }
      if holds((try? Folder.read(machine.output)) ?? []) {
        fail(.leaked, "the key \(name) was written to standard error")
      }
      let written = log.first { change in
        guard case .write(let path, _, let bytes) = change, path != machine.output,
          !isKeyItem(path), !items.contains(path)
        else { return false }
        return holds(bytes)
      }
      if let written {
        fail(.leaked, "the key \(name) was written while \(written.described(below: machine.disk))")
      }
    }
  }

  private func isKeyItem(_ path: String) -> Bool { places.name(of: path, in: machine) == "keys" }

  private func ask(_ step: Step, if condition: Bool) -> [String: JSONValue] {
    condition ? ask(step) : [:]
  }

  func growLog() {
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

  func crash() {
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
}
