import Findings

extension Report {
  /// The findings from the gravest on, those that nobody accepted first; within one severity in the
  /// order of the report.
  var gravestFirst: [Finding] { gravestPositions.map { findings[$0] } }

  /// Where in the list they stand.
  var gravestPositions: [Int] {
    findings.indices.sorted { one, other in
      let (first, second) = (findings[one], findings[other])
      if (first.suppressed == nil) != (second.suppressed == nil) { return first.suppressed == nil }
      return first.severity != second.severity ? first.severity > second.severity : one < other
    }
  }

  /// Whether a finding counts against the run.
  func fails(_ finding: Finding) -> Bool {
    guard let threshold = run.failOn else { return false }
    return finding.suppressed == nil && finding.severity >= threshold
  }

  /// One line that says how the run ended.
  var verdict: String {
    let threshold = run.failOn?.rawValue ?? "never"
    return switch run.status {
    case 0 where run.failOn == nil:
      "passed: no finding fails this run, and everything was read (exit 0)"
    case 0: "clean: nothing at or above \(threshold), and everything was read (exit 0)"
    case 1: "findings at or above \(threshold) (exit 1)"
    case 3 where scope.files == 0: "incomplete: nothing was read (exit 3)"
    case 3 where run.failOn == nil:
      "incomplete: no finding fails this run, but not everything was read (exit 3)"
    case 3:
      "incomplete: nothing at or above \(threshold), but not everything was read (exit 3)"
    default: "not started (exit \(run.status))"
    }
  }
}

extension Finding {
  /// The place inside the file, from the first `!` on, which in names is escaped; empty where the file
  /// itself is the place.
  var innerLocator: String {
    locator.firstIndex(of: "!").map { String(locator[$0...]) } ?? ""
  }

  /// The place in the words of its format, and its bytes.
  var placeWords: [String] {
    var words: [String] = []
    if let line { words.append("line \(line)") }
    if let table = context.table {
      words.append("table \(table)" + (context.column.map { ".\($0)" } ?? ""))
    }
    if let entity = context.entity {
      words.append("entity \(entity)" + (context.attribute.map { ".\($0)" } ?? ""))
    }
    if let rowid = context.rowid { words.append("row \(rowid)") }
    if let page = context.page { words.append("page \(page)") }
    if let role = context.role { words.append(role) }
    if let frame = context.frame { words.append("frame \(frame)") }
    if let section = context.section { words.append(section) }
    if let first = ranges.first {
      let more = ranges.count > 1 ? " and \(ranges.count - 1) more" : ""
      words.append("byte \(first.offset)+\(first.length)\(more)")
    }
    return words
  }

  /// What it is, in a few words.
  var headline: String {
    needle.map { "\"\($0)\" in clear, as \(form ?? "")" } ?? title
  }

  /// Who accepted it, and why.
  var acceptance: String? {
    suppressed.map { suppression in
      "accepted by \(suppression.by.rawValue)"
        + (suppression.until.map { " until \($0)" } ?? "") + ": \(suppression.reason)"
    }
  }
}
