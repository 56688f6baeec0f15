import CrashImages
import DriverProtocol

/// A part of a store's life that is disturbed at every point: what is done first, undisturbed, and what
/// is done while changes are counted.
struct Sweep: Sendable {
  /// `rotation`: scenarios are called `kill-during-rotation`, …
  var name: String
  /// `keys are rotated`.
  var title: String
  var template: Template.Kind = .filled
  var before: [Step] = []
  var steps: [Step]
  var needs: Set<Capability> = []
  /// Whether doing it all again must lead to the same end.
  var isRepeatable = true
  /// What must be possible with what it came to, where the store opens.
  var after: [Step] = []
  /// A profile that is erased, and the key that must be in no key item once it is gone.
  var erased: (profile: Int, key: String)?
  /// Whether the template's keys must open nothing any more once the first step is answered.
  var retiresKeys = false
  /// A password that must open nothing any more then.
  var retiredPassword: String?

  static func all(_ cast: Cast) -> [Sweep] {
    let unlock = Step.unlock(cast.password)
    // Long enough for pages of their own, so that the log grows and pages are taken over.
    var use: [Step] = [unlock]
    for item in cast.later { use.append(Step.put(item)) }
    use.append(Step.attach(cast.laterAttachment, to: "c1"))
    use.append(Step.lock)
    use.append(unlock)
    for round in 1...2 {
      for var item in cast.later {
        item.fields["filler"] = String(repeating: "round \(round), \(item.id) ", count: 300)
        use.append(Step.put(item))
      }
    }
    use.append(Step.close)
    return [
      Sweep(
        name: "creation", title: "a store is made", template: .bare,
        steps: [.create(cast.password)], isRepeatable: false,
        after: [
          unlock, .setDecoy(cast.decoyPassword, current: cast.password), .close,
          .unlock(cast.decoyPassword), Step(verb: .list), .close,
        ]),
      Sweep(
        name: "use", title: "items are put and a log is emptied",
        steps: use, needs: [.attach]),
      Sweep(
        name: "deletion", title: "items are deleted", before: [unlock],
        steps: [.delete("a1"), .delete("a2"), .close], needs: [.delete]),
      Sweep(
        name: "rotation", title: "keys are rotated", before: [unlock],
        steps: [.rotate(cast.password), .close], needs: [.rotate], retiresKeys: true),
      Sweep(
        name: "password-change", title: "the password is changed", before: [unlock],
        steps: [.changePassword(from: cast.password, to: cast.newPassword), .close],
        needs: [.passwd], retiredPassword: cast.password),
      Sweep(
        name: "migration", title: "an older store is migrated", template: .older, before: [unlock],
        steps: [.migrate, .close], needs: [.older]),
      Sweep(
        name: "new-profile", title: "a profile is added", template: .older,
        before: [unlock, .migrate],
        steps: [.addProfile, .put(cast.second[0], profile: 1), .close], needs: [.older, .profiles],
        isRepeatable: false),
      Sweep(
        name: "decoy", title: "a decoy gets its password", before: [unlock],
        steps: [.setDecoy(cast.decoyPassword, current: cast.password), .close], needs: [.decoy]),
      Sweep(
        name: "erasure", title: "a profile is erased", before: [unlock],
        steps: [.erase(1), .close], needs: [.erase, .profiles], erased: (1, "database-1")),
      Sweep(
        name: "formatting", title: "the store is formatted", steps: [.format], needs: [.format]),
    ]
  }
}

/// What a part of life changes on the disk when nothing disturbs it.
struct Recording: Sendable {
  var before: DiskImage
  var changes: [FileChange]
  /// How many changes there were when the n-th step was answered.
  var answered: [Int]
  /// What the store holds after n steps.
  var states: [StoreState]
  /// Files that changed and the library did not see it: nothing that is rebuilt from the log counts.
  var unseen: [String]
  /// The machine's disk, as paths in the log name it.
  var machine: Sandbox

  /// What must hold when the first `count` changes were made.
  func expectation(after count: Int) -> Expectation {
    expectation(answered: answered.count { $0 <= count })
  }

  func expectation(answered count: Int) -> Expectation {
    let last = states.count - 1
    return Expectation(
      answered: count, candidates: Array(states[min(count, last)...min(count + 1, last)]))
  }
}

/// What must hold of a store that was disturbed.
struct Expectation: Sendable {
  /// How many steps were answered: what they promise holds.
  var answered: Int
  /// What the store may hold: what it held after those steps, or after the one that was under way.
  var candidates: [StoreState]
}

/// One point at which a sweep is disturbed, and how.
struct Point: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case fault(Fault)
    case power(Survival)
  }

  /// For `--point`.
  var number: Int
  /// The change it is at, from 1; for power the number of changes that were made.
  var change: Int
  var kind: Kind

  /// What chooses which of the unsynced writes survive there.
  func seed(_ seed: UInt64) -> UInt64 { UInt64(number) &+ seed }
}

/// The ways to disturb a sweep; each is a scenario with every sweep.
enum Disturbance: String, CaseIterable, Sendable {
  case kill = "kill-during"
  case power = "power-loss-during"
  case full = "disk-full-during"
  case error = "io-error-during"

  func title(_ sweep: Sweep) -> String {
    switch self {
    case .kill: "killed while \(sweep.title)"
    case .power: "power lost while \(sweep.title)"
    case .full: "disk full while \(sweep.title)"
    case .error: "I/O errors while \(sweep.title)"
    }
  }

  /// All points of a recording, by number.
  func points(of recording: Recording) -> [Point] {
    let changes = recording.changes
    switch self {
    case .kill:
      var points: [Point] = []
      for (index, change) in changes.enumerated() {
        points.append(Point(number: 3 * index, change: index + 1, kind: .fault(.killBefore)))
        if case .write(_, _, let bytes) = change, bytes.count > 1 {
          points.append(Point(number: 3 * index + 1, change: index + 1, kind: .fault(.killMiddle)))
        }
      }
      // After a change is before the next one; only the last has no next.
      if !changes.isEmpty {
        points.append(
          Point(
            number: 3 * changes.count - 1, change: changes.count, kind: .fault(.killAfter)))
      }
      return points
    case .power:
      return (0...changes.count).flatMap { count in
        Survival.allCases.enumerated().map { index, survival in
          Point(number: 5 * count + index, change: count, kind: .power(survival))
        }
      }
    case .full:
      return changes.indices.filter { changes[$0].takesRoom }.map {
        Point(number: $0 + 1, change: $0 + 1, kind: .fault(.full))
      }
    case .error:
      return changes.indices.flatMap { index in
        var points = [Point(number: 3 * index, change: index + 1, kind: .fault(.error))]
        points.append(Point(number: 3 * index + 1, change: index + 1, kind: .fault(.errors)))
        if case .write(_, _, let bytes) = changes[index], bytes.count > 1 {
          points.append(Point(number: 3 * index + 2, change: index + 1, kind: .fault(.short)))
        }
        return points
      }
    }
  }
}

extension FileChange {
  fileprivate var takesRoom: Bool {
    switch self {
    case .create, .write, .makeFolder, .extend, .link: true
    case .truncate, .sync, .syncFolder, .remove, .rename, .removeFolder: false
    }
  }
}
