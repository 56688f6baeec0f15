import Findings
import RuleEngine

/// Covers needles in what a report says of places: a protected value may itself be a key of a
/// dictionary, a table, a member of an archive or the name of a file.
struct Veil: ~Copyable {
  private let database: LiteralDatabase
  private let scratch: LiteralDatabase.Scratch
  private let sizes: [Int]

  init(_ engine: Engine) throws(LiteralDatabase.CompileError) {
    let literals = engine.needles.indices.map { index in
      LiteralDatabase.Literal(engine.planted(index), ignoresCase: true)
    }
    database = try LiteralDatabase(literals)
    scratch = LiteralDatabase.Scratch(for: database)
    sizes = literals.map(\.bytes.count)
  }

  /// The text with every needle in it replaced by dots.
  func cover(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var covered: [Range<Int>] = []
    database.search(bytes.span.bytes, with: scratch) { hit in
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
    for index in report.components.indices {
      report.components[index].name = cover(report.components[index].name)
      report.components[index].version = report.components[index].version.map { cover($0) }
      report.components[index].packageURL = cover(report.components[index].packageURL)
      report.components[index].places = report.components[index].places.map { cover($0) }
    }
    for index in report.notes.indices {
      report.notes[index].path = cover(report.notes[index].path)
    }
    report.scope.roots = report.scope.roots.map { cover($0) }
  }

  private func cover(_ finding: inout Finding) {
    finding.path = cover(finding.path)
    finding.locator = cover(finding.locator)
    finding.message = cover(finding.message)
    finding.sample = finding.needle == nil ? cover(finding.sample) : finding.sample
    finding.suppressed = finding.suppressed.map { suppression in
      var suppression = suppression
      suppression.reason = cover(suppression.reason)
      return suppression
    }
    finding.also = finding.also.map { cover($0) }
    finding.context.table = finding.context.table.map { cover($0) }
    finding.context.column = finding.context.column.map { cover($0) }
    finding.context.entity = finding.context.entity.map { cover($0) }
    finding.context.attribute = finding.context.attribute.map { cover($0) }
    finding.context.member = finding.context.member.map { cover($0) }
    finding.context.section = finding.context.section.map { cover($0) }
    finding.context.symbol = finding.context.symbol.map { cover($0) }
    finding.context.key = finding.context.key.map { cover($0) }
  }
}
