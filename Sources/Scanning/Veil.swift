import Findings
import RuleEngine

/// Covers needles in what a report says of places: a protected value may itself be a key of a
/// dictionary, a table, a member of an archive or the name of a file.
struct Veil: ~Copyable {
  private let database: LiteralDatabase
  private let sizes: [Int]

  init(_ engine: Engine) throws(LiteralDatabase.CompileError) {
    let literals = engine.needles.indices.map { index in
      LiteralDatabase.Literal(engine.planted(index), ignoresCase: true)
    }
    database = try LiteralDatabase(literals)
    sizes = literals.map(\.bytes.count)
  }

  /// The text with every needle in it replaced by dots.
  func cover(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var covered: [Range<Int>] = []
    database.search(bytes.span.bytes) { hit in
      covered.append(hit.end - sizes[hit.literal]..<hit.end)
    }
    guard !covered.isEmpty else { return text }
    var result: [UInt8] = []
    var offset = 0
    for range in covered.sorted(by: { $0.lowerBound < $1.lowerBound })
    where range.upperBound > offset {
      if range.lowerBound > offset { result += bytes[offset..<range.lowerBound] }
      if range.lowerBound >= offset { result += Array(Redaction.dots.utf8) }
      offset = range.upperBound
    }
    return String(decoding: result + bytes[offset...], as: UTF8.self)
  }

  func cover(_ report: inout Report) {
    for index in report.findings.indices {
      cover(&report.findings[index])
    }
    for index in report.inputs.indices {
      report.inputs[index].path = cover(report.inputs[index].path)
      report.inputs[index].sameAs = report.inputs[index].sameAs.map { cover($0) }
    }
    for index in report.diagnostics.indices {
      report.diagnostics[index].path = cover(report.diagnostics[index].path)
      report.diagnostics[index].locator = cover(report.diagnostics[index].locator)
      report.diagnostics[index].message = cover(report.diagnostics[index].message)
    }
    for index in report.results.indices {
      report.results[index].path = cover(report.results[index].path)
      report.results[index].reason = cover(report.results[index].reason)
    }
    for index in report.notes.indices {
      report.notes[index].path = cover(report.notes[index].path)
    }
    report.scope.roots = report.scope.roots.map { cover($0) }
  }

  private func cover(_ finding: inout Finding) {
    finding.path = cover(finding.path)
    if finding.needle == nil { finding.sample = cover(finding.sample) }
    finding.suppressed = finding.suppressed.map { suppression in
      var suppression = suppression
      suppression.reason = cover(suppression.reason)
      return suppression
    }
    finding.coverNames { cover($0) }
  }
}

extension Finding {
  /// Covers what a finding says of its place, but for the path.
  mutating func coverNames(_ cover: (String) -> String) {
    locator = cover(locator)
    message = cover(message)
    also = also.map(cover)
    context.table = context.table.map(cover)
    context.column = context.column.map(cover)
    context.entity = context.entity.map(cover)
    context.attribute = context.attribute.map(cover)
    context.member = context.member.map(cover)
    context.section = context.section.map(cover)
    context.symbol = context.symbol.map(cover)
    context.key = context.key.map(cover)
  }
}
