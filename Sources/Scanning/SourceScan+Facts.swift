import Artifacts
import Bytes
import Findings
import RuleEngine

extension SourceScan {
  /// What a check said of a fact, and where it lies.
  struct Judged: Sendable {
    var ruling: Ruling
    /// The file or member it was judged in.
    var locator: String
    /// Steps below this source.
    var steps: [String]
    var ranges: [ByteRange]
    var line: Int?
    var liveness: Liveness
    var context: Context
  }

  /// The file or member that this source is.
  private var locator: String { Locator(file: task.path).inside(steps).description }

  /// Whether any check asks for facts of this subject.
  func wants(_ subject: Fact.Subject) -> Bool {
    task.judge.set.wants(subject) || subject == .dependency && task.listsComponents
  }

  /// States that there is a file, and what its place says of it.
  ///
  /// - Parameter path: its path in what it was found in.
  func stateFile(_ path: String, byteCount: Int) {
    guard wants(.file) else { return }
    let place = ContainerPath(path)
    var values = place.values
    values["source"] = ["folder"]
    values["kind"] = [kind]
    values["size"] = [String(byteCount)]
    if let encrypted { values["encrypted"] = [encrypted.rawValue] }
    if depth == 0, let excluded = task.sibling("._" + place.name),
      let head = try? excluded.bytes(at: 0, count: 4_096),
      String(decoding: head, as: UTF8.self).contains("com_apple_backup_excludeItem")
    {
      // Kept beside the file where the medium has no extended attributes (AppleDouble).
      values["backup"] = ["excluded"]
    }
    state(Fact(.file, place.name, values: values, at: Place(steps: [], origin: .transformed)))
  }

  /// Has the checks in effect decide on a fact; only what they say of it is kept.
  func state(_ fact: Fact) {
    guard wants(fact.subject) else { return }
    let place = fact.place
    let locator = locator
    if fact.subject == .dependency, task.listsComponents {
      task.note(.init(fact: fact, locator: locator, path: task.path))
    }
    for ruling in task.judge.rulings(on: fact, in: locator, root: task.root)
    where task.keepsRuling(of: ruling.check) {
      let count = place.origin.extent
      judged.append(
        Judged(
          ruling: ruling, locator: locator, steps: place.steps,
          ranges: place.origin.ranges(of: 0..<count), line: place.line, liveness: place.liveness,
          context: place.context))
    }
  }

  func note(
    missing subjects: [Fact.Subject], because reason: String,
    concerns: (Check) -> Bool = { _ in true }
  ) {
    task.judge.note(
      missing: subjects, because: reason, in: locator, root: task.root, concerns: concerns)
  }

  /// Adds what checks said of facts in a nested source, seen from this one.
  func adoptJudged(_ inner: SourceScan, at place: Place) {
    for var one in inner.judged {
      switch place.origin {
      case .pieces, .mapped:
        one.ranges = one.ranges.flatMap { place.origin.ranges(of: $0.offset..<$0.end) }
      case .transformed: one.ranges = []
      case .decoded(let range): one.ranges = [range]
      }
      one.steps = Locator.steps(place.steps, inside: one.steps)
      one.context.inherit(from: place.context)
      if one.liveness == .live { one.liveness = place.liveness }
      judged.append(one)
    }
  }
}

extension Origin {
  /// How many bytes of a fragment it places.
  fileprivate var extent: Int {
    switch self {
    case .pieces(let pieces): pieces.map { $0.offset + $0.count }.max() ?? 0
    case .mapped(let map): map.decodedCount
    case .decoded, .transformed: 0
    }
  }
}
