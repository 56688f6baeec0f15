package import Findings

/// What a database, log or journal is made of, as JSON: written by the report and by `vestige inspect`,
/// and read back so that a report rendered again still has its maps.
package enum JSONLayout {
  /// More pages, or bytes of a page or run, no file has; sums of so many runs stay far from overflow.
  private static let most = 1 << 48

  package static func value(of layout: StorageLayout) -> JSONWriter.Value {
    .object([
      ("unit", .string(layout.unit.rawValue)), ("count", .integer(layout.count)),
      ("pageSize", .integer(layout.pageSize)), ("sampled", .boolean(layout.isSampled)),
      ("runs", .array(layout.runs.map(value))),
    ])
  }

  private static func value(of run: StorageLayout.Run) -> JSONWriter.Value {
    .object([
      ("first", .integer(run.first)), ("count", .integer(run.count)), ("role", .string(run.role)),
      ("liveness", .string(run.liveness.rawValue)), ("owner", .optional(run.owner)),
      ("live", .integer(run.liveBytes)), ("dead", .integer(run.deadBytes)),
      ("entropy", .exact(run.entropy)),
      ("generation", run.generation.map { .integer($0) }),
      ("commits", run.commits == 0 ? nil : .integer(run.commits)),
      ("mixed", run.isMixed ? .boolean(true) : nil),
    ])
  }

  static func layout(_ json: JSONNode) throws(JSONNode.Failure) -> StorageLayout {
    let items = try json.required("runs").items()
    guard items.count <= StorageLayout.mostRuns else {
      throw JSONNode.Failure(problem: "a layout has fewer runs", offset: json.offset)
    }
    var runs: [StorageLayout.Run] = []
    var next = 1
    for item in items {
      let run = try run(item)
      guard run.first == next else {
        throw JSONNode.Failure(problem: "a run starts where the last one ends", offset: item.offset)
      }
      next += run.count
      runs.append(run)
    }
    var layout = StorageLayout(
      try json.required("unit").word(), pageSize: max(1, try count(json, "pageSize")), runs: runs)
    layout.isSampled = try json.required("sampled").boolean()
    return layout
  }

  private static func run(_ json: JSONNode) throws(JSONNode.Failure) -> StorageLayout.Run {
    let pages = try count(json, "count")
    guard pages >= 1 else {
      throw JSONNode.Failure(problem: "a run has one page at least", offset: json.offset)
    }
    var run = StorageLayout.Run(
      first: try count(json, "first"), count: pages, role: try json.required("role").text(),
      liveness: try json.required("liveness").word(), owner: try json.optional("owner")?.text())
    run.liveBytes = try count(json, "live")
    run.deadBytes = try count(json, "dead")
    run.entropy = min(max(try json.required("entropy").number(), 0), 8)
    run.generation = try json.optional("generation")?.count()
    run.commits = try json.optional("commits") == nil ? 0 : count(json, "commits")
    run.isMixed = try json.optional("mixed")?.boolean() ?? false
    return run
  }

  private static func count(_ json: JSONNode, _ name: String) throws(JSONNode.Failure) -> Int {
    let node = try json.required(name)
    let number = try node.count()
    guard number <= most else {
      throw JSONNode.Failure(problem: "no file is as large", offset: node.offset)
    }
    return number
  }
}
