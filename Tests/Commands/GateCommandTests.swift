import FixtureKit
import Foundation
import Testing

@Suite struct `The gate from a shell` {
  private static let options = ["--packs", "none", "--needle", "text=Orchid-Zebra-42", "--quiet"]

  private static func scan(_ folder: TemporaryFolder, _ more: String...) throws -> CommandLineRun {
    try CommandLineRun(["scan", folder["in"]] + options + more)
  }

  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("in/a.txt", "x Orchid-Zebra-42\n")
    return folder
  }

  @Test func `is switched on with a baseline and fails on what is new`() throws {
    let folder = try Self.folder()
    #expect(try Self.scan(folder, "--report", "json=\(folder["r.json"])").status == 1)
    let without = try CommandLineRun(["baseline", "create", folder["r.json"]])
    #expect(without.status == 2)
    #expect(without.errors.contains("--reason"))
    let create = [
      "baseline", "create", folder["r.json"], "--reason", "old", "--output", folder["b.yaml"],
    ]
    #expect(try CommandLineRun(create).output.hasSuffix("b.yaml: 1 finding accepted\n"))
    #expect(try CommandLineRun(create).errors.contains("names a file that exists"))
    let baseline = ["--baseline", folder["b.yaml"]]
    #expect(try Self.scan(folder, baseline[0], baseline[1]).status == 0)
    #expect(try Self.scan(folder, baseline[0], baseline[1], "--no-suppressions").status == 1)
    try folder.write("in/b.txt", "x Orchid-Zebra-42\n")
    let new = ["--report", "json=\(folder["n.json"])"]
    #expect(try Self.scan(folder, baseline[0], baseline[1], new[0], new[1]).status == 1)
    let difference = try CommandLineRun(["diff", folder["r.json"], folder["n.json"]])
    #expect(difference.status == 1)
    #expect(difference.output.contains("new  high  needle.text  b.txt:1"))
    #expect(difference.output.hasSuffix("1 new, 0 gone, 1 unchanged; 1 new at or above medium\n"))
    #expect(
      try CommandLineRun(["diff", folder["r.json"], folder["n.json"], "--fail-on", "critical"])
        .status == 0)
    let update = ["baseline", "update", folder["b.yaml"], folder["n.json"]]
    #expect(try CommandLineRun(update).output.contains("0 added, 0 gone, 1 finding accepted"))
    #expect(
      try CommandLineRun(update + ["--reason", "newer"]).output.contains("1 added, 0 gone, 2"))
    #expect(try Self.scan(folder, baseline[0], baseline[1]).status == 0)
    let shown = try CommandLineRun(["baseline", "show", folder["b.yaml"]])
    #expect(shown.output.contains("needle.text  a.txt\n    old\n"))
    #expect(shown.output.contains("needle.text  b.txt\n    newer\n"))
  }

  @Test func `accepts nothing until a day that is over`() throws {
    let folder = try Self.folder()
    #expect(try Self.scan(folder, "--report", "json=\(folder["r.json"])").status == 1)
    let create = ["baseline", "create", folder["r.json"], "--reason", "old", "--output"]
    let past = try CommandLineRun(create + [folder["past.yaml"], "--until", "2020-01-31"])
    #expect(past.status == 2)
    #expect(past.errors.contains("--until must be a day that is not over: 2020-01-31 is"))
    #expect(past.errors.contains("help: "))
    #expect(!FileManager.default.fileExists(atPath: folder["past.yaml"]))
    // Of all days, today is the one that may be over by the next line: in that minute it is tomorrow.
    let day = Date().addingTimeInterval(60).formatted(.iso8601.year().month().day())
    let today = try CommandLineRun(create + [folder["b.yaml"], "--until", day])
    #expect(today.status == 0)
    let update = ["baseline", "update", folder["b.yaml"], folder["r.json"], "--reason", "new"]
    let later = try CommandLineRun(update + ["--until", "2020-01-31"])
    #expect(later.status == 2)
    #expect(try CommandLineRun(update + ["--until", "2999-12-31"]).status == 0)
  }

  @Test(arguments: ["json=", "text=", "bundle="])
  func `writes no report over what it reads`(format: String) throws {
    let folder = try Self.folder()
    try FileManager.default.linkItem(atPath: folder["in/a.txt"], toPath: folder["hard.txt"])
    try FileManager.default.createSymbolicLink(
      atPath: folder["soft.txt"], withDestinationPath: folder["in/a.txt"])
    for name in ["in/a.txt", "hard.txt", "soft.txt"] {
      let run = try CommandLineRun(
        ["scan", folder["in/a.txt"], "--report", format + folder[name]] + Self.options)
      #expect(run.status == 2)
      #expect(run.errors.contains("--report would overwrite \(folder["in/a.txt"]), which is read"))
    }
    #expect(
      try String(contentsOfFile: folder["in/a.txt"], encoding: .utf8) == "x Orchid-Zebra-42\n")
    try folder.write("n.yaml", "- {id: a, kind: text, value: Orchid-Zebra-42}\n")
    let needles = try Self.scan(
      folder, "--needles", folder["n.yaml"], "--report", format + folder["n.yaml"])
    #expect(needles.status == 2)
  }

  @Test(arguments: ["json", "text", "sarif", "html", "csv", "codequality", "case", "bundle"])
  func `writes over an earlier report in what it scans, and over nothing else there`(
    format: String
  ) throws {
    let folder = try Self.folder()
    let report = ["--report", "\(format)=\(folder["in/report"])"]
    #expect(try Self.scan(folder, report[0], report[1]).status == 1)
    let first = try Data(contentsOf: URL(filePath: folder["in/report"]))
    #expect(!first.isEmpty)
    #expect(try Self.scan(folder, report[0], report[1]).status == 1)
    try folder.write("in/report", "what the app left behind, \"vestige\" or not\n")
    let refused = try Self.scan(folder, report[0], report[1])
    #expect(refused.status == 2)
    #expect(refused.errors.contains("would overwrite \(folder["in/report"]), which is scanned"))
    #expect(refused.errors.contains("help: name another path"))
    let left = try String(contentsOfFile: folder["in/report"], encoding: .utf8)
    #expect(left == "what the app left behind, \"vestige\" or not\n")
    // By whatever way the path leads there.
    try FileManager.default.createSymbolicLink(
      atPath: folder["way"], withDestinationPath: folder["in"])
    #expect(
      try Self.scan(folder, "--report", "\(format)=\(folder["way/report"])").status == 2)
    // What is not scanned, or is there to be filled, is the person's to overwrite.
    #expect(try Self.scan(folder, report[0], report[1], "--exclude", "report").status == 1)
    try folder.write("in/report", "")
    #expect(try Self.scan(folder, report[0], report[1]).status == 1)
    #expect(try Data(contentsOf: URL(filePath: folder["in/report"])).count > 2)
  }

  @Test func `writes no report over a key, nor over one of several shares`() throws {
    let folder = try Self.folder()
    try folder.write("key", "Orchid-Zebra-42")
    let run = try CommandLineRun([
      "scan", folder["in"], "--packs", "none", "--needle", "text=@\(folder["key"])", "--report",
      "json=\(folder["key"])",
    ])
    #expect(run.status == 2)
    #expect(try String(contentsOfFile: folder["key"], encoding: .utf8) == "Orchid-Zebra-42")
    for share in ["1", "2"] {
      let output = "json=\(folder["\(share).json"])"
      _ = try Self.scan(folder, "--shard", "\(share)/2", "--report", output)
    }
    let shares = ["report", folder["1.json"], folder["2.json"], "--report"]
    let refused = try CommandLineRun(shares + ["json=\(folder["1.json"])"])
    #expect(refused.status == 2)
    #expect(refused.errors.contains("which is read"))
    #expect(try CommandLineRun(shares + ["json=\(folder["all.json"])"]).status == 1)
  }

  @Test func `takes from a policy what the command line leaves out`() throws {
    let folder = try Self.folder()
    try folder.write("policy/value.txt", "Orchid-Zebra-42\n")
    try folder.write(
      "policy/p.yaml",
      """
      policy: ours
      packs: []
      needles:
        - {id: orchid, kind: text, value: "@value.txt", severity: low}
        - {id: zebra, kind: text, value: "env:VESTIGE_ZEBRA"}
      fail-on: high
      """)
    let policy = ["scan", folder["in"], "--policy", folder["policy/p.yaml"], "--quiet"]
    let unset = try CommandLineRun(policy)
    #expect(unset.status == 2)
    #expect(unset.errors.contains("env:VESTIGE_ZEBRA is not set"))
    let environment = ["VESTIGE_ZEBRA": "Something-Else-77"]
    #expect(try CommandLineRun(policy, environment: environment).status == 0)
    let json = try CommandLineRun(
      policy + ["--report", "json", "--fail-on", "low"], environment: environment)
    #expect(json.status == 1)
    #expect(json.output.contains("\"policy\": \"ours\""))
    #expect(json.output.contains("\"needle\": \"orchid\""))
    #expect(json.output.contains("\"rules\": 0"))
    try folder.write("policy/p.yaml", "policy: ours\nexpct: []\n")
    let damaged = try CommandLineRun(policy)
    #expect(damaged.status == 2)
    #expect(damaged.errors.contains("p.yaml:2:1: unknown key \"expct\""))
  }

  @Test func `judges the shares of a run together, as one machine would`() throws {
    let folder = try Self.folder()
    for name in 0..<5 { try folder.write("in/\(name).txt", "x Orchid-Zebra-42 \(name)\n") }
    try folder.write(
      "p.yaml",
      """
      policy: ours
      required: {files: 6, paths: [3.txt]}
      expect: [{paths: "1.*", absent: true}, {paths: "*", no: [needles]}]
      allowed: [{rule: needle.text, paths: 2.txt, reason: r, owner: o, until: 2999-01-01}]
      """)
    #expect(try Self.scan(folder, "--report", "json=\(folder["r.json"])").status == 1)
    try folder.write(
      "b.yaml",
      try CommandLineRun(["baseline", "create", folder["r.json"], "--reason", "old"]).output
        .split(separator: "\n").filter { !$0.contains("\"3.txt\"") }.joined(separator: "\n"))
    let gate = ["--policy", folder["p.yaml"], "--baseline", folder["b.yaml"]]
    let whole = try CommandLineRun(
      ["scan", folder["in"]] + Self.options + gate + ["--report", "json"])
    var shares: [String] = []
    for index in 1...3 {
      shares.append(folder["\(index).json"])
      let share = try CommandLineRun(
        ["scan", folder["in"]] + Self.options + gate
          + ["--shard", "\(index)/3", "--report", "json=\(folder["\(index).json"])"])
      #expect(share.status == 1)
    }
    let merged = try CommandLineRun(["report"] + shares + gate + ["--quiet", "--report", "json"])
    #expect(merged.status == whole.status)
    #expect(Self.timeless(merged.output) == Self.timeless(whole.output))
    #expect(whole.output.contains("policy.absent") && whole.output.contains("policy.no-needle"))
    let unnamed = try CommandLineRun(["report"] + shares)
    #expect(unnamed.status == 2)
    #expect(unnamed.errors.contains("--policy must name the policy of the shares, \"ours\""))
    let missing = try CommandLineRun(["report"] + shares.dropLast() + gate)
    #expect(missing.errors.contains("share 3/3 is missing"))
    let again = try CommandLineRun(["report", shares[0]] + gate)
    #expect(again.errors.contains("cannot judge one share"))
  }

  @Test func `says of shares that checklist rules were not decided`() throws {
    let folder = try Self.folder()
    let share = try CommandLineRun([
      "scan", folder["in"], "--shard", "1/1", "--quiet", "--report", "json",
    ])
    #expect(share.output.contains("not decided on shares: run vestige check on the whole"))
    #expect(!share.output.contains("\"outcome\": \"pass\""))
  }

  @Test func `renders a report again with the maps of its databases, and no evidence`() throws {
    let folder = try TemporaryFolder()
    try SampleContainer.write(to: folder["in"])
    let scan = try CommandLineRun([
      "scan", folder["in"], "--packs", "none", "--needle", "text=Orchid-Zebra-42", "--quiet",
      "--report", "json=\(folder["r.json"])", "--report", "html=\(folder["one.html"])",
    ])
    let again = try CommandLineRun([
      "report", folder["r.json"], "--quiet", "--report", "html=\(folder["two.html"])",
    ])
    #expect(again.status == scan.status, "\(again.errors)")
    let pages = try ["one.html", "two.html"].map {
      try String(contentsOfFile: folder[$0], encoding: .utf8)
    }
    #expect(pages[0] == pages[1])
    #expect(pages[0].contains("Databases page by page"))
    let bundle = try CommandLineRun(["report", folder["r.json"], "--report", "bundle=x.tar"])
    #expect(bundle.status == 2)
    #expect(bundle.errors.contains("where the inputs are read: vestige scan"))
    #expect(!(try CommandLineRun(["report", "--help"]).output.contains("bundle")))
    #expect(try CommandLineRun(["scan", "--help"]).output.contains("bundle=PATH"))
  }

  @Test func `says in a line what checks came to, and why only where checks were asked for`() throws
  {
    let folder = try TemporaryFolder()
    try folder.write("in/a.txt", "nothing\n")
    let scan = try CommandLineRun(["scan", folder["in"]])
    #expect(scan.output.hasPrefix("Checks  0 fail, 0 pass, "))
    #expect(scan.output.contains(" not evaluated (vestige check says why)\n\n1 file"))
    let check = try CommandLineRun(["check", folder["in"]])
    #expect(check.output.contains("not evaluated: no call, value or declaration that it decides"))
  }

  /// A JSON report without the clock.
  private static func timeless(_ report: String) -> [Substring] {
    report.split(separator: "\n").filter { !$0.contains("\"started\"") }
  }

  @Test(arguments: [
    (["report"], "REPORT.json is missing"), (["report", "/no/such"], "/no/such: "),
    (["diff", "a"], "an older and a newer report is missing"),
    (["baseline"], "create, update or show is missing"), (["baseline", "eat"], "\"eat\" is not"),
    (["baseline", "update", "x"], "a baseline and one REPORT.json is missing"),
    (["baseline", "show", "/no/such"], "/no/such: "),
    (["scan", ".", "--baseline", "/no/such"], "/no/such: "),
    (["scan", ".", "--policy", "/no/such"], "/no/such: "),
    (["report", "/dev/null"], "1:1: the text ends too early"),
    (["check", "/dev/null", "--shard", "1/2"], "--shard cannot share out checklist rules"),
  ])
  func `says what is wrong`(arguments: [String], problem: String) throws {
    let run = try CommandLineRun(arguments)
    #expect(run.status == 2)
    #expect(run.errors.contains(problem), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 2)
  }
}
