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
