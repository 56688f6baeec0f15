import Findings
import Glibc
import Inspection
import Languages
import Reporting
import SQLiteFormat
import Scanning
import SecretBytes
import Vault

/// `vestige inspect`: what one file holds, page by page, and where something could still lie.
struct InspectCommand: Command {
  let name = "inspect"
  let summary = "show what one file holds, and where something could still lie"
  let operands = "FILE"

  let options: [Option] = [
    Option(
      "--key", "KIND=VALUE", isRepeatable: true,
      "a key to try: hex=VALUE, passphrase=VALUE or salt=VALUE, where VALUE may be @FILE or"
        + " env:NAME; verifies every page, and every value that is sealed by itself"),
    Option("--json", "write all of it as JSON"),
    Option("--reveal", "show values in clear"),
    Option("--max-time", "SECONDS", "seconds for reading (default 300)"),
  ]

  let details = """
    Knows databases with their logs and journals, encrypted databases, archives,
    property lists, keyed archives, data models, iOS backups (Manifest.db),
    programs and libraries. The exit status is 0, or 3 where something could not
    be read.

    """

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    guard let path = arguments.operands.first else { throw UsageError.missingOperand("FILE") }
    if arguments.operands.count > 1 { throw UsageError.unwantedOperand(arguments.operands[1]) }
    let keys = try KeySelection.keys(arguments)
    let evidence = try EvidenceFile(path)
    var file = InspectedFile(
      path: RawPath(path).description, name: evidence.name, source: evidence.source,
      clock: { EvidenceFile.clock }, sibling: evidence.sibling)
    file.keys = keys
    file.unseal = Self.unseal(keys)
    if let seconds = try arguments.integer("--max-time", in: 1...86_400) {
      file.seconds = Double(seconds)
    }
    var inspection = try file.inspect()
    if evidence.hasChanged {
      inspection.sha256 = nil
      inspection.diagnostics.append(
        Diagnostic(
          path: inspection.path, locator: inspection.path, code: .readChanged,
          message: "file was written to while it was read",
          remedy: "inspect a copy, or stop the program that writes it"))
    }
    let reveals = arguments.has("--reveal")
    if reveals, !terminal.isQuiet {
      let note = Phrasebook.of(terminal.language)(
        "note: values are shown in clear because of --reveal")
      Terminal.write(note + "\n", to: STDERR_FILENO)
    }
    var output = FileOutput.standardOutput()
    if arguments.has("--json") {
      InspectionJSON(reveals: reveals).write(inspection, to: &output)
    } else {
      let style: TextStyle = terminal.usesColor ? .colored : .plain
      InspectionText(
        style: style, reveals: reveals, language: .of(terminal.language)
      ).write(inspection, to: &output)
    }
    try output.finish()
    return inspection.diagnostics.isEmpty ? 0 : 3
  }

  /// Tries to open a value that is sealed by itself under every raw key that was given; nothing where
  /// no key is one.
  private static func unseal(
    _ keys: [DatabaseKey]
  ) -> (([UInt8]) -> InspectedFile.SealedVerdict)? {
    let held = keys.compactMap { key -> SealedKey? in
      guard case .raw(let bytes) = key else { return nil }
      return SealedKey(bytes)
    }
    guard !held.isEmpty else { return nil }
    return { sealed in
      var verdict = InspectedFile.SealedVerdict.notAuthentic
      for key in held {
        switch key.open(sealed) {
        case .opened: return .opened
        case .truncated(let count): verdict = .truncated(count: count)
        case .notAuthentic: break
        }
      }
      return verdict
    }
  }
}

/// A key of sealed values, wiped when it is no longer needed.
private final class SealedKey {
  private let key: SecretBytes

  init(_ bytes: [UInt8]) {
    var bytes = bytes
    key = SecretBytes(wiping: &bytes)
  }

  func open(_ sealed: [UInt8]) -> InspectedFile.SealedVerdict {
    do throws(SealedBoxError) {
      _ = try SealedBox.open(sealed, key: key)
      return .opened
    } catch {
      switch error {
      case .truncated(let count): return .truncated(count: count)
      case .notAuthentic, .keyMissing: return .notAuthentic
      }
    }
  }
}
