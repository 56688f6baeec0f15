import Artifacts
import Findings
import Glibc
import Proving
import Reporting

/// `vestige prove`: drives a store through its life and its faults and looks at what it leaves.
struct ProveCommand: Command {
  let name = "prove"
  let summary = "drive a store through its life and faults, and scan what it leaves"
  let operands = ""

  let options: [Option] = [
    Option(
      "--driver", "CMD", "the program that drives the store (default: the vault's own driver)"),
    Option(
      "--scenario", "NAME", isRepeatable: true, choices: Prover.scenarioNames,
      "run only this scenario; names are separated by commas"),
    Option("--point", "N", "try only this point of the scenario: what a report tells to see again"),
    Option("--seed", "N", "choose other canaries and another sample of points (default 1)"),
    Option("--exhaustive", "try every point, not a sample"),
    Option("--sample", "N", "points of each scenario to try when not all are (default 40)"),
    Option("--budget", "SECONDS", "stop after so long; what was left out makes the run incomplete"),
    Option(
      "--fail-on", "SEVERITY", choices: ["low", "medium", "high", "critical", "never"],
      "exit 1 from this severity on: low, medium (default), high, critical or never"),
    Option(
      "--report", "FORMAT=PATH", isRepeatable: true, choices: ["text", "json", "sarif"],
      "write a report with the findings and the proof to PATH"),
    Option("--allow", "CODE", isRepeatable: true, "accept a kind of thing that was not looked at"),
    Option("--reveal", "show the canaries in clear"),
    Option("--jobs", "N", "machines at the same time (default: the number of processors)"),
    Option(
      "--mutants", "also run the store with one sync, removal or wiping left out after the other"),
    Option("--list", "show the scenarios and end"),
  ]

  var details: String { Self.introduction + Self.scenarios }

  private static let introduction = """
    Every store can be driven by a program of a few dozen lines that answers
    requests, one JSON object a line; Sources/Proving/DRIVER.md has the
    protocol. The store is put into folders of its own, under a preloaded
    library that counts what it does to files, ends it or fails a call at any of
    them, and rebuilds what a loss of power would have left. After each step
    files, temporary folders, key items, everything ever written, standard
    error, memory and cores are searched for canaries, and for a leak planted in
    a copy of each place: a star in the matrix says that it was found.

    """

  /// Names to copy, a few to a line.
  private static var scenarios: String {
    let lives = Prover.lifeNames.joined(separator: ", ")
    let ways = Prover.disturbanceNames.map { $0 + "-X" }.joined(separator: ", ")
    let sweeps = Prover.sweepNames.joined(separator: ", ")
    return "scenarios:\n" + Help.paragraph(lives, indent: 2)
      + Help.paragraph(ways + ",", indent: 2) + "  where X is one of\n"
      + Help.paragraph(sweeps, indent: 4)
  }

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    if arguments.has("--list") {
      for name in Prover.scenarioNames { try terminal.print(name + "\n") }
      return 0
    }
    if let operand = arguments.operands.first { throw UsageError.unwantedOperand(operand) }
    let options = try proofOptions(arguments)
    let outputs = try outputs(arguments, terminal)
    for output in outputs { try output.check() }
    let text = TextProof(usesColor: terminal.usesColor, language: terminal.language)
    let isQuiet = terminal.isQuiet
    let report = try await Prover(options).prove { scenario in
      if !isQuiet { try? terminal.print(text.lines(of: scenario)) }
    }
    if !isQuiet {
      if let proof = report.proof { try terminal.print("\n" + text.matrix(of: proof) + "\n") }
      try terminal.print(text.summary(of: report))
    }
    for output in outputs { try output.write(report) }
    return report.run.status
  }

  /// The matrix is what the terminal shows; other reports go to files.
  private func outputs(
    _ arguments: Arguments, _ terminal: Terminal
  ) throws(UsageError) -> [ReportOutput] {
    let wanted = arguments.all("--report")
    for argument in wanted where !argument.contains("=") {
      throw .badValue("--report", "needs a path here: FORMAT=PATH")
    }
    var quiet = terminal
    quiet.isQuiet = true
    return wanted.isEmpty ? [] : try ReportOutput.outputs(wanted, quiet)
  }

  private func proofOptions(_ arguments: Arguments) throws -> ProofOptions {
    let command = try arguments["--driver"] ?? CompanionFile.vaultDriver.quotedPath()
    var options = ProofOptions(driver: DriverCommand(command), folder: Self.folder)
    options.library = try CompanionFile.faults.path()
    options.scenarios = arguments.all("--scenario").flatMap {
      $0.split(separator: ",").map(String.init)
    }
    options.point = try arguments.integer("--point", in: 0...Int(Int32.max))
    if options.point != nil, options.scenarios.count != 1 {
      throw UsageError.badValue("--point", "belongs to one --scenario")
    }
    options.seed = UInt64(try arguments.integer("--seed", in: 0...Int.max) ?? 1)
    options.isExhaustive = arguments.has("--exhaustive")
    options.sampleSize = try arguments.integer("--sample", in: 1...1_000_000) ?? options.sampleSize
    options.budget = try arguments.integer("--budget", in: 1...604_800).map(Double.init)
    options.jobs =
      try arguments.integer("--jobs", in: 1...256) ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    options.triesMutants = arguments.has("--mutants")
    options.failOn = try ScanCommand.threshold(arguments)
    options.allowed = try ScanCommand.allowed(arguments)
    options.reveals = arguments.has("--reveal")
    return options
  }

  /// Memory, where there is a folder in it: thousands of small machines are made and thrown away.
  private static var folder: String {
    if let folder = Terminal.variable("TMPDIR"), !folder.isEmpty { return folder }
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
  }
}

extension MissingCompanion: Explained {
  var problem: String { "\(name), which comes with the program, is not beside it" }
  var remedy: String { "install with make install, or build all products with swift build" }
}
