import Glibc
import Languages
import SecretBytes
import Vault
import VaultKeys

/// `vestige vault …`: drives the reference store from a shell. The arguments are those after `vault`.
///
/// Exit status: 0 done, 1 refused or failed, 2 the command line is wrong.
package func runVault(_ arguments: [String]) async -> Int32 {
  ProcessMemory.forbidDumps()
  guard let command = arguments.first else {
    complain("which command?", help: "see vestige vault --help")
    return 2
  }
  if command == "--help" || command == "help" || arguments.contains("--help") {
    let terminal = Terminal.basic(arguments)
    let text = VaultHelp.of(command)
    terminal.print((Phrasebook.of(terminal.language).help(text) ?? text) + "\n")
    return 0
  }
  do {
    try await VaultCommands.run(command, Array(arguments.dropFirst()))
    return 0
  } catch let usage as VaultUsage {
    complain(usage.problem, help: usage.remedy)
    return 2
  } catch let error as VaultError {
    complain(error.problem, help: error.remedy)
    return 1
  } catch {
    complain("\(error)", help: "report this")
    return 1
  }
}

private func complain(_ problem: String, help: String) {
  let text = Array("error: \(problem)\nhelp: \(help)\n".utf8)
  _ = write(2, text, text.count)
}
