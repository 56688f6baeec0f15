import Artifacts
import Findings
import RuleEngine
import SQLiteFormat

extension SourceScan {
  /// An observation, seen from the source that it was made in or that adopted it.
  struct Noted {
    var observation: Observation
    var steps: [String]
    /// Bytes of this source; empty where no byte of it shows what was observed.
    var ranges: [ByteRange]
  }

  /// Observations of one kind that one source keeps; the rest is counted.
  static let mostOfAKind = 64
  /// All that an outer file keeps.
  static let mostNoted = 2_000

  /// Keeps what rules of the `storage` kind may ask for.
  func note(_ observation: Observation) {
    noteScope(of: observation.kind)
    let kind = observation.kind
    noteCounts[kind, default: 0] += 1
    guard noteCounts[kind, default: 0] <= Self.mostOfAKind else { return }
    let whole = 0..<Int.max
    noted.append(
      Noted(
        observation: observation, steps: observation.place.steps,
        ranges: observation.place.origin.ranges(of: whole)))
  }

  private func noteScope(of kind: Observation.Kind) {
    switch kind {
    case .encrypted, .mixed, .plaintextHeader: scopes.formUnion([.store, .encrypted])
    case .plaintext: scopes.insert(.store)
    case .staleGeneration, .uncommittedFrames, .foreignLog: scopes.insert(.log)
    case .hotJournal, .persistedJournal: scopes.insert(.journal)
    case .oldKey: scopes.insert(.oldKey)
    case .undecided, .plaintextPage, .encryptedPage, .keyFits, .wrongKey, .damagedPages, .residue,
      .orphanSidecar, .plaintextBeside, .temporaryPages, .clearCopy, .notEncrypted, .worldReadable:
      break
    }
  }

  /// What the kind of the source, told once it was recognised, lets rules decide.
  func noteKind() {
    switch kind {
    case "sqlite": scopes.insert(.store)
    case "sqlite-wal": scopes.insert(.log)
    case "sqlite-journal": scopes.insert(.journal)
    default: break
    }
    if task.keys.contains(where: \.isOld), encrypted == .yes || encrypted == .mixed {
      scopes.insert(.oldKey)
    }
  }

  /// Adds what was observed of a source inside this one.
  func adoptNotes(of inner: SourceScan, at place: Place) {
    scopes.formUnion(inner.scopes)
    for (kind, count) in inner.noteCounts where count > Self.mostOfAKind {
      noteCounts[kind, default: 0] += count - Self.mostOfAKind
    }
    for var note in inner.noted {
      guard noted.count < Self.mostNoted else { return }
      note.steps = Locator.steps(place.steps, inside: note.steps)
      note.observation.place.context.inherit(from: place.context)
      if note.observation.place.liveness == .live {
        note.observation.place.liveness = place.liveness
      }
      note.ranges = note.ranges.flatMap {
        place.origin.ranges(of: $0.offset..<$0.end)
      }
      noteCounts[note.observation.kind, default: 0] += 1
      noted.append(note)
    }
  }
}
