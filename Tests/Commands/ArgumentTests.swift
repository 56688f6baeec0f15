import FixtureKit
import Testing

@Suite struct `Arguments` {
  @Test(
    arguments: [
      (["scan", "--jbos", "2", "."], "unknown option --jbos", "did you mean --jobs?"),
      (["scan", "--zzzzzzzzzzz", "."], "unknown option --zzzzzzzzzzz", "--help"),
      (["scan", "."].dropLast() + ["--jobs"], "--jobs needs a N", "--help"),
      (["scan", "--jobs", "1", "--jobs", "2", "."], "--jobs stands here twice", "--help"),
      (["scan", "--reveal=yes", "."], "--reveal takes no value", "--help"),
      (["scan", "--jobs", "0", "."], "--jobs must be a whole number from 1 to 256", "--help"),
      (["scan", "--jobs=many", "."], "--jobs must be a whole number", "--help"),
      (["scan", "--max-depth", "65", "."], "--max-depth must be", "--help"),
      (["scan", "--max-time", "0", "."], "--max-time must be", "--help"),
      (
        ["scan", "--fail-on", "huge", "."], "--fail-on must be low, medium, high, critical",
        "--help"
      ),
      (["scan", "--color", "blue", "."], "--color must be auto, always, never", "--help"),
      (["scan", "--allow", "no.such", "."], "--allow must be one of read.permission", "--help"),
      (["scan", "--report", "pdf", "."], "--report must be one of text, json, sarif", "--help"),
      (
        ["scan", "--report", "json", "--report", "sarif", "."],
        "--report can go to the terminal only", ""
      ),
      (["scan", "--pid", "zero"], "--pid must be the number of a process", ""),
      (
        ["scan", "--packs", "none", "--needle", "text=Hush-Value", "--pid", "999999999"],
        "process 999999999: ", ""
      ),
      (["prove", "--scenario", "no-such"], "there is no scenario \"no-such\"", "prove --list"),
      (["prove", "--point", "3"], "--point belongs to one --scenario", ""),
      (["prove", "--report", "json"], "--report needs a path here", ""),
      (["prove", "x"], "\"x\" is not wanted here", ""),
      (["scan", "--shard", "4/3", "."], "--shard must be I/N", ""),
      (["scan", "--shard", "0/3", "."], "--shard must be I/N", ""),
      (["scan", "--shard", "1", "."], "--shard must be I/N", ""),
      (["scan", "--packs", "secret", "."], "--packs names \"secret\", which is not a pack", ""),
      (["scan"], "PATH is missing", "--help"), (["scan", "--"], "PATH is missing", "--help"),
      (["scna", "."], "unknown command \"scna\"", "--help"),
      (["rules"], "list, show or test is missing", ""),
      (["rules", "eat"], "\"eat\" is not wanted here", ""),
      (["rules", "show", "no.rule"], "not a rule", ""),
      (["rules", "show"], "ID is missing", ""),
      (["rules", "list", "more"], "\"more\" is not wanted here", ""),
      (["completions", "bash", "more"], "\"more\" is not wanted here", ""),
      (["completions", "tcsh"], "\"tcsh\" is not", ""),
      (["completions"], "bash, zsh, fish or man is missing", ""),
      (["scan", "--needle", "text", "."], "--needle must be KIND=VALUE", ""),
      (["scan", "--needle", "secret=Hush-Value", "."], "--needle must be KIND=VALUE", ""),
      (["scan", "--needle", "text=", "."], "--needle has an empty value", ""),
      (
        ["scan", "--needle", "text=env:NO_SUCH_VARIABLE", "."], "env:NO_SUCH_VARIABLE is not set",
        ""
      ),
      (["scan", "--needle", "text=@/no/such/file", "."], "/no/such/file: ", ""),
      (["scan", "--needle", "date=Hush-Value", "."], "is not an ISO 8601 day", ""),
      (
        ["scan", "--fingerprint-key", "env:VESTIGE_EMPTY", "."],
        "--fingerprint-key has an empty value", ""
      ),
      (["scan", "--baseline", "", "."], "--baseline has an empty value", ""),
      (["scan", "--include=", "."], "--include has an empty value", ""),
      (["scan", "--report", "json=", "."], "--report needs a path behind json=", ""),
      (
        ["scan", "--report", "json=/no/such/folder/r.json", "."],
        "/no/such/folder/r.json cannot be written: No such file", "a folder that you may write to"
      ),
      (["scan", "--report", "bundle=/", "."], "/ cannot be written: Is a directory", ""),
      (
        ["scan", "--report", "json=/tmp/x", "--report", "sarif=/tmp/x", "."],
        "--report names one path for two reports", ""
      ),
      (
        ["scan", "--report", "bundle=/tmp/x", "--sign-key", "env:PATH", "."],
        "--sign-key holds no Ed25519 private key", ""
      ),
      (["scan", "--needles", "/no/such/file", "."], "/no/such/file: ", ""),
      (["scan", "--packs", "none", "."], "no rule and no needle is in effect", "--needles"),
      (["scan", "--rules", "/no/such/folder", "."], "/no/such/folder: ", ""),
      (
        ["scan", "--packs", "none", "--needle", "text=Hush-Value", "/no/such/path"],
        "/no/such/path: ", ""
      ),
    ] as [([String], String, String)])
  func `that are wrong end with 2, an error and a help`(
    arguments: [String], problem: String, remedy: String
  ) throws {
    let run = try CommandLineRun(arguments, environment: ["VESTIGE_EMPTY": ""])
    #expect(run.status == 2)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines.first?.hasPrefix("error: ") == true && lines.first?.contains(problem) == true,
      "\(run.errors)")
    #expect(
      lines.last?.hasPrefix("help: ") == true && (remedy.isEmpty || run.errors.contains(remedy)))
    #expect(run.output.isEmpty)
    #expect(!run.errors.contains("Hush"))
  }

  @Test func `may come in any order, joined or apart, and end at two dashes`() throws {
    let folder = try TemporaryFolder()
    try folder.write("-leak", "x Orchid-Zebra-42 y")
    for arguments in [
      ["--packs=none", "--needle=text=Orchid-Zebra-42", "--quiet", "--report=json", folder.path],
      [
        folder.path, "--report", "json", "--quiet", "--needle", "text=Orchid-Zebra-42", "--packs",
        "none",
      ],
      [
        "--packs", "none", "--needle", "text=Orchid-Zebra-42", "--report", "json", "--",
        folder["-leak"],
      ],
    ] {
      let run = try CommandLineRun(["scan"] + arguments)
      #expect(run.status == 1)
      #expect(run.errors.isEmpty)
      #expect(run.output.hasPrefix("{\n  \"schema\": \"vestige-report/1\""))
    }
  }

  @Test(arguments: [
    ("64k", true), ("512M", true), ("4G", true), ("1GiB", true), ("1gb", true), ("100", true),
    ("2T", true),
    ("0", true), ("k", false), ("1X", false), ("-1", false), ("1.5G", false),
    ("1 G", false),
    ("99999999999T", false), ("99999999999999999999", false), ("1GiBB", false),
  ])
  func `that are sizes take the units people write`(size: String, isSize: Bool) throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "nothing")
    let run = try CommandLineRun([
      "scan", "--packs", "none", "--needle", "text=Orchid-Zebra-42", "--max-expansion", size,
      folder.path,
    ])
    #expect(run.status == (isSize ? 0 : 2))
    #expect(run.errors.contains("must be a size") != isSize)
  }
}
