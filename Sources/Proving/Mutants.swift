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

  /// Pieces of work, each of which can be done beside the others.
  enum Piece: Sendable {
    /// A sync of a recorded sweep that is forgotten.
    case sync(Recording, sweep: String, index: Int)
    /// A life without one protection or change.
    case life(LifeScenario, Omission, name: String)
  }

  // MARK: Choosing

  /// Syncs of each kind of file, a few of each; removals and overwritings of lives that erase; protections
  /// of memory.
  static func pieces(
    _ recordings: [(String, Recording)], _ lives: [ScenarioOutcome]
  ) -> [Piece] {
    var pieces: [Piece] = []
    for (name, recording) in recordings {
      var taken: [String: Int] = [:]
      for (index, change) in recording.changes.enumerated() {
        switch change {
        case .sync(let path), .syncFolder(let path):
          let kind = pattern(path, below: recording.machine.disk)
          taken[kind, default: 0] += 1
          // The first and the second of a kind are different steps; later ones repeat them.
          if taken[kind, default: 0] <= 2 {
            pieces.append(.sync(recording, sweep: name, index: index))
          }
        default: continue
        }
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
      case .remove(let path):
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
    case .sync(let recording, let sweep, let index):
      return forget(index, of: recording, sweep, at: root)
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

  /// The log of a program that forgot this sync: what the power may leave of it is rebuilt and opened.
  private func forget(
    _ index: Int, of recording: Recording, _ sweep: String, at root: String
  ) -> Proof.Mutant {
    let what = Self.pattern(
      recording.changes[index].path, below: recording.machine.disk)
    var mutant = Proof.Mutant(
      name: "no sync \(index + 1) (\(what)), in \(sweep)", isCaught: false,
      detail: "other syncs cover it")
    let runner = SweepRunner(subject, folder: root)
    var disk = UnsyncedDisk(recording.before)
    var last: DiskImage?
    var tried = 0
    for (number, change) in recording.changes.enumerated() {
      if number != index { disk.take(change) }
      guard number >= index else { continue }
      for survival in Survival.allCases {
        let image = disk.afterPowerLoss(
          survival, seed: UInt64(number) &+ subject.options.seed)
        guard image != last, tried < Self.mostImages, !subject.isLate else { continue }
        last = image
        tried += 1
        let judgement = runner.judge(image, of: recording, answered: number + 1)
        if let judgement, judgement.verdict != .clean {
          mutant.isCaught = true
          mutant.detail =
            "\(judgement.verdict.rawValue) by power loss after change \(number + 1): \(judgement.message)"
          return mutant
        }
      }
    }
    return mutant
  }
}

extension String {
  fileprivate var lastPart: String {
    String(self[(lastIndex(of: "/").map { index(after: $0) } ?? startIndex)...])
  }
}
