import Findings
import FixtureKit
import Scanning
import Testing

@Suite struct `Suppression comments` {
  private static let leak = "tok_8fK3mQ2xW9pL"

  private static func report(_ text: String, heeds: Bool = true) async throws -> Report {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", text)
    return try await folder.scan(rules: [Leak.rule]) { $0.heedsComments = heeds }
  }

  /// A script made small is one line, and a hostile one holds nothing but marks.
  @Test func `are looked for in long lines, and not for ever`() async throws {
    let long = String(repeating: "a b ", count: 2_000)
    let comment = "// vestige:allow test.token made up"
    #expect(
      try await Self.report("\(long)k = \(Self.leak) \(comment)\n").findings[0].suppressed != nil)
    // Only one on a line of its own is about the next line.
    let spaces = String(repeating: " ", count: 4_000)
    #expect(
      try await Self.report("x\(spaces)\(comment)\nk = \(Self.leak)\n").findings[0].suppressed
        == nil)
    let marks = String(repeating: "// vestige:allow ", count: 200_000)
    let report = try await Self.report("\(marks)\nk = \(Self.leak)\n")
    #expect(report.findings.count == 1 && report.findings[0].suppressed == nil)
  }

  @Test(arguments: [
    ("k = \(leak) // vestige:allow test.token made up", true),
    ("k = \(leak) # vestige:allow test.token made up", true),
    ("k = \(leak) /* vestige:allow test.token made up */", true),
    ("k = \(leak) -- vestige:allow test.token made up", true),
    ("<k>\(leak)</k> <!-- vestige:allow test.token made up -->", true),
    ("  // vestige:allow test.token made up\nk = \(leak)", true),
    ("\t## vestige:allow test.* made up\nk = \(leak)", true),
    ("k = \(leak) // vestige:allow test.other, test.token made up", true),
    ("// vestige:allow test.other why\n// vestige:allow test.token why\nk = \(leak)", true),
    // Another rule, no reason, no rule, no comment, another line.
    ("k = \(leak) // vestige:allow test.tok made up", false),
    ("k = \(leak) // vestige:allow test.token", false),
    ("k = \(leak) // vestige:allow made up", false),
    ("k = \(leak) // vestige:allowtest.token made up", false),
    ("k = \(leak) vestige:allow test.token made up", false),
    ("x // vestige:allow test.token made up\nk = \(leak)", false),
    ("k = \(leak)\n// vestige:allow test.token made up", false),
    ("// vestige:allow test.token made up\n\nk = \(leak)", false),
    ("k = \(leak) // vestige:allow *.* made up", false),
  ])
  func `need a rule, a reason and the right line`(text: String, suppresses: Bool) async throws {
    let report = try await Self.report(text + "\n")
    #expect(report.findings.count == 1)
    #expect((report.findings[0].suppressed?.by == .comment) == suppresses)
    #expect(report.run.status == (suppresses ? 0 : 1))
    if suppresses { #expect(report.findings[0].suppressed?.reason.isEmpty == false) }
    #expect(try await Self.report(text, heeds: false).run.status == 1)
  }

  @Test func `that decide nothing are told`() async throws {
    let report = try await Self.report(
      """
      // vestige:allow test.token nothing here
      clean
      k = \(Self.leak) // vestige:allow test.token
      // vestige:allow later.rule which is not in effect

      """)
    #expect(report.notes.map(\.code) == [.commentUnused, .commentIncomplete])
    #expect(report.notes.map(\.line) == [1, 3])
    #expect(report.run.status == 1)
  }

  @Test func `count only in text, not inside what was built or packed`() async throws {
    let folder = try TemporaryFolder()
    let text = "k = \(Self.leak) // vestige:allow test.token made up\n"
    try folder.write("a.bin", bytes: [0, 1, 2, 0] + Array(text.utf8))
    try folder.write("a.zip", bytes: ZipBuilder([ZipBuilder.Entry("m.txt", text)]).bytes())
    let report = try await folder.scan(rules: [Leak.rule])
    #expect(report.findings.count == 2)
    #expect(report.findings.allSatisfy { $0.suppressed == nil })
  }

  @Test func `by the thousand are bounded`() async throws {
    let report = try await Self.report(
      String(repeating: "// vestige:allow test.token why\n", count: 5_000) + "k = \(Self.leak)\n")
    #expect(report.notes.count <= 1_000)
    #expect(report.run.status == 1)
  }
}

@Suite struct `Stable names` {
  @Test(arguments: [
    ("a/b.txt", "a/b.txt"), ("./a/b", "a/b"), ("/abs/x", "abs/x"),
    ("Data/7C1E6A0B-9D5F-4E21-8A77-0F3B52C6D911/x", "Data/{id}/x"),
    ("spaces/0f3b52c6d9117c1e6a0b9d5f4e218a77/s.1", "spaces/{id}/s.1"),
    ("tmp/tmp.Xy12Ab/x", "tmp/{id}/x"), ("tmpab12cd34/x", "{id}/x"), ("temp_9f8e7d/x", "{id}/x"),
    ("out/vestige-OOgKmv/x", "out/vestige-{id}/x"), ("build123456789/x", "build{id}/x"),
    ("log-1732938123.txt", "log-{id}.txt"),
    // Names that a person gave.
    ("tmp/x", "tmp/x"), ("template/x", "template/x"), ("temporary-files/x", "temporary-files/x"),
    ("Library/Caches/org.example.tidal/x", "Library/Caches/org.example.tidal/x"),
    ("report-2026.pdf", "report-2026.pdf"), ("deadbeef.txt", "deadbeef.txt"),
    ("Release-README/x", "Release-README/x"), ("my-widget/x", "my-widget/x"),
    ("12345678.db", "12345678.db"), ("IMG_20260101.jpg", "IMG_20260101.jpg"),
    ("日记/生日.txt", "日记/生日.txt"), ("", ""),
  ])
  func `lose what a machine made up, and nothing else`(path: String, stable: String) {
    #expect(StableName.path(path) == stable)
  }
}
