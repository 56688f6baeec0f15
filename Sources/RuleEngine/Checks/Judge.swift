import Bytes
package import Findings

/// Decides checks on facts, one after the other. One value belongs to one task: it holds compiled
/// expressions and the account of what was decided.
package final class Judge {
  package let set: CheckSet
  package private(set) var tally = Tally()
  /// How often facts were judged or missed.
  package private(set) var decisions = 0
  private var expressions: [String: Pattern] = [:]
  private var classified: [String: Set<String>] = [:]
  /// Names asked for before, by subject.
  private var wanted: [Fact.Subject: [String: Bool]] = [:]

  package init(_ set: CheckSet) {
    self.set = set
  }

  /// What the checks say of a fact from the file or member at `locator`, in what was named as `root`.
  package func rulings(on fact: Fact, in locator: String, root: String) -> [Ruling] {
    guard let uses = set.uses[fact.subject] else { return [] }
    decisions += 1
    var rulings: [Ruling] = []
    var decided: Set<Int> = []
    // Most patterns are of other facts: one view serves them all.
    let view = View(judge: self, check: -1, fact: fact, locator: locator, relations: nil)
    for use in uses where selects(use.pattern, view) {
      let unit = set.checks[use.check].unit(of: locator, root: root)
      switch use.role {
      case .relation(let number):
        tally[use.check, unit].relations.note(
          number, use.pattern.shared.map { fact.values[$0] ?? [] })
      case .fact:
        // Several patterns of one check may select a fact: it is decided once.
        guard decided.insert(use.check).inserted else { continue }
        if let ruling = decide(use.check, on: fact, locator, unit, nil) { rulings.append(ruling) }
      }
    }
    return rulings
  }

  /// Whether any check asks for facts of this subject and name; sources hold many that none asks for.
  package func wants(_ subject: Fact.Subject, _ name: String) -> Bool {
    guard let uses = set.uses[subject] else { return false }
    if let known = wanted[subject]?[name] { return known }
    let isWanted = uses.contains { use in
      use.pattern.names.isEmpty || use.pattern.names.contains { matches($0, name) }
    }
    if (wanted[subject]?.count ?? 0) < 50_000 { wanted[subject, default: [:]][name] = isWanted }
    return isWanted
  }

  /// Notes that facts of some subjects could not be had from a place: checks that look at them cannot
  /// tell.
  package func note(
    missing subjects: [Fact.Subject], because reason: String, in locator: String, root: String,
    concerns: (Check) -> Bool = { _ in true }
  ) {
    decisions += 1
    var noted: Set<Int> = []
    for use in subjects.flatMap({ set.uses[$0] ?? [] })
    where noted.insert(use.check).inserted && concerns(set.checks[use.check]) {
      let unit = set.checks[use.check].unit(of: locator, root: root)
      tally[use.check, unit].undecided[reason, default: 0] += 1
    }
  }

  /// The final word on a question that waited for its unit.
  package func settle(
    _ ruling: Ruling, in locator: String, with relations: Tally.Relations
  ) -> Ruling? {
    decide(ruling.check, on: ruling.fact, locator, ruling.unit, relations)
  }

  /// - Parameter relations: what holds in the unit; nothing while it is not known.
  private func decide(
    _ number: Int, on fact: Fact, _ locator: String, _ unit: String, _ relations: Tally.Relations?
  ) -> Ruling? {
    let check = set.checks[number]
    let view = View(judge: self, check: number, fact: fact, locator: locator, relations: relations)
    let waiting = Ruling(check: number, verdict: .waits, fact: fact, unit: unit)
    switch view.holds(check.applies) {
    case false?: return nil
    case nil: return waiting
    case true?: break
    }
    for clause in check.undecided {
      switch view.holds(clause.when) {
      case false?: continue
      case nil: return waiting
      case true?:
        tally[number, unit].undecided[
          clause.message ?? "it cannot be told from here", default: 0] += 1
        return nil
      }
    }
    for (clauses, fails) in [(check.fail, true), (check.warn, false)] {
      for clause in clauses {
        view.sensitive.removeAll()
        switch view.holds(clause.when) {
        case false?: continue
        case nil: return waiting
        case true?:
          tally[number, unit].applied += 1
          if fails { tally[number, unit].failed += 1 } else { tally[number, unit].warned += 1 }
          return Ruling(
            check: number, verdict: fails ? .fails(clause) : .warns(clause), fact: fact, unit: unit,
            sensitive: view.sensitive.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        }
      }
    }
    tally[number, unit].applied += 1
    return nil
  }

  private func selects(_ pattern: FactPattern, _ view: View) -> Bool {
    let names = pattern.names
    guard names.isEmpty || names.contains(where: { matches($0, view.fact.name) }) else {
      return false
    }
    if case .all(let conditions) = pattern.conditions, conditions.isEmpty { return true }
    return view.holds(pattern.conditions) ?? false
  }

  func matches(_ pattern: NamePattern, _ name: String) -> Bool {
    switch pattern {
    case .exactly(let text): name == text
    case .suffix(let text): name.hasSuffix(text)
    case .prefix(let text): name.hasPrefix(text)
    case .expression(let text): matches(text, name)
    }
  }

  func matches(_ expression: String, _ text: String) -> Bool {
    let pattern: Pattern
    if let known = expressions[expression] {
      pattern = known
    } else {
      // It compiled when its file was read.
      guard let compiled = try? Pattern(expression, ignoresCase: false) else { return false }
      expressions[expression] = compiled
      pattern = compiled
    }
    let bytes = Array(text.utf8)
    if case .match = pattern.firstMatch(in: bytes.span.bytes, startingIn: 0...bytes.count) {
      return true
    }
    return false
  }

  /// The classes of a name, kept: the same names stand everywhere.
  package func classes(of name: String) -> Set<String> {
    if let known = classified[name] { return known }
    let classes = set.lexicon.classes(of: name)
    if classified.count < 50_000 { classified[name] = classes }
    return classes
  }

  func relation(_ pattern: FactPattern, of check: Int) -> Int? {
    set.relations[check].firstIndex(of: pattern)
  }
}

/// One fact as the conditions of one check see it.
private final class View {
  let judge: Judge
  let check: Int
  let fact: Fact
  let locator: String
  let relations: Tally.Relations?
  var sensitive: [String] = []

  init(judge: Judge, check: Int, fact: Fact, locator: String, relations: Tally.Relations?) {
    self.judge = judge
    self.check = check
    self.fact = fact
    self.locator = locator
    self.relations = relations
  }

  /// Whether the condition holds; nothing where that depends on what is not known yet.
  func holds(_ condition: Condition) -> Bool? {
    switch condition {
    case .all(let conditions):
      var isKnown = true
      for condition in conditions {
        switch holds(condition) {
        case false?: return false
        case nil: isKnown = false
        case true?: break
        }
      }
      return isKnown ? true : nil
    case .any(let conditions):
      var isKnown = true
      for condition in conditions {
        switch holds(condition) {
        case true?: return true
        case nil: isKnown = false
        case false?: break
        }
      }
      return isKnown ? false : nil
    case .not(let condition):
      return holds(condition).map { !$0 }
    case .unitHas(let pattern):
      guard check >= 0, let relations else { return nil }
      let shared = pattern.shared.map { fact.values[$0] ?? [] }
      return judge.relation(pattern, of: check).map { relations.holds($0, shared) } ?? false
    case .predicate(let name):
      return Predicate.named(name)?.holds(fact, judge.set.lexicon) ?? false
    case .value(let key, let test):
      return values(key, test).contains { passes($0, test) }
    }
  }

  private func values(_ key: ValueKey, _ test: ValueTest) -> [String] {
    switch key {
    case .name: return [fact.name]
    case .path: return [locator]
    case .key(let key):
      guard case .classified = test else { return fact.values[key] ?? [] }
      // Where a reader says which names an expression shows, the text around them does not count.
      return fact.values[key + ".names"] ?? fact.values[key] ?? []
    case .prefix(let prefix):
      let keys = fact.values.keys.filter { $0.hasPrefix(prefix) }.sorted()
      return keys.flatMap { fact.values[$0] ?? [] }
    }
  }

  private func passes(_ value: String, _ test: ValueTest) -> Bool {
    switch test {
    case .oneOf(let texts): return texts.contains(value)
    case .matches(let expression): return judge.matches(expression, value)
    case .contains(let texts): return texts.contains { value.contains($0) }
    case .starts(let texts): return texts.contains { value.hasPrefix($0) }
    case .ends(let texts): return texts.contains { value.hasSuffix($0) }
    case .less(let bound): return Self.number(value).map { $0 < bound } ?? false
    case .greater(let bound): return Self.number(value).map { $0 > bound } ?? false
    case .present: return true
    case .classified(let wanted):
      let classes = judge.classes(of: value)
      guard wanted.isEmpty ? !classes.isEmpty : !classes.isDisjoint(with: wanted) else {
        return false
      }
      sensitive.append(value)
      return true
    }
  }

  /// A number as source writes it: `100_000`, `0x10`.
  private static func number(_ text: String) -> Double? {
    let plain = text.replacing("_", with: "")
    if plain.hasPrefix("0x") { return Int(plain.dropFirst(2), radix: 16).map(Double.init) }
    return Double(plain)
  }
}
