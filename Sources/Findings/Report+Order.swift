extension Report {
  /// Puts everything in the order of reports, so that the same run writes the same bytes.
  package mutating func sort() {
    inputs.sort { one, other in
      Self.areSame(one.path, other.path)
        ? one.sha256 ?? "" < other.sha256 ?? "" : Self.precedes(one.path, other.path)
    }
    findings.sort(by: Finding.precedes)
    results.sort { one, other in
      if one.rule != other.rule { return one.rule < other.rule }
      return Self.areSame(one.path, other.path)
        ? one.reason < other.reason : Self.precedes(one.path, other.path)
    }
    diagnostics.sort { one, other in
      Self.areSame(one.path, other.path)
        ? (one.code.rawValue, one.locator, one.message)
          < (other.code.rawValue, other.locator, other.message)
        : Self.precedes(one.path, other.path)
    }
    notes.sort { one, other in
      Self.areSame(one.path, other.path)
        ? (one.line ?? 0, one.code.rawValue, one.message)
          < (other.line ?? 0, other.code.rawValue, other.message)
        : Self.precedes(one.path, other.path)
    }
    scope.chanceHits.sort { ($0.needle, $0.form) < ($1.needle, $1.form) }
    rules.sort { $0.id < $1.id }
    components.sort(by: Component.precedes)
  }

  // By bytes: names that are equal as text, in two normal forms, are two files.
  private static func areSame(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }

  private static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }

  /// The exit status (INTERFACE, "Exit status").
  package var judgement: Int32 {
    if let threshold = run.failOn,
      findings.contains(where: { $0.suppressed == nil && $0.severity >= threshold })
    {
      return 1
    }
    let isIncomplete = diagnostics.contains { !run.allowed.contains($0.code) }
    return isIncomplete || scope.files == 0 ? 3 : 0
  }
}
