/// `vestige check`: decides checklist rules on source trees, bundles and containers, and reads nothing
/// else into them. Its options and reports are those of `scan`.
struct CheckCommand: Command {
  private let scan = ScanCommand(isChecksOnly: true)

  let name = "check"
  let summary = "decide checklist rules on source, bundles and containers"
  let operands = "PATH..."
  var options: [Option] { scan.options }
  let details = """
    Every rule says what it decided: fail, pass, or not evaluated and why. The text
    report counts the outcomes and shows the failures; --report json has them all.
    Needles are not searched for here: they say which literals are sensitive.

    """

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    try await scan.run(arguments, terminal)
  }
}
