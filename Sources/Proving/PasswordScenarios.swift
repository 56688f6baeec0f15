import CrashImages
import DriverProtocol
import Findings

/// What a password opens, and what none opens.
extension Stage {
  func tryWrongPassword() {
    let before = snapshot()
    refuse(.unlock(cast.wrongPassword), [.wrongPassword], "a wrong password")
    refuse(.unlock(""), [.wrongPassword, .refused], "an empty password")
    expectUnchanged(before, "a wrong password")
    check("after a wrong password")
  }

  func openDecoy() {
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

  func changePassword() {
    open()
    ask(.changePassword(from: cast.password, to: cast.newPassword))
    ask(.close)
    restart()
    refuse(.unlock(cast.password), [.wrongPassword], "the old password")
    check("with the new password")
  }
}
