import Findings

/// The `proof` section of the JSON report: one line a scenario, so that it can be compared line by line.
enum JSONProof {
  private typealias Value = JSONWriter.Value

  static func members(of proof: Proof) -> [String] {
    [
      "\"driver\": \(Value.string(proof.driver).text),",
      "\"store\": \(Value.string(proof.store).text),",
      "\"seed\": \(Value.integer(proof.seed).text),",
      "\"exhaustive\": \(Value.boolean(proof.isExhaustive).text),",
      "\"kills\": \(proof.kills), \"images\": \(proof.images), \"errors\": \(proof.errors),",
      "\"failures\": \(proof.failureCount),",
    ]
      + list("scenarios", proof.scenarios.map(scenario))
      + list("mutants", proof.mutants.map(mutant))
      + list("canaries", proof.canaries.map(canary), isLast: true)
  }

  private static func list(_ name: String, _ values: [Value], isLast: Bool = false) -> [String] {
    let rows = values.enumerated().map { index, value in
      "  " + value.text + (index == values.count - 1 ? "" : ",")
    }
    return ["\"\(name)\": ["] + rows + [isLast ? "]" : "],"]
  }

  private static func scenario(_ scenario: Proof.Scenario) -> Value {
    .object([
      ("name", .string(scenario.name)), ("title", .string(scenario.title)),
      ("verdict", .string(scenario.verdict.rawValue)),
      ("notes", .array(scenario.notes.map(Value.string))), ("kills", .integer(scenario.kills)),
      ("images", .integer(scenario.images)), ("errors", .integer(scenario.errors)),
      ("population", .integer(scenario.population)), ("seconds", .number(scenario.seconds)),
      ("cells", .array(scenario.cells.map(cell))),
      ("failureCount", .integer(scenario.failureCount)),
      ("failures", .array(scenario.failures.map(failure))),
    ])
  }

  private static func cell(_ cell: Proof.Cell) -> Value {
    .object([
      ("place", .string(cell.place)), ("canaries", .string(cell.canaries)),
      ("verdict", .string(cell.verdict.rawValue)), ("bytes", .integer(cell.bytes)),
      ("foundPlanted", cell.foundPlanted.map(Value.boolean) ?? .null),
      ("findings", .array(cell.findings.map(Value.string))),
    ])
  }

  private static func failure(_ failure: Proof.Failure) -> Value {
    .object([
      ("point", failure.point.map(Value.integer) ?? .null), ("fault", .string(failure.fault)),
      ("verdict", .string(failure.verdict.rawValue)), ("message", .string(failure.message)),
      ("reproduce", .string(failure.reproduce)),
    ])
  }

  private static func mutant(_ mutant: Proof.Mutant) -> Value {
    .object([
      ("name", .string(mutant.name)), ("caught", .boolean(mutant.isCaught)),
      ("detail", .string(mutant.detail)),
    ])
  }

  private static func canary(_ canary: Proof.Canary) -> Value {
    .object([
      ("id", .string(canary.id)), ("kind", .string(canary.kind)),
      ("canaries", .string(canary.canaries)),
    ])
  }
}
