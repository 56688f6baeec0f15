import Commands
import FixtureKit
import Foundation
import Testing

@Suite struct `The program` {
  private static let wanted = ["--packs", "none", "--needle", "text=Orchid-Zebra-42", "--quiet"]

  @Test func `ends with 0, 1, 2 or 3 as its help says`() async throws {
    let folder = try TemporaryFolder()
    let out = try TemporaryFolder()
    try folder.write("a.txt", "nothing")
    let options = Self.wanted + ["--report", "json=\(out["r.json"])"]
    #expect(await Program.main(["scan", folder.path] + options) == 0)
    try folder.write("b.txt", "x Orchid-Zebra-42")
    #expect(await Program.main(["scan", folder.path] + options) == 1)
    #expect(await Program.main(["scan", folder.path, "--fail-on", "critical"] + options) == 0)
    folder.makePipe("pipe")
    #expect(await Program.main(["scan", folder.path] + options) == 1)
    #expect(await Program.main(["scan", folder.path, "--fail-on", "never"] + options) == 3)
    #expect(
      await Program.main(
        ["scan", folder.path, "--fail-on", "never", "--allow", "walk.special"] + options)
        == 0)
    #expect(await Program.main(["scan", folder.path, "--exclude", "*"] + options) == 3)
    let report = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: out["r.json"])))
    #expect(((report as? [String: Any])?["run"] as? [String: Any])?["status"] as? Int == 3)
    #expect(await Program.main(["scan", folder["none"]] + options) == 2)
  }

  @Test func `says so where a report cannot be written`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "nothing")
    let run = try CommandLineRun(
      ["scan", folder.path, "--report", "json=\(folder["no/such/folder.json"])"] + Self.wanted)
    #expect(run.status == 2)
    #expect(run.errors.contains("cannot be written"))
    let full = try CommandLineRun(
      ["scan", folder.path, "--report", "json=/dev/full"] + Self.wanted)
    #expect(full.status == 2)
    #expect(full.errors.contains("/dev/full cannot be written"))
  }

  @Test func `leaves the last report in place where there is no room for another`() throws {
    let folder = try TemporaryFolder()
    let out = try TemporaryFolder()
    try folder.write("a.txt", "x Orchid-Zebra-42")
    let options = Self.wanted + ["--report", "json=\(out["r.json"])"]
    let program = try #require(CommandLineRun.program?.path)
    #expect(try CommandLineRun(["scan", folder.path] + options).status == 1)
    let before = try Data(contentsOf: URL(fileURLWithPath: out["r.json"]))
    let full = try CommandLineRun(
      program: "/bin/sh",
      ["-c", "ulimit -f 1; exec \"$0\" \"$@\"", program, "scan", folder.path] + options)
    #expect(full.status == 2)
    #expect(full.errors.contains("r.json cannot be written: File too large"))
    #expect(full.errors.contains("help: make room"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: out["r.json"])) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: out.path) == ["r.json"])
    // Where a link stands, what it leads to is written.
    try FileManager.default.createSymbolicLink(
      atPath: out["link"], withDestinationPath: out["r.json"])
    let linked = Self.wanted + ["--report", "csv=\(out["link"])"]
    #expect(try CommandLineRun(["scan", folder.path] + linked).status == 1)
    let text = try String(contentsOfFile: out["r.json"], encoding: .utf8)
    #expect(text.hasPrefix("kind,severity,rule"))
  }

  @Test(arguments: [
    ["rules", "list"], ["--help"], ["scan", "--help"], ["--version"], ["completions", "bash"],
  ])
  func `ends with 2 where nobody gets what it says`(arguments: [String]) throws {
    let program = try #require(CommandLineRun.program?.path)
    func run(_ redirection: String) throws -> CommandLineRun {
      try CommandLineRun(
        program: "/bin/bash", ["-c", "\"$0\" \"$@\" \(redirection)", program] + arguments)
    }
    let full = try run("> /dev/full")
    #expect(full.status == 2)
    #expect(full.errors.contains("standard output cannot be written: No space left on device"))
    // A reader that has seen enough is no failure to tell of.
    let left = try run("| true; exit ${PIPESTATUS[0]}")
    #expect(left.errors.isEmpty)
  }

  static let commands = [
    "scan", "check", "inspect", "report", "diff", "baseline", "verify", "prove", "rules",
    "completions",
  ]

  @Test(arguments: commands + [""])
  func `has help of at most 80 columns for every command`(command: String) throws {
    let run = try CommandLineRun([command, "--help"].filter { !$0.isEmpty })
    #expect(run.status == 0)
    #expect(run.output.contains("usage: vestige"))
    #expect(run.output.contains("exit status:"))
    for line in run.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    if command.isEmpty { for name in Self.commands { #expect(run.output.contains("  \(name)")) } }
    if !command.isEmpty { #expect(try CommandLineRun([command, "-h"]).output == run.output) }
  }

  @Test func `names every scenario of the proof where it can be read`() throws {
    let help = try CommandLineRun(["prove", "--help"]).output
    let listed = try CommandLineRun(["prove", "--list"]).output.split(separator: "\n")
    #expect(listed.count > 40)
    for name in listed {
      // A scenario is a way to disturb the store and what is disturbed, or has a name of its own.
      for part in name.split(separator: "during-") {
        #expect(help.contains(part), "\(name)")
      }
    }
  }

  @Test func `tells its version, and without a command how to use it`() throws {
    #expect(try CommandLineRun(["--version"]).output.hasPrefix("vestige "))
    #expect(try CommandLineRun(["--version"]).status == 0)
    #expect(try CommandLineRun([]).status == 2)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `prints completions that name every option`(shell: String) throws {
    let run = try CommandLineRun(["completions", shell])
    #expect(run.status == 0)
    for word in ["scan", "rules", "needles", "max-expansion", "critical"] {
      #expect(run.output.contains(word))
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"].filter { installed($0) != nil })
  func `prints completions that the shell can read`(shell: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("script", try CommandLineRun(["completions", shell]).output)
    let checked = try CommandLineRun(
      program: try #require(installed(shell)), ["-n", folder["script"]])
    #expect(checked.status == 0, "\(checked.errors)")
    #expect(checked.errors.isEmpty)
    try folder.write("broken", try CommandLineRun(["completions", shell]).output + "\nif (\n")
    #expect(
      try CommandLineRun(program: try #require(installed(shell)), ["-n", folder["broken"]]).status
        != 0)
  }

  @Test(.enabled(if: installed("zsh") != nil, "zsh is not here: its completions were not read"))
  func `was tried with zsh`() { #expect(installed("zsh") != nil) }

  @Test(.enabled(if: installed("fish") != nil, "fish is not here: its completions were not read"))
  func `was tried with fish`() { #expect(installed("fish") != nil) }

  @Test(.enabled(if: installed("bash") != nil, "bash is not here"))
  func `completes options and their values in bash`() throws {
    let script = try CommandLineRun(["completions", "bash"]).output
    func completed(_ words: [String]) throws -> [String] {
      let list = words.map { "'\($0)'" }.joined(separator: " ")
      let run = try CommandLineRun(
        program: try #require(installed("bash")),
        [
          "-c",
          script
            + "COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); _vestige; printf '%s\\n' \"${COMPREPLY[@]}\"",
        ])
      return run.output.split(separator: "\n").map(String.init)
    }
    #expect(try completed(["vestige", "sc"]) == ["scan"])
    #expect(try completed(["vestige", "scan", "--max-d"]) == ["--max-depth"])
    #expect(try completed(["vestige", "scan", "--fail-on", "cr"]) == ["critical"])
  }

  @Test func `lists, shows and tests rules`() throws {
    let list = try CommandLineRun(["rules", "list", "--packs", "keys"])
    #expect(list.status == 0)
    #expect(list.output.split(separator: "\n").allSatisfy { $0.hasPrefix("keys.") })
    let shown = try CommandLineRun(["rules", "show", "pii.iban"])
    #expect(shown.output.hasPrefix("pii.iban\n"))
    let folder = try TemporaryFolder()
    try folder.write("own/r.yaml", Self.rule)
    let tested = try CommandLineRun(["rules", "test", "--packs", "own", "--rules", folder.path])
    #expect(tested.status == 0)
    #expect(tested.output == "1 passed, 0 failed\n")
    try folder.write("own/r.yaml", Self.rule.replacing("own-12345678", with: "own-1"))
    let failed = try CommandLineRun(["rules", "test", "--packs", "own", "--rules", folder.path])
    #expect(failed.status == 1)
    #expect(failed.output == "own.r: match example 1 was not found\n0 passed, 1 failed\n")
    try folder.write("own/r.yaml", Self.rule + "colour: red\n")
    let damaged = try CommandLineRun(["rules", "test", "--packs", "own", "--rules", folder.path])
    #expect(damaged.status == 2)
    #expect(damaged.errors.contains("own/r.yaml:11:1: unknown key \"colour\""))
  }

  private static let rule = """
    id: own.r
    title: Ours
    severity: high
    pattern: 'own-[0-9]{8}'
    anchors: ["own-"]
    remedy: Remove it.
    examples:
      match: ["own-12345678"]
      clean:
        - "own-x"

    """
}
