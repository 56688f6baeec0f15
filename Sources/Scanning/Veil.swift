import Findings
import RuleEngine

/// Covers protected values in what a report says of places: a needle, a key that was given or a secret
/// that a rule knows may itself be a key of a dictionary, a table, a member of an archive or the name
/// of a file.
struct Veil: ~Copyable {
  private let database: LiteralDatabase
  private let sizes: [Int]
  /// Rules that know secrets by themselves.
  private let secrets: RuleVeil

  init(_ engine: Engine, besides values: [[UInt8]]) throws(LiteralDatabase.CompileError) {
    var literals: [LiteralDatabase.Literal] = []
    for index in engine.needles.indices {
      literals.append(LiteralDatabase.Literal(engine.planted(index), ignoresCase: true))
      literals += engine.texts(index).map { LiteralDatabase.Literal($0, ignoresCase: true) }
    }
    for value in values where value.count >= Self.shortest {
      literals.append(LiteralDatabase.Literal(value, ignoresCase: true))
    }
    literals = Array(Set(literals))
    database = try LiteralDatabase(literals)
    sizes = literals.map(\.bytes.count)
    secrets = RuleVeil(engine) { $0.hasPrefix("secrets.") || $0.hasPrefix("keys.") }
  }

  /// Shorter values would cover parts of ordinary names.
  private static let shortest = 6

  /// The text with every protected value in it replaced by dots.
  func cover(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var covered: [Range<Int>] = []
    database.search(bytes.span.bytes) { hit in
      covered.append(hit.end - sizes[hit.literal]..<hit.end)
    }
    covered += secrets.ranges(in: bytes)
    return RuleVeil.cover(covered, of: bytes) ?? text
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
    for index in report.components.indices {
      report.components[index].name = cover(report.components[index].name)
      report.components[index].version = report.components[index].version.map { cover($0) }
      report.components[index].packageURL = cover(report.components[index].packageURL)
      report.components[index].places = report.components[index].places.map { cover($0) }
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

/// Covers values that rules see in a name.
struct RuleVeil {
  private let searcher: Searcher
  /// By index in the engine's list.
  private let isCovered: [Bool]

  /// - Parameter covers: whether the values of a rule with this id are covered.
  init(_ engine: Engine, _ covers: (String) -> Bool = { _ in true }) {
    searcher = Searcher(engine)
    isCovered = engine.rules.map { covers($0.id) }
  }

  func cover(_ text: String) -> String {
    let bytes = Array(text.utf8)
    return Self.cover(ranges(in: bytes), of: bytes) ?? text
  }

  /// Where rules see a value in a name: in the whole, and between the points and slashes of a path, since
  /// `.txt` behind a token makes it another word.
  func ranges(in bytes: [UInt8]) -> [Range<Int>] {
    guard isCovered.contains(true) else { return [] }
    let apart = bytes.map { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") ? 0x0a : $0 }
    return [bytes, apart].flatMap { text -> [Range<Int>] in
      var outcome = SearchOutcome()
      searcher.search(text.span.bytes, surroundings: Surroundings(), into: &outcome)
      return outcome.sightings.compactMap { sighting -> Range<Int>? in
        guard case .rule(let index) = sighting.subject, isCovered[index] else { return nil }
        return sighting.range
      }
    }
  }

  /// The text with dots for the ranges; nothing where there are none.
  static func cover(_ covered: [Range<Int>], of bytes: [UInt8]) -> String? {
    guard !covered.isEmpty else { return nil }
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
