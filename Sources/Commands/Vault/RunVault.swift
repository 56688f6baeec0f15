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
    complain(VaultUsage(problem: "which command?"), arguments)
    return 2
  }
  if command == "--help" || command == "help" || arguments.contains("--help") {
    let terminal = Terminal.basic(arguments)
    let text = VaultHelp.of(command)
    let said = Phrasebook.of(terminal.language).help(text) ?? text
    return Terminal.write(said + "\n", to: STDOUT_FILENO) == 0 ? 0 : 1
  }
  do {
    try await VaultCommands.run(command, Array(arguments.dropFirst()))
    return 0
  } catch let usage as VaultUsage {
    complain(usage, arguments)
    return 2
  } catch let error as VaultError {
    complain(VaultUsage(problem: error.problem, remedy: error.remedy), arguments)
    return 1
  } catch {
    complain(VaultUsage(problem: "\(error)", remedy: "report this"), arguments)
    return 1
  }
}

private func complain(_ usage: VaultUsage, _ arguments: [String]) {
  Terminal.basic(arguments).report(usage)
}
