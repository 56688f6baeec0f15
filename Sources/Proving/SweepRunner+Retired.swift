import CrashImages
import Findings

/// What a change withdrew: keys and passwords that are answered to be worth nothing any more.
extension SweepRunner {
  /// Files that a second copy of something could be in; a database is not opened by half of itself.
  private static let mostDamaged = 64 << 10

  /// What is wrong with a machine on which something was withdrawn, if anything is.
  func retired(_ machine: Sandbox, _ sweep: Sweep) -> Judgement? {
    if sweep.retiresKeys, let judgement = retiredKeys(machine, sweep) { return judgement }
    guard let password = sweep.retiredPassword else { return nil }
    return retiredPassword(password, machine)
  }

  private func retiredKeys(_ machine: Sandbox, _ sweep: Sweep) -> Judgement? {
    let keys = Template.databaseKeys(subject.templates[sweep.template]?.keys ?? [:])
    guard !keys.isEmpty,
      let found = looker.opened(machine.store, by: keys, as: sweep.name).first
    else { return nil }
    return Judgement(
      verdict: .undecidable,
      message: "a key that was replaced still opens what lies on the disk: \(found.message)")
  }

  /// A store may keep two copies of what a password opens, one for the case that the other is damaged:
  /// the old password must open neither.
  private func retiredPassword(_ password: String, _ machine: Sandbox) -> Judgement? {
    if opens(machine, by: password, damaging: nil) {
      return Judgement(verdict: .undecidable, message: "the old password still opens it")
    }
    for path in Folder.files(below: machine.store) where Looker.size(path) <= Self.mostDamaged {
      for half in [0, 1] where opens(machine, by: password, damaging: (path, half)) {
        return Judgement(
          verdict: .undecidable,
          message: "the old password opens it once the \(half == 0 ? "first" : "second") half of "
            + "\(path.dropFirst(machine.disk.count + 1)) is damaged")
      }
    }
    return nil
  }

  private func opens(
    _ machine: Sandbox, by password: String, damaging damage: (path: String, half: Int)?
  ) -> Bool {
    guard let copy = try? Sandbox(at: nextRoot(), copying: machine) else { return false }
    if let damage {
      let path = copy.disk + damage.path.dropFirst(machine.disk.count)
      guard var bytes = try? Folder.read(path), bytes.count > 1 else { return false }
      let middle = bytes.count / 2
      for index in damage.half == 0 ? 0..<middle : middle..<bytes.count { bytes[index] ^= 0x5a }
      guard (try? Folder.write(bytes, to: path)) != nil else { return false }
    }
    if case .open = observe(copy, [StoreState(password: password)]) { return true }
    return false
  }
}
