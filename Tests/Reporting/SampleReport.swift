import Findings

extension Report {
  /// A report with one of everything, from which the golden files are made.
  static var sample: Report {
    var report = Report(
      toolVersion: "0.0.0",
      run: Run(
        started: "2026-01-02T03:04:05Z", seconds: 1.25, status: 1, failOn: .medium, reveals: false),
      scope: Scope())
    report.scope.roots = ["container"]
    report.scope.files = 4
    report.scope.bytes = 1_310_720
    report.scope.fragments = 96
    report.scope.needles = 2
    report.scope.forms = 120
    report.scope.rules = 1
    report.scope.chanceHits = [
      ChanceRecord(needle: "dob", form: "epoch-s-int32-be", seen: 3, bits: 32, bytes: 1_310_720)
    ]
    report.inputs = [
      InputRecord(
        path: "Library/Logs/app log.txt", bytes: 2_048,
        sha256: String(repeating: "ab", count: 32), kind: "text", encrypted: .no),
      InputRecord(
        path: "backup.zip", bytes: 4_096, sha256: String(repeating: "cd", count: 32), kind: "zip",
        encrypted: .mixed),
      InputRecord(path: "gone.bin", bytes: 12, sha256: nil, kind: "data", encrypted: .unknown),
      InputRecord(
        path: "store.sqlite", bytes: 1_304_564, sha256: String(repeating: "ef", count: 32),
        kind: "sqlite", encrypted: .no),
    ]
    report.run.allowed = [.walkSymlink]
    report.run.policy = "store"
    report.run.baseline = "baseline.yaml"
    report.notes = [
      Note(
        code: .baselineGone, path: "baseline.yaml", line: 4,
        message: "accepted secrets.jwt in old.txt, which is gone",
        remedy: "vestige baseline update takes it out")
    ]
    report.inputs[3].layout = layout
    report.rules = [
      RuleDescription(
        id: "secrets.token", title: "API key or token under a telling name", severity: .critical,
        remedy: tokenRemedy, controls: ["MASVS-STORAGE-1"]),
      RuleDescription(
        id: "secrets.unused", title: "Date of birth", severity: .low, remedy: "-", controls: []),
    ]
    var library = Component(
      name: "tide", version: "2.3.0", manager: "swiftpm",
      packageURL: "pkg:swift/github.com/example/tide@2.3.0",
      revision: "0123456789012345678901234567890123456789")
    library.licences = ["MIT", "Licence of our own"]
    library.places = ["app/Package.resolved"]
    library.vulnerabilities = [
      Vulnerability(
        id: "GHSA-1", aliases: ["CVE-2026-1"], summary: "A bad thing.", severity: .high,
        fixed: ["2.3.1"])
    ]
    library.sha256 = String(repeating: "07", count: 32)
    report.components = [
      library,
      Component(
        name: "Lantern", version: nil, manager: "framework", packageURL: "pkg:generic/Lantern"),
    ]
    report.components.sort(by: Component.precedes)
    report.findings = [inLog, inArchive, deletedRow, suppressed]
    report.results = [
      RuleResult(
        rule: "check.backup", path: "backup.zip", outcome: .fail, reason: "2 of 3 places fail"),
      RuleResult(
        rule: "check.protection", path: "", outcome: .notEvaluated,
        reason: "it cannot be told from here"),
    ]
    report.diagnostics = [
      Diagnostic(
        path: "backup.zip", locator: "backup.zip!/secret.txt", code: .formatEncrypted,
        message: "encrypted member", remedy: "decrypt it and scan what it holds"),
      Diagnostic(
        path: "gone.bin", locator: "gone.bin", code: .readChanged,
        message: "file was written to while it was read",
        remedy: "scan a copy, or while the program that writes it is stopped"),
      Diagnostic(
        path: "out", locator: "out", code: .walkSymlink,
        message: "symbolic link to a place outside what is scanned was not followed",
        remedy: "name its target as a further PATH, or accept it with --allow walk.symlink"),
    ]
    return report
  }

  /// What real rules say: reports in other languages translate it.
  private static let tokenRemedy =
    "End the session it stands for, keep tokens in memory or in a keychain, and give them a short life."
  private static let needleRemedy =
    "Keep the value encrypted; remove this copy, and what deleted copies lie in."

