import Findings

// The `proof` section of a report, as `JSONProof` writes it.

extension Proof {
  init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      driver: try json.required("driver").text(), store: try json.required("store").text(),
      seed: UInt64(try json.required("seed").count()),
      isExhaustive: try json.required("exhaustive").boolean())
    for node in try json.required("scenarios").items() { scenarios.append(try Scenario(node)) }
    for node in try json.required("mutants").items() { mutants.append(try Mutant(node)) }
    for node in try json.required("canaries").items() { canaries.append(try Canary(node)) }
  }
}

extension Proof.Scenario {
  fileprivate init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      name: try json.required("name").text(), title: try json.required("title").text())
    verdict = try json.required("verdict").word()
    notes = try json.required("notes").texts()
    kills = try json.required("kills").count()
    images = try json.required("images").count()
    errors = try json.required("errors").count()
    population = try json.required("population").count()
    seconds = try json.required("seconds").number()
    failureCount = try json.required("failureCount").count()
    for node in try json.required("cells").items() { cells.append(try Proof.Cell(node)) }
    for node in try json.required("failures").items() {
      failures.append(try Proof.Failure(node))
    }
  }
}

extension Proof.Cell {
  fileprivate init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      place: try json.required("place").text(), canaries: try json.required("canaries").text(),
      verdict: try json.required("verdict").word(), bytes: try json.required("bytes").count(),
      foundPlanted: try json.optional("foundPlanted")?.boolean(),
      findings: try json.required("findings").texts())
  }
}

extension Proof.Failure {
  fileprivate init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      point: try json.optional("point")?.count(), fault: try json.required("fault").text(),
      verdict: try json.required("verdict").word(), message: try json.required("message").text(),
      reproduce: try json.required("reproduce").text())
  }
}

extension Proof.Mutant {
  fileprivate init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      name: try json.required("name").text(), isCaught: try json.required("caught").boolean(),
      detail: try json.required("detail").text())
  }
}

extension Proof.Canary {
  fileprivate init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      id: try json.required("id").text(), kind: try json.required("kind").text(),
      canaries: try json.required("canaries").text())
  }
}
