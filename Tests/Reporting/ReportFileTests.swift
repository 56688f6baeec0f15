import Findings
import Foundation
import Reporting
import Testing

@Suite struct `A report read back` {
  private static func read(_ text: String) throws -> Report {
    try ReportFile.report(in: Array(text.utf8), path: "r.json")
  }

  private static var proof: Proof {
    var proof = Proof(driver: "a driver", store: "a store", seed: 7, isExhaustive: true)
    var scenario = Proof.Scenario(name: "use", title: "Ordinary use")
    scenario.verdict = .leaked
    scenario.notes = ["memory was not looked at"]
    scenario.kills = 3
    scenario.images = 2
    scenario.failureCount = 1
    scenario.cells = [
      Proof.Cell(
        place: "files", canaries: "values", verdict: .leaked, bytes: 12, foundPlanted: nil,
        findings: ["00112233445566778899aabbccddeeff"]),
      Proof.Cell(
        place: "memory", canaries: "keys", verdict: .clean, bytes: 4_096, foundPlanted: true),
    ]
    scenario.failures = [
      Proof.Failure(
        point: nil, fault: "killed", verdict: .lost, message: "gone", reproduce: "vestige prove")
    ]
    proof.scenarios = [scenario]
    proof.mutants = [Proof.Mutant(name: "no sync", isCaught: true, detail: "use")]
    proof.canaries = [Proof.Canary(id: "name", kind: "text", canaries: "values")]
    return proof
  }

  @Test func `is the report that was written`() throws {
    var sample = Report.sample
    sample.run.shard = Report.Shard(index: 2, count: 3)
    sample.inputs[2].sameAs = "store.sqlite"
    sample.proof = Self.proof
    sample.inputs[3].layout?.isSampled = true
    let read = try Self.read(JSONReport().render(sample))
    // Neighbours are never written, and an expected number not to the last digit.
    sample.scope.chanceHits[0].expected = 0.000_305
    sample.findings[2].context.neighbours = []
    #expect(read == sample)
    for format in ReportFormats.builtIn {
      #expect(format.render(read) == format.render(sample), "\(format.name)")
    }
  }

  @Test(arguments: hostileTexts)
  func `holds any text as it was`(text: String) throws {
    let written = JSONReport().render(.hostile(text))
    #expect(JSONReport().render(try Self.read(written)) == written)
  }

