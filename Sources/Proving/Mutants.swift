import CFaultControl
import CrashImages
import Findings

/// The store with one protective call left out, call after call: the proof must notice each, or there is
/// another call that does the same.
struct Mutants: Sendable {
  let subject: Subject
  let folder: String

  /// Disks that are rebuilt of a mutant before it counts as one that makes no difference.
  private static let mostImages = 80
  /// Syncs of one kind of file that are left out, one after the other.
  private static let mostOfAKind = 4

  /// Pieces of work, each of which can be done beside the others.
  enum Piece: Sendable {
    /// Syncs of a recorded sweep that are forgotten.
    case sync(Recording, sweep: Sweep, indices: Set<Int>, name: String)
    /// A life without one protection or change.
    case life(LifeScenario, Omission, name: String)
  }

  // MARK: Choosing

  /// Syncs of each kind of file, a few of each; removals and overwritings of lives that erase; protections
  /// of memory.
  static func pieces(
    _ recordings: [(Sweep, Recording)], _ lives: [ScenarioOutcome]
  ) -> [Piece] {
    var pieces: [Piece] = []
    for (sweep, recording) in recordings {
      var taken: [String: Set<Int>] = [:]
      var overwritten: Set<Int> = []
      for (index, change) in recording.changes.enumerated() {
        switch change {
        case .sync(let path), .syncFolder(let path):
          let kind = pattern(path, below: recording.machine.disk)
          taken[kind, default: []].insert(index)
          if ["keys", "slots"].contains(path.lastPart) { overwritten.insert(index) }
          // The first ones of a kind are different steps; later ones repeat them.
          if taken[kind, default: []].count <= Self.mostOfAKind {
            pieces.append(
              .sync(
                recording, sweep: sweep, indices: [index],
                name: "no sync \(index + 1) (\(kind)), in \(sweep.name)"))
          }
        default: continue
        }
      }
      // One sync may cover for another of the same file or folder: without any there is none left to.
      for (kind, indices) in taken.sorted(by: { $0.key < $1.key }) where indices.count > 1 {
        pieces.append(
          .sync(
            recording, sweep: sweep, indices: indices,
            name: "no sync of any (\(kind)), in \(sweep.name)"))
      }
      // Slots and keys each make the other worthless: only without both is something left.
      if sweep.name == "formatting" {
        pieces.append(
          .sync(
            recording, sweep: sweep, indices: overwritten,
            name: "no sync of any keys or slots, in \(sweep.name)"))
      }
    }
    for life in lives { pieces += omissions(of: life) }
    for (name, flag, scenario) in [
      ("zeroing of what SQLite frees", FAULT_NO_ZEROING_ALLOCATOR, "lock"),
      ("sodium_memzero", FAULT_NO_WIPE, "lock"),
      ("forbidding of core dumps", FAULT_ALLOW_DUMPS, "crash"),
    ] {
      guard let life = LifeScenario.all.first(where: { $0.name == scenario }) else { continue }
      pieces.append(
        .life(life, Omission(protections: UInt32(flag)), name: "no \(name), in \(scenario)"))
    }
    return pieces
  }

  private static func omissions(of outcome: ScenarioOutcome) -> [Piece] {
    guard let life = LifeScenario.all.first(where: { $0.name == outcome.name }) else { return [] }
    var pieces: [Piece] = []
    var removals = 0
    var writes: [String: Int] = [:]
    for change in outcome.changes {
      switch change {
      case .remove(let path) where outcome.name != "undeletion":
        removals += 1
        // SQLite's own files come and go all the time.
        if path.hasSuffix("-shm") || path.hasSuffix("-wal") { continue }
        pieces.append(
          .life(
            life, Omission(kind: UInt32(FAULT_REMOVE), index: removals),
            name: "no removal \(removals) (\(path.lastPart)), in \(outcome.name)"))
      case .write(let path, _, _) where outcome.name == "undeletion":
        let suffix = "/" + path.lastPart
        guard ["/keys", "/slots"].contains(suffix) else { continue }
        writes[suffix, default: 0] += 1
      default: continue
      }
    }
    if !writes.isEmpty {
      // Slots and keys each make the other worthless; the paths of both, and no other's, end like this.
      pieces.append(
        .life(
          life, Omission(kind: UInt32(FAULT_WRITE), suffix: "s"),
          name: "no overwriting of any keys or slots, in \(outcome.name)"))
    }
    for (suffix, count) in writes.sorted(by: { $0.key < $1.key }) {
      for index in 1...count {
        pieces.append(
          .life(
            life, Omission(kind: UInt32(FAULT_WRITE), suffix: suffix, index: index),
            name: "no overwriting \(index) of \(suffix.dropFirst()), in \(outcome.name)"))
      }
    }
    return pieces
  }

  /// A path with what is random in it left out.
  private static func pattern(_ path: String, below root: String) -> String {
    let short = path.hasPrefix(root + "/") ? path.dropFirst(root.count + 1) : path[...]
    return short.split(separator: "/").map { part in
      part.utf8.count >= 32 || part.hasPrefix("new.") ? "…" : String(part)
    }.joined(separator: "/")
  }

