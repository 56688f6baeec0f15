/// One thing the program does: its name, its options, and what it does with them.
protocol Command: Sendable {
  var name: String { get }
  /// One line for the list of commands.
  var summary: String { get }
  /// What stands behind the name: `PATH...`.
  var operands: String { get }
  var options: [Option] { get }
  /// Paragraphs of `--help` behind the options.
  var details: String { get }

  /// Does it and returns the exit status.
  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32
}

extension Command {
  var details: String { "" }
}

/// The commands there are, in the order of `--help`.
enum Commands {
  static let builtIn: [any Command] = [
    ScanCommand(),
    CheckCommand(),
    ReportCommand(),
    InspectCommand(),
    DiffCommand(),
    BaselineCommand(),
    VerifyCommand(),
    ProveCommand(),
    RulesCommand(),
    CompletionsCommand(),
  ]
}

/// An option of a command: the source of parsing, `--help` and completions.
struct Option: Sendable {
  var name: String
  /// What follows the name; nothing for a switch.
  var value: String?
  var isRepeatable = false
  var help: String
  /// Values the shell can complete.
  var choices: [String] = []

  /// An option that takes a value.
  init(
    _ name: String, _ value: String, isRepeatable: Bool = false, choices: [String] = [],
    _ help: String
  ) {
    self.name = name
    self.value = value
    self.isRepeatable = isRepeatable
    self.help = help
    self.choices = choices
  }

  /// A switch.
  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}

extension Option {
  /// Options that every command takes.
  static let global: [Option] = [
    Option("--help", "show this help"),
    Option(
      "--color", "WHEN", choices: ["auto", "always", "never"],
      "colour on the terminal: auto, always or never (NO_COLOR is respected)"),
    Option(
      "--progress", "WHEN", choices: ["auto", "always", "never"],
      "a progress bar: auto (on a terminal), always or never"),
    Option(
      "--lang", "LANGUAGE", choices: ["en", "zh-Hans"],
      "language of messages and reports: en or zh-Hans (default: from LANG)"),
    Option("--quiet", "print nothing but what was asked for"),
  ]
}
