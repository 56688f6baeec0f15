import Bytes
import RuleEngine

/// What a search of some bytes saw, for one needle or some rules.
struct Seen {
  var outcome = SearchOutcome()
  let engine: Engine

  init(
    _ bytes: [UInt8], needles: [Needle] = [], rules: [Rule] = [], asField: Bool = false,
    fieldName: String? = nil, names: [String] = []
  ) throws {
    engine = try Engine(rules: rules, needles: needles)
    var surroundings = Surroundings()
    surroundings.isWholeField = asField
    surroundings.fieldName = fieldName
    surroundings.names = names
    Searcher(engine).search(bytes.span.bytes, surroundings: surroundings, into: &outcome)
  }

  init(
    _ bytes: [UInt8], _ kind: Needle.Kind, _ value: String, asField: Bool = false
  ) throws {
    try self.init(bytes, needles: [Needle(id: "n", kind: kind, value: value)], asField: asField)
  }

  var forms: Set<String> { Set(outcome.sightings.compactMap(\.form)) }
  var chanceForms: Set<String> { Set(outcome.chance.map(\.hit.form)) }
  var isNothing: Bool { outcome.sightings.isEmpty }

  /// Ids of the rules that saw something.
  var rules: Set<String> {
    Set(
      outcome.sightings.compactMap { sighting in
        if case .rule(let index) = sighting.subject { engine.rules[index].id } else { nil }
      })
  }
}

extension [UInt8] {
  /// Text with bytes in hexadecimal where they are no text: `name=` and `7a fc`.
  init(_ text: String, hex: String, _ rest: String = "") {
    self =
      Array(text.utf8) + ([UInt8](hexadecimal: hex.filter { $0 != " " }) ?? []) + Array(rest.utf8)
  }
}
