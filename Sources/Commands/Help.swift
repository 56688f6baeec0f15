/// The text of `--help`, made from the same values that parse the arguments.
enum Help {
  private static let width = 80

  static func program() -> String {
    var text = """
      vestige finds what an app leaves behind: plaintext of protected values and key
      material in databases, logs, archives, binaries and everything else on disk.

      usage: vestige COMMAND [options]

      commands:

      """
    for command in Commands.builtIn { text += row(command.name, command.summary, indent: 16) }
    text += row("vault", "drive the reference encrypted store; see vault --help", indent: 16)
    text += "\noptions:\n"
    for option in Option.global { text += row(label(option), option.help, indent: 24) }
    text += row("--version", "show the version", indent: 24)
    return text + "\n" + exitStatus
  }

  static func command(_ command: any Command) -> String {
    var text =
      "\(command.summary)\n\nusage: vestige \(command.name) [options] \(command.operands)\n"
    let options = command.options
    if !options.isEmpty { text += "\noptions:\n" }
    for option in options { text += row(label(option), option.help, indent: 24) }
    text += "\nfor every command:\n"
    for option in Option.global { text += row(label(option), option.help, indent: 24) }
    if !command.details.isEmpty { text += "\n" + command.details }
    return text + "\n" + exitStatus
  }

  /// What each exit status means.
  static let statuses = [
    (0, "nothing at or above the threshold, and everything was read"),
    (1, "findings at or above the threshold"),
    (2, "the command could not start: arguments, a damaged file, nothing in effect"),
    (3, "nothing at or above the threshold, but not everything could be read"),
  ]

  private static var exitStatus: String {
    "exit status:\n" + statuses.map { "  \($0.0)  \($0.1)\n" }.joined()
  }

  private static func label(_ option: Option) -> String {
    option.name + (option.value.map { " \($0)" } ?? "")
  }

  /// A name and its explanation, wrapped behind it.
  private static func row(_ name: String, _ help: String, indent: Int) -> String {
    let lines = wrapped(help, to: width - indent)
    let head = "  " + name
    let margin = String(repeating: " ", count: indent)
    var text = head.count < indent - 1 ? head + margin.dropFirst(head.count) : head + "\n" + margin
    text += lines.joined(separator: "\n" + margin)
    return text + "\n"
  }

  /// Text in lines of the width of a page, all of them indented.
  static func paragraph(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    return wrapped(text, to: width - indent).map { margin + $0 + "\n" }.joined()
  }

  private static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + word.count + 1 > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    return lines + [line]
  }
}