  /// Pages as a small database has them.
  private static var layout: StorageLayout {
    var layout = StorageLayout(.page, pageSize: 4_096)
    var schema = StorageLayout.Run(first: 1, role: "table-leaf", liveness: .live, owner: "schema")
    schema.liveBytes = 4_096
    schema.entropy = 2.5
    layout.append(schema)
    var rows = StorageLayout.Run(
      first: 2, count: 11, role: "table-leaf", liveness: .live, owner: "person")
    rows.liveBytes = 40_000
    rows.deadBytes = 5_056
    rows.entropy = 4.75
    layout.append(rows)
    layout.append(StorageLayout.Run(first: 13, count: 3, role: "freelist-leaf", liveness: .deleted))
    return layout
  }

  private static var inLog: Finding {
    Finding(
      fingerprint: "00112233445566778899aabbccddeeff", rule: "secrets.token",
      title: "API key or token under a telling name", severity: .critical,
      message: "API key or token under a telling name in line 12",
      remedy: tokenRemedy, path: "Library/Logs/app log.txt",
      locator: "Library/Logs/app log.txt", ranges: [ByteRange(offset: 512, length: 40)], line: 12,
      liveness: .live, context: Context(), needle: nil, form: nil, sample: "sk•••••••",
      controls: ["MASVS-STORAGE-1"])
  }

  private static var inArchive: Finding {
    var context = Context()
    context.member = "notes/日记.txt"
    return Finding(
      fingerprint: "11112222333344445555666677778888", rule: "needle.text",
      title: "Protected value in clear", severity: .high,
      message: "protected value \"name\" as utf8-nfd in member notes/日记.txt",
      remedy: needleRemedy, path: "backup.zip",
      locator: "backup.zip!/notes/日记.txt", ranges: [], line: 1, liveness: .live, context: context,
      needle: "name", form: "utf8-nfd", sample: "•••••••", controls: ["PIPL-51", "GDPR-32"])
  }

  private static var deletedRow: Finding {
    var context = Context()
    context.table = "person"
    context.column = "born"
    context.rowid = 7
    context.page = 12
    context.role = "table-leaf"
    context.confidence = 0.5
    context.copyOf = "page/3/cell/5"
    context.neighbours = ["never printed"]
    return Finding(
      fingerprint: "9999aaaabbbbccccddddeeeeffff0000", rule: "needle.date",
      title: "Protected value in clear", severity: .medium,
      message:
        "protected value \"dob\" as real-2001-be in deleted bytes of table person, column born",
      remedy: needleRemedy, path: "store.sqlite",
      locator: "store.sqlite!/page/12/freeblock/3",
      ranges: [ByteRange(offset: 45_100, length: 4), ByteRange(offset: 49_152, length: 4)],
      line: nil,
      liveness: .deleted, context: context, needle: "dob", form: "real-2001-be", sample: "•••••••",
      controls: ["PIPL-51"], also: ["store.sqlite", "store.sqlite!/page/12"])
  }

  private static var suppressed: Finding {
    var finding = inLog
    finding.path = "store.sqlite"
    finding.locator = "store.sqlite"
    finding.line = nil
    finding.suppressed = Suppression(by: .baseline, reason: "a test's token", until: "2027-01-01")
    return finding
  }

  /// A report whose every text does its best to break out of the format.
  static func hostile(_ text: String) -> Report {
    var report = Report.sample
    report.scope.roots = [text]
    for index in report.findings.indices {
      report.findings[index].title = text
      report.findings[index].message = text
      report.findings[index].path = text
      report.findings[index].locator = text + "!/" + text
      report.findings[index].sample = text
      report.findings[index].also = [text]
      report.findings[index].context.table = text
      report.findings[index].context.column = text
      report.findings[index].context.key = text
      report.findings[index].suppressed?.reason = text
    }
    for index in report.diagnostics.indices {
      report.diagnostics[index].locator = text
      report.diagnostics[index].path = text
      report.diagnostics[index].message = text
      report.diagnostics[index].remedy = text
    }
    for index in report.inputs.indices { report.inputs[index].path = text }
    for index in report.results.indices {
      report.results[index].path = text
      report.results[index].reason = text
    }
    for index in report.notes.indices {
      report.notes[index].path = text
      report.notes[index].message = text
      report.notes[index].remedy = text
    }
    report.run.policy = text
    report.run.baseline = text
    return report
  }
}
