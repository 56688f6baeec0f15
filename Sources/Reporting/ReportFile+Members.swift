import Findings

// How each part of a report is read back, in the order of `JSONReport`, which writes it.

extension Report.Run {
  init(_ json: JSONNode) throws(JSONNode.Failure) {
    let status = try json.required("status").integer()
    guard (0...3).contains(status) else {
      throw JSONNode.Failure(problem: "a status is 0 to 3", offset: json.offset)
    }
    self.init(
      started: try json.required("started").text(),
      seconds: try json.optional("seconds")?.number() ?? 0, status: Int32(status), failOn: nil,
      reveals: try json.required("reveal").boolean())
    let threshold = try json.required("failOn")
    if try threshold.text() != "never" { failOn = try threshold.word() }
    for code in try json.optional("allow")?.items() ?? [] { allowed.insert(try code.word()) }
    policy = try json.optional("policy")?.text()
    baseline = try json.optional("baseline")?.text()
    fingerprintKey = try json.optional("fingerprintKey")?.text() ?? fingerprintKey
    shard = try json.optional("shard").map(Report.Shard.init(json:))
  }
}

extension Report.Shard {
  fileprivate init(json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      index: try json.required("index").count(), count: try json.required("count").count())
    guard (1...max(1, count)).contains(index) else {
      throw JSONNode.Failure(problem: "the share is none of its number", offset: json.offset)
    }
  }
}

extension Report.Scope {
  init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init()
    roots = try json.required("roots").texts()
    files = try json.required("files").count()
    bytes = try json.required("bytes").count()
    fragments = try json.required("fragments").count()
    needles = try json.required("needles").count()
    forms = try json.required("forms").count()
    rules = try json.required("rules").count()
    for record in try json.optional("chanceHits")?.items() ?? [] {
      chanceHits.append(try ChanceRecord(record))
    }
  }
}

extension ChanceRecord {
  fileprivate init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      needle: try json.required("needle").text(), form: try json.required("form").text(),
      seen: try json.required("seen").count(),
      expected: try json.optional("expected")?.number() ?? 0,
      bits: try json.optional("bits")?.number() ?? 0)
  }
}

extension InputRecord {
  init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      path: try json.required("path").text(), bytes: try json.required("bytes").count(),
      sha256: try json.optional("sha256")?.text(), kind: try json.required("kind").text(),
      encrypted: try json.required("encrypted").word(),
      sameAs: try json.optional("sameAs")?.text())
    layout = try json.optional("layout").map(JSONLayout.layout)
  }
}

extension Finding {
  init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      fingerprint: try json.required("fingerprint").text(), rule: try json.required("rule").text(),
      title: try json.required("title").text(), severity: try json.required("severity").word(),
      message: try json.required("message").text(), remedy: try json.required("remedy").text(),
      path: try json.required("path").text(), locator: try json.required("locator").text(),
      ranges: [], line: try json.optional("line")?.count(),
      liveness: try json.required("liveness").word(),
      context: try Context(json.required("context")), needle: try json.optional("needle")?.text(),
      form: try json.optional("form")?.text(), sample: try json.required("sample").text(),
      controls: try json.required("controls").texts(),
      suppressed: try json.optional("suppressed").map(Suppression.init(json:)),
      also: try json.optional("also")?.texts() ?? [])
    for range in try json.required("ranges").items() { ranges.append(try ByteRange(range)) }
    excerpt = try json.optional("excerpt").map(Excerpt.init(json:))
  }
}

extension Excerpt {
  fileprivate init(json: JSONNode) throws(JSONNode.Failure) {
    guard
      let excerpt = Excerpt(
        source: try json.required("source").word(), offset: try json.required("offset").count(),
        text: try json.required("bytes").text())
    else { throw JSONNode.Failure(problem: "this is no excerpt", offset: json.offset) }
    self = excerpt
  }
}

extension ByteRange {
  fileprivate init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      offset: try json.required("offset").count(), length: try json.required("length").count())
    guard !offset.addingReportingOverflow(length).overflow else {
      throw JSONNode.Failure(problem: "a range ends beyond every file", offset: json.offset)
    }
  }
}

extension Context {
  fileprivate init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init()
    table = try json.optional("table")?.text()
    column = try json.optional("column")?.text()
    if let row = try json.optional("rowid") { rowid = Int64(try row.integer()) }
    entity = try json.optional("entity")?.text()
    attribute = try json.optional("attribute")?.text()
    page = try json.optional("page")?.integer()
    role = try json.optional("role")?.text()
    frame = try json.optional("frame")?.integer()
    member = try json.optional("member")?.text()
    section = try json.optional("section")?.text()
    symbol = try json.optional("symbol")?.text()
    key = try json.optional("key")?.text()
    copyOf = try json.optional("copyOf")?.text()
    confidence = try json.optional("confidence")?.number()
  }
}

extension Suppression {
  fileprivate init(json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      by: try json.required("by").word(), reason: try json.required("reason").text(),
      until: try json.optional("until")?.text())
  }
}

extension RuleResult {
  init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      rule: try json.required("rule").text(), path: try json.required("path").text(),
      outcome: try json.required("outcome").word(), reason: try json.required("reason").text())
  }
}

extension Diagnostic {
  init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      path: try json.required("path").text(), locator: try json.required("locator").text(),
      code: try json.required("code").word(), message: try json.required("message").text(),
      remedy: try json.required("remedy").text())
  }
}

extension Note {
  init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      code: try json.required("code").word(), path: try json.required("path").text(),
      line: try json.optional("line")?.count(), message: try json.required("message").text(),
      remedy: try json.required("remedy").text())
  }
}

extension RuleDescription {
  init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      id: try json.required("id").text(), title: try json.required("title").text(),
      severity: try json.required("severity").word(), remedy: try json.required("remedy").text(),
      controls: try json.required("controls").texts())
  }
}

extension Component {
  init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      name: try json.required("name").text(), version: try json.optional("version")?.text(),
      manager: try json.required("manager").text(), packageURL: try json.required("purl").text(),
      revision: try json.optional("revision")?.text())
    if let digest = try json.optional("sha256") {
      let text = try digest.text()
      guard text.utf8.count == 64, text.utf8.allSatisfy(Self.isDigit) else {
        throw JSONNode.Failure(
          problem: "64 hexadecimal digits are wanted here", offset: digest.offset)
      }
      sha256 = text
    }
    licences = try json.optional("licences")?.texts() ?? []
    places = try json.required("places").texts()
    for item in try json.optional("vulnerabilities")?.items() ?? [] {
      vulnerabilities.append(try Vulnerability(item))
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}

extension Vulnerability {
  fileprivate init(_ json: JSONNode) throws(JSONNode.Failure) {
    self.init(
      id: try json.required("id").text(), aliases: try json.required("aliases").texts(),
      summary: try json.required("summary").text(),
      severity: try json.required("severity").word(), fixed: try json.required("fixed").texts())
  }
}
