import DriverProtocol
import Findings

/// What is locked, closed or left must not stay in memory.
extension Stage {
  func lock(_ verb: Verb) {
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

  func switchProfile() {
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
}