  // MARK: Trying

  func run(_ piece: Piece, at index: Int) -> Proof.Mutant {
    let root = "\(folder)/mutant-\(index)"
    guard (try? Folder.make(root)) != nil else {
      return Proof.Mutant(name: "mutant \(index)", isCaught: false, detail: "no machine was made")
    }
    defer { Folder.remove(root) }
    switch piece {
    case .sync(let recording, let sweep, let indices, let name):
      return forget(indices, of: recording, sweep, as: name, at: root)
    case .life(let life, let omission, let name):
      let outcome = Prover.play(life, subject, at: root + "/machine", omitting: omission)
      let scenario = outcome.scenario(subject.options, groups: Canary.Group.allCases)
      let found =
        scenario.failures.first?.message
        ?? outcome.look.leaks.first.map { "\($0.finding.message), in \($0.place)" }
      return Proof.Mutant(
        name: name, isCaught: !scenario.verdict.isGood,
        detail: found ?? "makes no difference that is seen")
    }
  }

  /// The log of a program that forgot these syncs: what the power may leave of it is rebuilt and opened.
  private func forget(
    _ indices: Set<Int>, of recording: Recording, _ sweep: Sweep, as name: String, at root: String
  ) -> Proof.Mutant {
    let runner = SweepRunner(subject, folder: root)
    let (losses, end) = losses(indices, of: recording)
    func caught(_ judgement: Judgement?, _ moment: String) -> Proof.Mutant? {
      guard let judgement, judgement.verdict != .clean else { return nil }
      return Proof.Mutant(
        name: name, isCaught: true,
        detail: "\(judgement.verdict.rawValue) \(moment): \(judgement.message)")
    }
    if ["erasure", "formatting"].contains(sweep.name) {
      let undeleted = runner.judge(undeleting: end, of: recording, seed: subject.options.seed)
      if let mutant = caught(undeleted, "by undeletion at the end") { return mutant }
    }
    var tried = 0
    for loss in losses.prefix(Self.mostImages) where !subject.isLate {
      tried += 1
      let image = image(of: loss, indices, recording)
      let judgement = runner.judge(image, of: recording, sweep, answered: loss.number)
      if let mutant = caught(judgement, "by power loss after change \(loss.number)") {
        return mutant
      }
    }
    return Proof.Mutant(
      name: name, isCaught: false,
      detail: losses.isEmpty
        ? "other syncs do the same before the power can fail"
        : "not needed: \(tried) of \(losses.count) disks that differ without it are right too")
  }

  /// A loss of power after so many changes.
  private struct Loss {
    var number: Int
    var survival: Survival
  }

  /// What the power leaves where the syncs were forgotten.
  private func image(of loss: Loss, _ indices: Set<Int>, _ recording: Recording) -> DiskImage {
    var disk = UnsyncedDisk(recording.before)
    for number in 0..<loss.number where !indices.contains(number) {
      disk.take(recording.changes[number])
    }
    return disk.afterPowerLoss(
      loss.survival, seed: UInt64(loss.number - 1) &+ subject.options.seed)
  }

  /// The losses of power that leave something else where the sync was forgotten than where it was made:
  /// first those at which a request has just been answered, which must hold, then from the end to the
  /// sync. Disks are not kept: there can be thousands.
  private func losses(
    _ indices: Set<Int>, of recording: Recording
  ) -> (losses: [Loss], end: UnsyncedDisk) {
    var (whole, mutant) = (UnsyncedDisk(recording.before), UnsyncedDisk(recording.before))
    var answered: [Loss] = []
    var others: [Loss] = []
    var last: DiskImage?
    for (number, change) in recording.changes.enumerated() {
      whole.take(change)
      if !indices.contains(number) { mutant.take(change) }
      guard number >= indices.min() ?? 0 else { continue }
      for survival in Survival.allCases {
        let seed = UInt64(number) &+ subject.options.seed
        let image = mutant.afterPowerLoss(survival, seed: seed)
        guard image != last, image != whole.afterPowerLoss(survival, seed: seed) else { continue }
        last = image
        let loss = Loss(number: number + 1, survival: survival)
        if recording.answered.contains(loss.number) {
          answered.append(loss)
        } else {
          others.append(loss)
        }
      }
    }
    return (answered.reversed() + Self.spread(others, Self.mostImages), mutant)
  }

  /// As many of a list as are wanted, from its end to its start, at even distances.
  private static func spread<Element>(_ list: [Element], _ wanted: Int) -> [Element] {
    guard list.count > wanted else { return list.reversed() }
    return (0..<wanted).map { list[list.count - 1 - $0 * list.count / wanted] }
  }
}

extension String {
  fileprivate var lastPart: String {
    String(self[(lastIndex(of: "/").map { index(after: $0) } ?? startIndex)...])
  }
}
