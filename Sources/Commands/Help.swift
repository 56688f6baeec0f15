import Findings
import Languages
import Reporting

/// The text of `--help`, made from the same values that parse the arguments.
struct Help {
  private static let width = 80

  private let language: Language

  init(_ language: Language) {
    self.language = language
  }

  private func say(_ english: String) -> String {
    Phrasebook.of(language).help(english) ?? english
  }

  static let about = """
    vestige finds what an app leaves behind: plaintext of protected values and key
    material in databases, logs, archives, binaries and everything else on disk.

    """
  static let vault = "drive the reference encrypted store; see vault --help"
  static let version = "show the version"

  func program() -> String {
    var text = say(Self.about) + "\n"
    text += usage + "vestige COMMAND [options]\n\n" + say("commands:") + "\n"
    for command in Commands.builtIn { text += row(command.name, command.summary, indent: 16) }
    text += row("vault", Self.vault, indent: 16)
    text += "\n" + say("options:") + "\n"
    for option in Option.global { text += row(label(option), option.help, indent: 24) }
    text += row("--version", Self.version, indent: 24)
    return text + "\n" + exitStatus
  }

  func command(_ command: any Command) -> String {
    var text = say(command.summary) + "\n\n"
    text += usage + "vestige \(command.name) [options] \(command.operands)\n"
    let options = command.options
    if !options.isEmpty { text += "\n" + say("options:") + "\n" }
    for option in options { text += row(label(option), option.help, indent: 24) }
    text += "\n" + say("for every command:") + "\n"
    for option in Option.global { text += row(label(option), option.help, indent: 24) }
    if !command.details.isEmpty { text += "\n" + say(command.details) }
    return text + "\n" + exitStatus
  }

  /// What each exit status means.
  static let statuses = [
    (0, "nothing at or above the threshold, and everything was read"),
    (1, "findings at or above the threshold"),
    (2, "the command could not start: arguments, a damaged file, nothing in effect"),
    (3, "nothing at or above the threshold, but not everything could be read"),
  ]

  /// Every text that a translation must have.
  static var texts: [String] {
    let commands = Commands.builtIn
    let options = Option.global + commands.flatMap(\.options)
    return [about, vault, version, "usage:", "commands:", "options:", "for every command:"]
      + ["exit status:"] + statuses.map(\.1) + commands.map(\.summary)
      + commands.map(\.details).filter { !$0.isEmpty } + options.map(\.help)
      + [VaultHelp.overview] + VaultHelp.commands.map(VaultHelp.of)
  }

  /// A Chinese colon is as wide as a colon and a blank.
  private var usage: String { say("usage:") + (language == .english ? " " : "") }

  private var exitStatus: String {
    say("exit status:") + "\n" + Self.statuses.map { "  \($0.0)  \(say($0.1))\n" }.joined()
  }

  private func label(_ option: Option) -> String {
    option.name + (option.value.map { " \($0)" } ?? "")
  }

  /// A name and its explanation, wrapped behind it.
  private func row(_ name: String, _ help: String, indent: Int) -> String {
    let lines = TextLayout.lines(of: say(help), width: Self.width - indent)
    let head = "  " + name
    let margin = String(repeating: " ", count: indent)
    let start =
      head.count < indent - 1 ? TextLayout.padded(head, indent) : head + "\n" + margin
    return start + lines.joined(separator: "\n" + margin) + "\n"
  }

  /// Text in lines of the width of a page, all of them indented.
  static func paragraph(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    return TextLayout.lines(of: text, width: width - indent).map { margin + $0 + "\n" }.joined()
  }
}
