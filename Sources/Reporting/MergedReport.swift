package import Findings

extension Report {
  /// The report of one run whose inputs were shared among several machines, from the reports of all of
  /// them: the same as one machine's, but for the clock.
  package init(merging shares: [Report]) throws(MergeError) {
    guard let first = shares.first else { throw .empty }
    guard shares.count > 1 else {
      self = first
      return
    }
    try Self.check(shares)
    self = first
    run.shard = nil
    for share in shares.dropFirst() { add(share) }
    resolveLinks()
    let bytes = scope.bytes
    scope.chanceHits = scope.chanceHits.map { hit in
      ChanceRecord(
        needle: hit.needle, form: hit.form, seen: hit.seen, bits: hit.bits, bytes: bytes)
    }
    sort()
    run.status = judgement
  }

  /// Only all shares of one run add up to it.
  private static func check(_ shares: [Report]) throws(MergeError) {
    let first = shares[0]
    var seen: Set<Int> = []
    for share in shares {
      guard let shard = share.run.shard else { throw .noShare }
      guard shard.count == first.run.shard?.count else { throw .different("the number of shares") }
      guard seen.insert(shard.index).inserted else { throw .twice("\(shard)") }
      let differences = [
        (share.toolVersion == first.toolVersion, "the program's version"),
        (share.rules == first.rules && share.scope.rules == first.scope.rules, "the rules"),
        (share.scope.needles == first.scope.needles, "the needles"),
        (share.scope.forms == first.scope.forms, "the needles' forms"),
        (share.run.failOn == first.run.failOn, "--fail-on"),
        (share.run.allowed == first.run.allowed, "--allow"),
        (share.run.reveals == first.run.reveals, "--reveal"),
        (share.run.policy == first.run.policy, "the policy"),
        (share.run.baseline == first.run.baseline, "the baseline"),
        (share.run.fingerprintKey == first.run.fingerprintKey, "--fingerprint-key"),
      ]
      if let difference = differences.first(where: { !$0.0 }) { throw .different(difference.1) }
    }
    let count = first.run.shard?.count ?? 0
    for index in 1...max(count, 1) where !seen.contains(index) {
      throw .missing("\(Shard(index: index, count: count))")
    }
  }

  private mutating func add(_ other: Report) {
    run.started = min(run.started, other.run.started)
    run.seconds += other.run.seconds
    for root in other.scope.roots where !scope.roots.contains(root) { scope.roots.append(root) }
    scope.files += other.scope.files
    scope.bytes += other.scope.bytes
    scope.fragments += other.scope.fragments
    for hit in other.scope.chanceHits {
      if let known = scope.chanceHits.firstIndex(where: {
        $0.needle == hit.needle && $0.form == hit.form
      }) {
        scope.chanceHits[known].seen += hit.seen
      } else {
        scope.chanceHits.append(hit)
      }
    }
    // Every file is one share's: what two shares say alike of something that neither of them read (a
    // folder that cannot be listed) is about the whole, and counts once.
    let read = Set((inputs + other.inputs).map { Array($0.path.utf8) })
    func isCommon(_ path: String) -> Bool { !read.contains(Array(path.utf8)) }
    findings = Self.joined(findings, other.findings, by: \.locator) { isCommon($0.path) }
    results = Self.joined(results, other.results, by: \.path) { isCommon($0.path) }
    diagnostics = Self.joined(diagnostics, other.diagnostics, by: \.locator) {
      $0.code.rawValue.hasPrefix("walk.") || $0.code == .readVanished
    }
    notes = Self.joined(notes, other.notes, by: \.path) { isCommon($0.path) }
    inputs += other.inputs
    components = Self.joined(components, other.components)
  }

  /// What both lists hold, common things once. Names are compared by their bytes.
  private static func joined<Element: Equatable>(
    _ one: [Element], _ other: [Element], by name: (Element) -> String,
    where isCommon: (Element) -> Bool
  ) -> [Element] {
    var known: [[UInt8]: [Element]] = [:]
    for element in one where isCommon(element) {
      known[Array(name(element).utf8), default: []].append(element)
    }
    return one
      + other.filter { element in
        guard isCommon(element) else { return true }
        let key = Array(name(element).utf8)
        guard let index = known[key]?.firstIndex(of: element) else { return true }
        known[key]?.remove(at: index)
        return false
      }
  }

  /// The components of both, each once with all its places.
  private static func joined(_ one: [Component], _ other: [Component]) -> [Component] {
    var joined: [String: Component] = [:]
    for component in one + other {
      guard var known = joined[component.packageURL] else {
        joined[component.packageURL] = component
        continue
      }
      known.places = Set(known.places + component.places).sorted()
      known.licences = Set(known.licences + component.licences).sorted()
      joined[component.packageURL] = known
    }
    return Array(joined.values)
  }

  /// Gives a second name of a file what the share that read the file knows.
  private mutating func resolveLinks() {
    var read: [[UInt8]: InputRecord] = [:]
    for input in inputs where input.sameAs == nil { read[Array(input.path.utf8)] = input }
    for index in inputs.indices {
      guard let name = inputs[index].sameAs, let file = read[Array(name.utf8)] else { continue }
      inputs[index].sha256 = file.sha256
      inputs[index].encrypted = file.encrypted
    }
  }
}

/// Reports do not add up to one run.
package enum MergeError: Error, Equatable {
  case empty
  case noShare
  case twice(String)
  case missing(String)
  case different(String)
}

extension MergeError: Explained {
  package var problem: String {
    switch self {
    case .empty: "there is no report"
    case .noShare: "one of the reports is not a share of a run"
    case .twice(let share): "share \(share) is here twice"
    case .missing(let share): "share \(share) is missing"
    case .different(let what): "the reports are not of one run: \(what) differs"
    }
  }

  package var remedy: String {
    switch self {
    case .empty: "give files that --report json=FILE wrote"
    case .noShare: "give one report, or the reports of all of a run's --shard I/N"
    case .twice, .missing: "give each of --shard 1/N to N/N once"
    case .different: "scan all shares with the same options"
    }
  }
}
