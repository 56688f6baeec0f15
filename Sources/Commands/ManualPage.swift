import Findings

/// The manual page, made from the same values that parse the arguments and print `--help`.
enum ManualPage {
  static func text() -> String {
    var page = """
      .TH VESTIGE 1 "" "vestige \(escaped(Vestige.version))" "User Commands"
      .SH NAME
      vestige \\- find what an app leaves behind
      .SH SYNOPSIS

      """
    for command in Commands.builtIn {
      page +=
        ".B vestige \(escaped(command.name))\n[\\fIoptions\\fR] \(escaped(command.operands))\n"
      page += ".br\n"
    }
    page += """
      .B vestige vault
      \\fICOMMAND\\fR \\fIDIR\\fR [\\fIoptions\\fR]
      .SH DESCRIPTION
      Vestige finds plaintext of protected values, key material and broken storage rules in databases and
      their logs, deleted rows, property lists, archives, caches, logs, binaries and source. It opens its
      inputs read\\-only, writes nothing beside them and never uses the network.
      .SH COMMANDS

      """
    for command in Commands.builtIn { page += section(command) }
    page +=
      ".SS vestige vault\n\(escaped("drive the reference encrypted store; see vault --help"))\n"
    page += ".SH OPTIONS OF EVERY COMMAND\n"
    for option in Option.global { page += entry(option) }
    page += ".TP\n\\fB\\-\\-version\\fR\nshow the version\n"
    page += ".SH EXIT STATUS\n"
    for (status, meaning) in Help.statuses {
      page += ".TP\n\\fB\(status)\\fR\n\(escaped(meaning))\n"
    }
    return page + """
      .SH ENVIRONMENT
      .TP
      \\fBNO_COLOR\\fR
      no colour, whatever the terminal
      .TP
      \\fBGITHUB_SERVER_URL\\fR, \\fBGITHUB_REPOSITORY\\fR, \\fBGITHUB_SHA\\fR, \\fBCI_PROJECT_URL\\fR, \\fBCI_COMMIT_SHA\\fR
      where the links of the markdown report lead
      .SH FILES
      Rules, policies and baselines are YAML files; the README files of the source, installed with the
      package, say what they may hold.

      """
  }

  private static func section(_ command: any Command) -> String {
    var text = ".SS vestige \(escaped(command.name)) \(escaped(command.operands))\n"
    text += escaped(command.summary) + "\n"
    for option in command.options { text += entry(option) }
    // Lines of the details stand as they are laid out.
    if !command.details.isEmpty {
      text += ".PP\n.nf\n\(escaped(command.details.trimmingNewlines))\n.fi\n"
    }
    return text
  }

  private static func entry(_ option: Option) -> String {
    let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
    return ".TP\n\\fB\(escaped(option.name))\\fR\(value)\n\(escaped(option.help))\n"
  }

  /// Text in which nothing is a request or an escape of roff.
  private static func escaped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let line = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
      return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }.joined(separator: "\n")
  }
}

extension String {
  /// Without line ends at its end.
  fileprivate var trimmingNewlines: String {
    var text = self
    while text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
