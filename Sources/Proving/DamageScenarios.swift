import CrashImages
import DriverProtocol
import Findings
import Glibc

/// What happens to a file before the store is opened.
private enum Damage: String, CaseIterable {
  case firstPage = "its first page changed"
  case middle = "a byte in its middle changed"
  case half = "cut in half"
  case empty = "emptied"
  case gone = "removed"

  /// Nothing where it cannot be done to these bytes.
  func apply(to bytes: [UInt8]) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    var bytes = bytes
    switch self {
    case .firstPage:
      for index in bytes.indices.prefix(4096) { bytes[index] ^= 0x5a }
      return bytes
    case .middle:
      bytes[bytes.count / 2] ^= 1
      return bytes
    case .half: return Array(bytes.prefix(bytes.count / 2))
    case .empty: return []
    case .gone: return nil
    }
  }
}

extension Stage {
  /// Each file of the store is damaged in each way: the store may refuse, or give what is right; it must
  /// not give what is wrong, make a blank in place of what is damaged, or delete it.
  func openDamaged() {
    driver.end()
    let whole = snapshot()
    for (path, bytes) in whole.sorted(by: { $0.key < $1.key }) {
      for damage in Damage.allCases {
        let damaged = damage.apply(to: bytes)
        if damaged == nil, damage != .gone || bytes.isEmpty { continue }
        restore(whole)
        if let damaged { try? Folder.write(damaged, to: path) } else { Folder.remove(path) }
        openDamaged(path, damage, damaged, of: bytes)
      }
    }
    for folder in Set(whole.keys.map(Self.folder)).sorted() where folder != machine.store {
      driver.end()
      restore(whole)
      // What is empty in it comes back with it.
      let away = machine.disk + "/away"
      guard rename(folder, away) == 0 else { continue }
      openWithout(folder)
      driver.end()
      Folder.remove(folder)
      if rename(away, folder) != 0 { fail(.noAnswer, "\(folder) cannot be put back") }
    }
    restore(whole)
    check("with all files as they were")
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// A folder is gone with all that is in it: what was in it may not be missing without a word, nor may a
  /// blank profile take its place.
  private func openWithout(_ folder: String) {
    let what = "\(folder.dropFirst(machine.disk.count + 1)), removed with all in it"
    restart()
    let observer = Observer(driver: driver, place: machine.place, abilities: subject.abilities)
    let observed = observer.look([state.password], state.profiles.keys.sorted(), known: cast.ids)
    switch observed {
    case .noAnswer(let why): return fail(.noAnswer, "\(what): \(why)")
    case .closed: return
    case .open(_, let views): judge(views, what)
    }
    guard subject.can([.profiles]) else { return }
    _ = reply(.unlock(state.password))
    let made = reply(Step(verb: .addProfile)).members?["profile"]?.integer
    if let made, let lost = state.profiles[made], !lost.isEmpty {
      fail(.lost, "\(what): a blank profile \(made) is made in the place of the one that was there")
    }
  }

  private func restore(_ files: [String: [UInt8]]) {
    for path in Folder.files(below: machine.store) where files[path] == nil { Folder.remove(path) }
    for (path, bytes) in files { try? Folder.write(bytes, to: path) }
  }

  private func openDamaged(_ path: String, _ damage: Damage, _ damaged: [UInt8]?, of bytes: [UInt8])
  {
    let short = String(path.dropFirst(machine.disk.count + 1))
    let what = "\(short), \(damage.rawValue)"
    restart()
    let observer = Observer(driver: driver, place: machine.place, abilities: subject.abilities)
    let observed = observer.look([state.password], state.profiles.keys.sorted(), known: cast.ids)
    switch observed {
    case .noAnswer(let why): fail(.noAnswer, "\(what): \(why)")
    case .closed: break
    case .open(_, let views): judge(views, what)
    }
    let now = try? Folder.read(path)
    let isLarge = bytes.count >= 4096
    if let damaged, isLarge, now == nil, !damaged.isEmpty { fail(.lost, "\(what), was deleted") }
    if damaged == nil, isLarge, let now, now != bytes, !opensRight(observed) {
      fail(.undecidable, "\(what): a blank one of \(now.count) bytes was made")
    }
    lookAround("damaged")
  }

  private func opensRight(_ observed: Observation) -> Bool {
    Judgement(observed, candidates: [state]).verdict == .clean
  }

  /// What is given out must be right; what is not must be refused, not missing.
  private func judge(_ views: [Int: Observation.View], _ what: String) {
    for (profile, view) in views.sorted(by: { $0.key < $1.key }) {
      guard case .items(let items) = view, let expected = state.profiles[profile] else { continue }
      if items.isEmpty, !expected.isEmpty {
        fail(.lost, "\(what): profile \(profile) opens as an empty one")
        continue
      }
      for (id, item) in items.sorted(by: { $0.key < $1.key }) {
        guard let right = expected[id] else {
          fail(.wrongProfile, "\(what): profile \(profile) gives out \(id), which is not its own")
          continue
        }
        if item.fields != right.fields { fail(.lost, "\(what): \(id) has wrong fields") }
      }
      let missing = expected.keys.filter { items[$0] == nil }.sorted()
      if !missing.isEmpty {
        fail(.lost, "\(what): \(missing.joined(separator: ", ")) silently gone")
      }
    }
  }

  /// A copy of the files is what a backup holds; on another machine, without the key items, it must not
  /// open, nor turn into a blank store.
  func backUp() {
    ask(.unlock(state.password))
    ask(.put(cast.later[0]))
    let backup = machine.disk + "/tmp/backup"
    if subject.can([.backup]) {
      ask(Step(verb: .backup, members: ["to": .string(backup)]))
      add(looker.look(at: backup, as: "\(name)/backup", place: "backup"))
    }
    ask(.close)
    for path in places.keys { Folder.remove(path) }
    guard !places.keys.isEmpty else {
      notes.append("the store has no key items apart from its files: a copy of them is all of it")
      return
    }
    let before = snapshot()
    restart()
    let observer = Observer(driver: driver, place: machine.place, abilities: subject.abilities)
    let observed = observer.look([state.password], state.profiles.keys.sorted(), known: cast.ids)
    switch observed {
    case .noAnswer(let why): fail(.noAnswer, "without its keys: \(why)")
    case .closed: break
    case .open(_, let views):
      for (profile, view) in views {
        if case .items(let items) = view {
          fail(
            items.isEmpty ? .lost : .leaked,
            items.isEmpty
              ? "without its keys profile \(profile) opens as an empty one"
              : "profile \(profile) opens without its keys")
        }
      }
    }
    driver.end()
    for (path, bytes) in before where bytes.count >= 4096 && (try? Folder.read(path)) != bytes {
      fail(.lost, "without its keys, opening changed \(path.dropFirst(machine.disk.count + 1))")
    }
  }
}
