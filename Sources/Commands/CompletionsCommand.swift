/// `vestige completions`: prints the completion script of a shell, made from the options themselves.
struct CompletionsCommand: Command {
  let name = "completions"
  let summary = "print a completion script for bash, zsh or fish, or the manual page"
  let operands = "bash|zsh|fish|man"
  let options: [Option] = []

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    if arguments.operands.count > 1 { throw UsageError.unwantedOperand(arguments.operands[1]) }
    switch arguments.operands.first {
    case "bash": try terminal.print(Self.bash())
    case "zsh": try terminal.print(Self.zsh())
    case "fish": try terminal.print(Self.fish())
    case "man": try terminal.print(ManualPage.text())
    case let shell?: throw UsageError.unwantedOperand(shell)
    case nil: throw UsageError.missingOperand("bash, zsh, fish or man")
    }
    return 0
  }

  private static func options(of command: any Command) -> [Option] {
    command.options + Option.global
  }

  private static func bash() -> String {
    var cases = ""
    for command in Commands.builtIn {
      let names = options(of: command).map(\.name).joined(separator: " ")
      cases += "    \(command.name)) words=\"\(names)\" ;;\n"
    }
    var values = ""
    for option in Commands.builtIn.flatMap(options(of:)) where !option.choices.isEmpty {
      let line = "    \(option.name)) words=\"\(option.choices.joined(separator: " "))\" ;;\n"
      if !values.contains(line) { values += line }
    }
    let commands = Commands.builtIn.map(\.name).joined(separator: " ")
    return """
      # bash completion for vestige
      _vestige() {
        local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words=""
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W "\(commands) --help --version" -- "$current"))
          return
        fi
        case "$previous" in
      \(values)  esac
        if [ -z "$words" ] && [ "${current#-}" != "$current" ]; then
          case "${COMP_WORDS[1]}" in
      \(cases)    esac
        fi
        if [ -n "$words" ]; then
          COMPREPLY=($(compgen -W "$words" -- "$current"))
        else
          COMPREPLY=($(compgen -f -- "$current"))
        fi
      }
      complete -o filenames -F _vestige vestige

      """
  }

  private static func zsh() -> String {
    var text = "#compdef vestige\n_vestige() {\n  local -a commands\n  commands=(\n"
    for command in Commands.builtIn { text += "    '\(command.name):\(command.summary)'\n" }
    text += "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
    text += "  case $words[2] in\n"
    for command in Commands.builtIn {
      text += "    \(command.name)) _arguments \\\n"
      for option in options(of: command) {
        let star = option.isRepeatable ? "*" : ""
        let value = option.value.map { value in
          ":\(value):"
            + (option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))")
        }
        let help = option.help.filter { !"[]':".contains($0) }
        text += "      '\(star)\(option.name)[\(help)]\(value ?? "")' \\\n"
      }
      text += "      '*:path:_files' ;;\n"
    }
    return text + "  esac\n}\n_vestige \"$@\"\n"
  }

  private static func fish() -> String {
    var text = "# fish completion for vestige\n"
    for command in Commands.builtIn {
      text +=
        "complete -c vestige -n __fish_use_subcommand -a \(command.name) -d '\(command.summary)'\n"
    }
    for command in Commands.builtIn {
      for option in options(of: command) {
        var line = "complete -c vestige -n '__fish_seen_subcommand_from \(command.name)'"
        line += " -l \(option.name.dropFirst(2))"
        if option.value != nil { line += " -r" }
        if !option.choices.isEmpty { line += " -a '\(option.choices.joined(separator: " "))'" }
        let help = option.help.filter { $0 != "'" }
        text += line + " -d '\(help)'\n"
      }
    }
    return text
  }
}
