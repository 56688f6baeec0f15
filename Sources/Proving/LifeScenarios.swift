import CrashImages
import DriverProtocol
import Findings

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
  func open() { ask(.unlock(state.password)) }

  /// Every file of the store must be as it was.
  func expectUnchanged(_ before: [String: [UInt8]], _ what: String) {
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
}

extension [UInt8] {
  /// Whether other bytes stand somewhere in these.
  func holds(_ part: [UInt8]) -> Bool {
    guard !part.isEmpty, count >= part.count else { return false }
    return indices.dropLast(part.count - 1).contains { self[$0...].starts(with: part) }
  }
}
