package import Findings

/// The checks of a scan and the lexicon they classify with: what every task judges facts by. A class, as
/// its uses are, since every fact of every file is held against them.
package final class CheckSet: Sendable {
  package let checks: [Check]
  package let lexicon: Lexicon
  /// What each check asks its unit for.
  let relations: [[FactPattern]]
  /// Checks, and relations of checks, by the subject they look at.
  let uses: [Fact.Subject: [Use]]

  /// A pattern of a check.
  final class Use: Sendable {
    enum Role: Sendable {
      case fact
      case relation(Int)
    }

    let check: Int
    let role: Role
    let pattern: FactPattern

    init(check: Int, role: Role, pattern: FactPattern) {
      self.check = check
      self.role = role
      self.pattern = pattern
    }
  }

  package init(_ checks: [Check], lexicon: Lexicon = Lexicon()) {
    self.checks = checks
    self.lexicon = lexicon
    relations = checks.map(\.relations)
    var uses: [Fact.Subject: [Use]] = [:]
    for (index, check) in checks.enumerated() {
      for pattern in check.facts {
        for subject in pattern.subjects {
          uses[subject, default: []].append(Use(check: index, role: .fact, pattern: pattern))
        }
      }
      for (number, pattern) in relations[index].enumerated() {
        for subject in pattern.subjects {
          uses[subject, default: []].append(
            Use(check: index, role: .relation(number), pattern: pattern))
        }
      }
    }
    self.uses = uses
  }

  package var isEmpty: Bool { checks.isEmpty }

  /// Whether any check looks at facts of this subject: readers need not state others.
  package func wants(_ subject: Fact.Subject) -> Bool { uses[subject] != nil }

  /// Words of which one stands in every source file that a check could find something in.
  package var triggers: [String] {
    Set(checks.flatMap(\.triggers) + lexicon.logFunctions.compactMap { NamePattern($0).word })
      .sorted()
  }
}
