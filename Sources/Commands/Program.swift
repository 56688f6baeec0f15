import Findings
import Glibc

/// The program: finds the command, runs it, and turns what it throws into a message and a status.
public enum Program {
  public static func main(_ arguments: [String]) async -> Int32 {
    // A reader that goes away (head, less) ends the output, not the program in the middle of a word.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow any more is an error like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    MemoryTuning.apply()
    do {
      return try await run(arguments)
    } catch let error as OutputError where error.isAbandoned {
      return 2
    } catch let error as any Explained {
      Terminal.basic(arguments).report(error)
      return 2
    } catch {
      Terminal.basic(arguments).report(UnexpectedError(kind: "\(type(of: error))"))
      return 2
    }
  }

  private static func help(_ arguments: [String]) throws(OutputError) {
    let terminal = Terminal.basic(arguments)
    try terminal.print(Help(terminal.language).program())
  }

  private static func run(_ arguments: [String]) async throws -> Int32 {
    guard let name = arguments.first else {
      try help(arguments)
      return 2
    }
    switch name {
    case "--help", "-h", "help":
      try help(arguments)
      return 0
    case "--version":
      try Terminal.basic(arguments).print("vestige \(Vestige.version)\n")
      return 0
    case "vault":
      // The store has commands of its own, with arguments of their own.
      return await runVault(Array(arguments.dropFirst()))
    default:
      break
    }
    guard let command = Commands.builtIn.first(where: { $0.name == name }) else {
      throw UsageError.unknownCommand(name)
    }
    let parsed = try Arguments(arguments.dropFirst(), options: command.options + Option.global)
    if parsed.has("--help") {
      let terminal = Terminal.basic(arguments)
      try terminal.print(Help(terminal.language).command(command))
      return 0
    }
    return try await command.run(parsed, try Terminal(parsed))
  }
}

/// An error nobody expected: its kind is told, never its content, which may hold a value.
private struct UnexpectedError: Explained {
  var kind: String
  var problem: String { "unexpected error of kind \(kind)" }
  var remedy: String { "report it with the command line, without values" }
}
