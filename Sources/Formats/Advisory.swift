package import Findings

/// An advisory in the form of OSV (ossf.github.io/osv-schema, 1.6): which versions of which packages have
/// a known vulnerability.
package struct Advisory: Equatable, Sendable {
  package struct Affected: Equatable, Sendable {
    /// `SwiftURL`, `CocoaPods`, …
    package var ecosystem: String
    package var name: String
    package var packageURL: String?
    /// Ranges of versions by their events; git ranges are left out.
    package var ranges: [[Event]]
    /// Versions named one by one.
    package var versions: [String]
  }

  /// What happens at a version.
  package enum Event: Equatable, Sendable {
    /// Nothing is from the first version on.
    case introduced(VersionNumber?)
    case fixed(VersionNumber, text: String)
    case lastAffected(VersionNumber)
  }

  package var id: String
  package var aliases: [String]
  package var summary: String
  package var severity: Severity
  package var affected: [Affected]

  /// The advisories of a document: one, or a list; withdrawn ones are left out.
  package static func all(in document: JSONValue) -> [Advisory] {
    if case .array(let members) = document.content { return members.compactMap(Advisory.init) }
    return Advisory(document).map { [$0] } ?? []
  }

  private init?(_ json: JSONValue) {
    guard let id = json["id"]?.text, json["withdrawn"] == nil else { return nil }
    self.id = id
    aliases = (json["aliases"]?.members ?? []).compactMap(\.text)
    summary = json["summary"]?.text ?? String((json["details"]?.text ?? id).prefix(200))
    affected = (json["affected"]?.members ?? []).compactMap(Affected.init)
    let words =
      [json["database_specific"]?["severity"]?.text]
      + (json["affected"]?.members ?? []).map { $0["database_specific"]?["severity"]?.text }
    let vectors = (json["severity"]?.members ?? []).compactMap { $0["score"]?.text }
    severity =
      words.compactMap { $0 }.compactMap(Self.severity(word:)).first
      ?? vectors.compactMap { VulnerabilityScore(vector: $0)?.severity }.max() ?? .high
  }

  private static func severity(word: String) -> Severity? {
    switch word.lowercased() {
    case "low": .low
    case "moderate", "medium": .medium
    case "high", "important": .high
    case "critical": .critical
    default: nil
    }
  }

  /// Whether a version of a package is affected, and which version repairs it.
  package func judge(
    _ version: String, of affected: Affected
  ) -> (isAffected: Bool, fixed: [String]) {
    if affected.versions.contains(where: { $0 == version || "v" + $0 == version }) {
      return (true, affected.ranges.flatMap(Self.fixes))
    }
    guard let number = VersionNumber(version) else { return (false, []) }
    for events in affected.ranges where Self.holds(number, in: events) {
      return (true, Self.fixes(of: events))
    }
    return (false, [])
  }

  private static func fixes(of events: [Event]) -> [String] {
    events.compactMap { event in
      if case .fixed(_, let text) = event { return text }
      return nil
    }
  }

  /// The evaluation of the schema: the state after the last event at or before the version.
  private static func holds(_ version: VersionNumber, in events: [Event]) -> Bool {
    var isAffected = false
    let ordered = events.sorted { one, other in
      switch (one.version, other.version) {
      case (nil, nil): false
      case (nil, _?): true
      case (_?, nil): false
      case (let one?, let other?): one < other
      }
    }
    for event in ordered {
      switch event {
      case .introduced(let first): if first.map({ $0 <= version }) ?? true { isAffected = true }
      case .fixed(let first, _): if first <= version { isAffected = false }
      case .lastAffected(let last): if last < version { isAffected = false }
      }
    }
    return isAffected
  }
}

extension Advisory.Event {
  fileprivate var version: VersionNumber? {
    switch self {
    case .introduced(let version): version
    case .fixed(let version, _), .lastAffected(let version): version
    }
  }

  fileprivate init?(_ json: JSONValue) {
    if let text = json["introduced"]?.text {
      let version = VersionNumber(text)
      // "0" stands before every version.
      guard text == "0" || version != nil else { return nil }
      self = .introduced(text == "0" ? nil : version)
    } else if let text = json["fixed"]?.text, let version = VersionNumber(text) {
      self = .fixed(version, text: text)
    } else if let text = json["last_affected"]?.text, let version = VersionNumber(text) {
      self = .lastAffected(version)
    } else {
      return nil
    }
  }
}

extension Advisory.Affected {
  fileprivate init?(_ json: JSONValue) {
    guard let package = json["package"], let name = package["name"]?.text else { return nil }
    self.name = name
    ecosystem = package["ecosystem"]?.text ?? ""
    packageURL = package["purl"]?.text
    versions = (json["versions"]?.members ?? []).compactMap(\.text)
    ranges = (json["ranges"]?.members ?? []).compactMap { range in
      guard range["type"]?.text != "GIT" else { return nil }
      return (range["events"]?.members ?? []).compactMap(Advisory.Event.init)
    }
  }
}

/// The base score of a CVSS 3 vector (first.org, CVSS v3.1 §7.1).
struct VulnerabilityScore {
  var base: Double

  init?(vector: String) {
    var metrics: [String: String] = [:]
    for part in vector.split(separator: "/") {
      let pair = part.split(separator: ":", maxSplits: 1).map(String.init)
      if pair.count == 2 { metrics[pair[0]] = pair[1] }
    }
    func weight(_ metric: String, _ weights: [String: Double]) -> Double? {
      metrics[metric].flatMap { weights[$0] }
    }
    guard metrics["CVSS"]?.hasPrefix("3") == true, let scope = metrics["S"],
      let vector = weight("AV", ["N": 0.85, "A": 0.62, "L": 0.55, "P": 0.2]),
      let complexity = weight("AC", ["L": 0.77, "H": 0.44]),
      let interaction = weight("UI", ["N": 0.85, "R": 0.62])
    else { return nil }
    let isChanged = scope == "C"
    let privileges =
      isChanged ? ["N": 0.85, "L": 0.68, "H": 0.5] : ["N": 0.85, "L": 0.62, "H": 0.27]
    let losses = ["H": 0.56, "L": 0.22, "N": 0.0]
    guard let privilege = weight("PR", privileges), let c = weight("C", losses),
      let i = weight("I", losses), let a = weight("A", losses)
    else { return nil }
    let loss = 1 - (1 - c) * (1 - i) * (1 - a)
    var low = 1.0
    for _ in 0..<15 { low *= loss - 0.02 }
    let impact = isChanged ? 7.52 * (loss - 0.029) - 3.25 * low : 6.42 * loss
    let ease = 8.22 * vector * complexity * privilege * interaction
    let sum = isChanged ? 1.08 * (impact + ease) : impact + ease
    base = impact <= 0 ? 0 : (min(sum, 10) * 10).rounded(.up) / 10
  }

  var severity: Severity {
    switch base {
    case ..<4: .low
    case ..<7: .medium
    case ..<9: .high
    default: .critical
    }
  }
}
