import Findings
package import Formats

/// Puts dependencies that files state together to components, with licences that other files know, and
/// matches them with advisories.
struct ComponentList {
  /// A dependency as it was stated, and where.
  struct Statement: Sendable {
    var fact: Fact
    var locator: String
    var path: String
  }

  static let rule = RuleDescription(
    id: "dependencies.vulnerable", title: "Dependency with a known vulnerability",
    severity: .high, remedy: "Update it to a version without the vulnerability.",
    controls: ["MASVS-CODE-3", "MASTG-TEST-0275"])

  private let statements: [Statement]

  init(_ statements: [Statement]) {
    self.statements = statements.sorted { ($0.locator, $0.fact.name) < ($1.locator, $1.fact.name) }
  }

  /// Every component once, with all the places that name it.
  func components() -> [Component] {
    let licences = licences()
    var components: [String: Component] = [:]
    for statement in statements {
      guard let url = statement.fact.values["purl"]?.first else { continue }
      var component = components[url] ?? component(statement.fact, url)
      if !component.places.contains(statement.locator) {
        component.places.append(statement.locator)
      }
      let name = Self.key(statement.fact.name)
      component.licences = licences[name].map { $0.sorted() } ?? []
      components[url] = component
    }
    return components.values.sorted(by: Component.precedes)
  }

  private func component(_ fact: Fact, _ url: String) -> Component {
    Component(
      name: fact.name, version: fact.values["version"]?.first,
      manager: fact.values["manager"]?.first ?? "", packageURL: url,
      revision: fact.values["revision"]?.first)
  }

  /// Names that are compared: a pod's subspecs have the licence of the pod.
  private static func key(_ name: String) -> String {
    name.prefix { $0 != "/" }.lowercased()
  }

  /// Licences by the name of what they are of: acknowledgements name it, a licence file lies in a
  /// folder of its name.
  private func licences() -> [String: Set<String>] {
    var licences: [String: Set<String>] = [:]
    for statement in statements {
      guard let licence = statement.fact.values["licence"]?.first else { continue }
      switch statement.fact.values["manager"]?.first {
      case "licence": licences[Self.key(statement.fact.name), default: []].insert(licence)
      case "licence-file":
        let folders = statement.locator.split(separator: "/").dropLast()
        if let folder = folders.last { licences[folder.lowercased(), default: []].insert(licence) }
      default: break
      }
    }
    return licences
  }
}

/// Advisories by the packages they are about.
package struct AdvisoryBook: Sendable {
  private var byName: [String: [(advisory: Int, affected: Int)]] = [:]
  private let advisories: [Advisory]

  package var count: Int { advisories.count }

  package init(_ advisories: [Advisory]) {
    self.advisories = advisories
    for (index, advisory) in advisories.enumerated() {
      for (number, affected) in advisory.affected.enumerated() {
        for key in Set(Self.keys(of: affected)) { byName[key, default: []].append((index, number)) }
      }
    }
  }

  /// Package URLs without version, and ecosystem and name, in lower case.
  private static func keys(of affected: Advisory.Affected) -> [String] {
    var keys: [String] = []
    if let url = affected.packageURL { keys.append(plain(url)) }
    switch affected.ecosystem.lowercased() {
    case "swifturl": keys.append("pkg:swift/" + repository(affected.name))
    case "cocoapods": keys.append("pkg:cocoapods/" + affected.name.lowercased())
    default: break
    }
    return keys
  }

  private static func repository(_ name: String) -> String {
    var text = name.lowercased()[...]
    if let scheme = text.firstRange(of: "://") { text = text[scheme.upperBound...] }
    if text.hasSuffix(".git") { text = text.dropLast(4) }
    return String(text)
  }

  /// A package URL without version, qualifiers and subpath.
  private static func plain(_ url: String) -> String {
    let name = url.prefix { $0 != "#" && $0 != "?" }
    let end = name.lastIndex(of: "@") ?? name.endIndex
    return name[..<end].lowercased()
  }

  /// What is known against a component in its version.
  func vulnerabilities(of component: Component) -> [Vulnerability] {
    guard let version = component.version else { return [] }
    var keys = [Self.plain(component.packageURL)]
    // Carthage builds what Swift packages are made of.
    if component.manager == "carthage", keys[0].hasPrefix("pkg:github/") {
      keys.append("pkg:swift/github.com/" + keys[0].dropFirst(11))
    }
    var found: [String: Vulnerability] = [:]
    for (index, number) in keys.flatMap({ byName[$0] ?? [] }) {
      let advisory = advisories[index]
      let verdict = advisory.judge(version, of: advisory.affected[number])
      guard verdict.isAffected else { continue }
      found[advisory.id] = Vulnerability(
        id: advisory.id, aliases: advisory.aliases, summary: advisory.summary,
        severity: advisory.severity, fixed: verdict.fixed)
    }
    return found.values.sorted { $0.id < $1.id }
  }
}

extension Report {
  /// Adds what the advisories know of its components: a finding for each place that names one, and
  /// what was decided.
  mutating func judgeComponents(by book: AdvisoryBook, _ key: FingerprintKey) {
    var (affected, undecided) = (0, 0)
    for index in components.indices {
      if components[index].version == nil { undecided += 1 }
      let known = book.vulnerabilities(of: components[index])
      components[index].vulnerabilities = known
      affected += known.isEmpty ? 0 : 1
      let component = components[index]
      for vulnerability in known {
        findings += component.places.map { finding(vulnerability, of: component, at: $0, key) }
      }
    }
    rules.append(ComponentList.rule)
    results.append(result(affected: affected, undecided: undecided, book: book))
  }

  private func result(affected: Int, undecided: Int, book: AdvisoryBook) -> RuleResult {
    var result = RuleResult(
      rule: ComponentList.rule.id, path: ".", outcome: .pass,
      reason: "\(components.count) dependencies compared with \(book.count) advisories")
    if affected > 0 {
      result.outcome = .fail
      result.reason += "; \(affected) with a known vulnerability"
    } else if components.isEmpty {
      result.outcome = .notEvaluated
      result.reason = "no lock file and no embedded framework was seen"
    } else if undecided > 0 {
      result.outcome = .notEvaluated
      result.reason += "; \(undecided) have no version to compare"
    }
    return result
  }

  private func finding(
    _ vulnerability: Vulnerability, of component: Component, at locator: String,
    _ key: FingerprintKey
  ) -> Finding {
    let rule = ComponentList.rule
    let outer = String(locator.prefix { $0 != "!" })
    let fixed =
      vulnerability.fixed.isEmpty
      ? "" : "; repaired in \(vulnerability.fixed.joined(separator: ", "))"
    var context = Context()
    context.symbol = component.name
    return Finding(
      fingerprint: key.fingerprint(
        of: [rule.id, outer, component.name, vulnerability.id], value: nil, bitsOfValue: 0),
      rule: rule.id, title: rule.title, severity: vulnerability.severity,
      message: "\(component.name) \(component.version ?? ""): \(vulnerability.id)"
        + " \(vulnerability.summary)\(fixed)",
      remedy: rule.remedy, path: outer, locator: locator, ranges: [], line: nil, liveness: .live,
      context: context, needle: nil, form: nil,
      sample: "\(component.name) \(component.version ?? "") \(vulnerability.id)",
      controls: rule.controls)
  }
}
