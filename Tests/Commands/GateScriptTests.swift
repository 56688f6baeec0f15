import FixtureKit
import Foundation
import Testing
import YAML

@Suite struct `The gate in continuous integration` {
  private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: top.appendingPathComponent(name), encoding: .utf8)
  }

  private static func gate(
    _ folder: TemporaryFolder, _ environment: [String: String] = [:]
  ) throws -> CommandLineRun {
    let defaults = [
      "VESTIGE_PROGRAM": try #require(CommandLineRun.program?.path),
      "VESTIGE_PATHS": folder["in"], "VESTIGE_REPORTS": folder["in/reports"],
      "VESTIGE_ARGUMENTS": "--packs\nnone\n--needle\ntext=Orchid-Zebra-42",
      "GITHUB_STEP_SUMMARY": folder["summary"], "GITHUB_OUTPUT": folder["output"],
      "GITHUB_SERVER_URL": "", "GITHUB_REPOSITORY": "", "GITHUB_SHA": "",
    ]
    return try CommandLineRun(
      program: top.appendingPathComponent("gate/vestige-gate").path, [], "",
      defaults.merging(environment) { $1 })
  }

  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("in/a.txt", "x Orchid-Zebra-42\n")
    try folder.write("in/b c/$(touch hacked);.txt", "clean\n")
    return folder
  }

  @Test func `writes every report, the job's summary and outputs, and ends with the status`() throws
  {
    let folder = try Self.folder()
    let run = try Self.gate(folder)
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.output.contains("\"text-1\" in clear"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder["in/reports"]).sorted()
    #expect(
      names == [
        "gl-code-quality-report.json", "gl-sast-report.json", "junit.xml", "summary.md",
        "vestige.csv", "vestige.json", "vestige.sarif",
      ])
    let summary = try String(contentsOfFile: folder["summary"], encoding: .utf8)
    #expect(summary.hasPrefix("## Vestige: findings at or above medium"))
    let output = try String(contentsOfFile: folder["output"], encoding: .utf8)
    #expect(output.hasPrefix("status=1\nreports=\(folder["in/reports"])\nsarif="))
    // The reports of a run are not input of the next.
    let again = try Self.gate(folder)
    #expect(again.output.contains("2 files"))
  }

  @Test func `passes on what it is told, as it is`() throws {
    let folder = try Self.folder()
    try folder.write(
      "p.yaml", "policy: ours\nexpect: [{paths: \"b c\", absent: true, severity: critical}]\n")
    let create = ["baseline", "create", folder["in/reports/vestige.json"], "--reason", "old"]
    _ = try Self.gate(folder)
    try folder.write("b.yaml", try CommandLineRun(create).output)
    #expect(try Self.gate(folder, ["VESTIGE_BASELINE": folder["b.yaml"]]).status == 0)
    let both = ["VESTIGE_BASELINE": folder["b.yaml"], "VESTIGE_POLICY": folder["p.yaml"]]
    let run = try Self.gate(folder, both)
    #expect(run.status == 1)
    #expect(run.output.contains("policy.absent"))
    #expect(try Self.gate(folder, both.merging(["VESTIGE_EXCLUDE": "b c"]) { $1 }).status == 0)
    #expect(try Self.gate(folder, ["VESTIGE_FAIL_ON": "critical"]).status == 0)
    #expect(try Self.gate(folder, ["VESTIGE_FAIL_ON": "$(touch hacked)"]).status == 2)
    #expect(
      try Self.gate(folder, ["VESTIGE_PATHS": "\(folder["in/a.txt"])\n\(folder["in/b c"])"]).status
        == 1
    )
    #expect(!FileManager.default.fileExists(atPath: folder["hacked"]))
  }

  @Test func `says what is missing`() throws {
    let folder = try Self.folder()
    let run = try Self.gate(
      folder, ["VESTIGE_PROGRAM": "", "PATH": "/usr/bin:/bin", "VESTIGE_HERE": ""])
    // A checkout with Swift on the PATH would build it; here neither is on it.
    if installed("swift")?.hasPrefix("/usr/bin") != true, installed("vestige") == nil {
      #expect(run.status == 2)
      #expect(run.errors.contains("error: there is no vestige to run"))
    }
    let missing = try Self.gate(folder, ["VESTIGE_PATHS": folder["none"]])
    #expect(missing.status == 2)
    #expect(try String(contentsOfFile: folder["output"], encoding: .utf8).contains("status=2"))
  }

  @Test func `has an Action whose inputs are what the script reads`() throws {
    let action = try #require(try YAMLParser.parse(Self.text("action.yml")))
    let fields = try action.fields([
      "name", "description", "branding", "inputs", "outputs", "runs",
    ])
    let script = try Self.text("gate/vestige-gate")
    let runs = try fields.required("runs").fields(["using", "steps"])
    #expect(try runs.required("using").text() == "composite")
    let step = try #require(try runs.required("steps").items().first)
      .fields(["id", "shell", "run", "env"])
    guard case .mapping(let environment) = try step.required("env").value,
      case .mapping(let inputs) = try fields.required("inputs").value
    else {
      Issue.record("env and inputs are no mappings")
      return
    }
    #expect(environment.count == inputs.count)
    for entry in environment {
      #expect(script.contains("${\(entry.key)"), "\(entry.key)")
      let text = try entry.value.text()
      #expect(inputs.contains { text == "${{ inputs.\($0.key) }}" }, "\(text)")
    }
    // Nothing that a caller gives stands in the text of the script.
    #expect(try !step.required("run").text().contains("${{"))
    let hook = try #require(
      try YAMLParser.parse(Self.text(".pre-commit-hooks.yaml"))?.items().first
    )
    .fields([
      "id", "name", "description", "entry", "args", "language", "types", "require_serial",
    ])
    #expect(try hook.required("entry").text().hasPrefix("vestige scan"))
  }

  @Test func `has a GitLab template that keeps the reports the script writes`() throws {
    let template = try #require(try YAMLParser.parse(Self.text("gate/gitlab.yml")))
      .fields(["vestige"]).required("vestige")
      .fields(["stage", "image", "variables", "script", "artifacts"])
    let artifacts = try template.required("artifacts")
      .fields(["when", "expire_in", "paths", "reports"])
    let reports = try artifacts.required("reports").fields(["sast", "codequality", "junit"])
    let script = try Self.text("gate/vestige-gate")
    for entry in reports.entries {
      let name = try entry.value.text().split(separator: "/").last.map(String.init) ?? ""
      #expect(script.contains("file=\(name) ;;"))
    }
    guard case .mapping(let variables) = try template.required("variables").value else { return }
    for variable in variables where variable.key != "VESTIGE_IMAGE" {
      #expect(script.contains("${\(variable.key):-"), "\(variable.key)")
    }
  }

  @Test(.enabled(if: installed("man") != nil, "man is not here: the manual page was not laid out"))
  func `comes with a manual page that man can lay out`() throws {
    let folder = try TemporaryFolder()
    let page = try CommandLineRun(["completions", "man"]).output
    try folder.write("vestige.1", page)
    let shown = try CommandLineRun(
      program: try #require(installed("man")), ["--warnings", "-l", folder["vestige.1"]], "",
      ["LC_ALL": "C.UTF-8", "MANWIDTH": "80"])
    #expect(shown.status == 0)
    #expect(shown.errors.isEmpty, "\(shown.errors)")
    for word in ["vestige scan", "--max-expansion", "vestige baseline", "EXIT STATUS"] {
      #expect(shown.output.contains(word), "\(word)")
    }
    #expect(!page.contains("--pid"))
  }
}