  @Test func `cut short anywhere is refused, never trapped on`() throws {
    let whole = Array(JSONReport().render(.sample).utf8)
    for length in stride(from: 0, to: whole.count - 2, by: 7) {
      #expect(throws: ReportFileError.self, "\(length)") {
        _ = try ReportFile.report(in: Array(whole[..<length]), path: "r.json")
      }
    }
  }

  @Test func `with any byte changed is read or refused`() throws {
    let whole = Array(JSONReport().render(.sample).utf8)
    var refused = 0
    for place in stride(from: 0, to: whole.count, by: 3) {
      var bytes = whole
      bytes[place] = [0x00, 0x22, 0x5c, 0x7b, 0xff][place % 5]
      do { _ = try ReportFile.report(in: bytes, path: "r.json") } catch { refused += 1 }
    }
    #expect(refused > 1_000)
  }

  @Test func `may hold fields that nobody knows yet`() throws {
    let written = JSONReport().render(.sample)
    let more = written.replacing(
      "\"title\":", with: "\"new\": {\"a\": [1, -2.5e3, null, true]}, \"title\":")
    #expect(more != written)
    #expect(JSONReport().render(try Self.read(more)) == written)
    let last = written.replacing("{\n  \"schema\"", with: "{\n  \"later\": [], \"schema\"")
    #expect(JSONReport().render(try Self.read(last)) == written)
  }

  @Test(
    arguments: [
      ("\"schema\": \"vestige-report/1\"", "\"schema\": \"vestige-report/2\"", "2:13: the schema"),
      ("\"schema\": \"vestige-report/1\",", "", "1:1: \"schema\" is missing"),
      ("\"first\": 2", "\"first\": 3", "starts where the last one ends"),
      ("\"first\": 13, \"count\": 3", "\"first\": 13, \"count\": 0", "one page at least"),
      ("\"count\": 11", "\"count\": 9223372036854775807", "no file is as large"),
      ("\"live\": 4096", "\"live\": -1", "not negative"),
      ("\"unit\": \"page\"", "\"unit\": \"book\"", "page, frame, record is wanted"),
      ("\"sha256\": \"0707", "\"sha256\": \"<b>0", "64 hexadecimal digits"),
      (
        "\"severity\": \"critical\"", "\"severity\": \"huge\"",
        "low, medium, high, critical is wanted"
      ),
      ("\"severity\": \"critical\"", "\"severity\": 1", "text is wanted"),
      ("\"offset\": 512", "\"offset\": -1", "not negative"),
      ("\"offset\": 512", "\"offset\": 9223372036854775807", "ends beyond"),
      ("\"offset\": 512", "\"offset\": 92233720368547758070", "whole number"),
      ("\"offset\": 512", "\"offset\": 1.5", "whole number"),
      ("\"offset\": 512", "\"offset\": 01", ""),
      ("\"offset\": 512", "\"offset\": +1", "a value is wanted"),
      ("\"files\": 4", "\"files\": 4, \"files\": 5", "twice"),
      ("\"files\": 4", "\"files\": NaN", "a value is wanted"),
      ("\"code\": \"read.changed\"", "\"code\": \"read.nothing\"", "read.permission"),
      ("\"sample\": \"sk", "\"sample\": \"\\ud800x", "half a character"),
      ("\"sample\": \"sk", "\"sample\": \"\\x41", "unknown escape"),
      ("\"sample\": \"sk", "\"sample\": \"\t", "control character"),
      ("\"findings\": [", "\"findings\": {", ""), ("\"status\": 1", "\"status\": 7", "0 to 3"),
      ("\"seconds\": 1.25", "\"seconds\": \(String(repeating: "9", count: 400))", "too long"),
    ] as [(String, String, String)])
  func `must hold to its schema`(part: String, change: String, problem: String) throws {
    let written = JSONReport().render(.sample)
    let changed = written.replacing(part, with: change, maxReplacements: 1)
    #expect(changed != written)
    let error = try #require(throws: ReportFileError.self) { _ = try Self.read(changed) }
    #expect(error.problem.hasPrefix("r.json:"))
    #expect(problem.isEmpty || error.problem.contains(problem), "\(error.problem)")
  }

  @Test func `holds no more runs of a layout than a scan writes`() throws {
    let run = "{\"first\": 1, \"count\": 1, \"role\": \"x\", \"liveness\": \"live\""
    let first = run + ", \"live\": 0, \"dead\": 0, \"entropy\": 0}"
    let runs = (1...StorageLayout.mostRuns + 1).map {
      first.replacing("\"first\": 1", with: "\"first\": \($0)")
    }
    func report(_ count: Int) -> String {
      let written = JSONReport().render(.sample)
      let start = written.firstRange(of: "\"runs\": [")?.upperBound ?? written.startIndex
      let end = written[start...].firstIndex(of: "]") ?? written.endIndex
      return written.replacingCharacters(
        in: start..<end, with: runs.prefix(count).joined(separator: ", "))
    }
    let whole = try Self.read(report(StorageLayout.mostRuns))
    #expect(whole.inputs[3].layout?.count == StorageLayout.mostRuns)
    let error = try #require(throws: ReportFileError.self) {
      _ = try Self.read(report(StorageLayout.mostRuns + 1))
    }
    #expect(error.problem.contains("fewer runs"))
  }

  @Test func `is bounded in depth, and ends where it ends`() throws {
    let written = JSONReport().render(.sample)
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: ReportFileError.self) {
      _ = try Self.read(written.replacing("{\n  \"schema\"", with: "{\"x\": \(deep), \"schema\""))
    }
    #expect(throws: ReportFileError.self) { _ = try Self.read(written + "x") }
    let wide = (0..<300).map { "\"m\($0)\": 0" }.joined(separator: ",")
    #expect(throws: ReportFileError.self) { _ = try Self.read("{\(wide)}") }
  }
}
