import Findings
import FixtureKit
import RuleEngine
import RulePacks
import Scanning
import Testing

/// Files whose content was seen before without a finding are only hashed: what depends on their own name
/// and place is not to suffer from it.
@Suite struct `Copies of files in which nothing was found` {
  private static let source =
    "import UIKit\nfunc f(user: User) {\n  print(\"pw\", user.password)\n}\n"
  private static let clean = String(repeating: "nothing to see in this line\n", count: 40)

  /// A file of the first folder, and its copy in the second.
  private static let copies: [(name: String, copy: String, bytes: [UInt8])] = [
    ("clean.txt", "clean.txt", Array(clean.utf8)),
    ("header.h", "other.h", Array("#include <stdio.h>\n/* \(clean) */\n".utf8)),
    ("settings.json", "copy.json", Array(#"{"a": "b\n\u0041", "c": ["d", 1]}"#.utf8)),
    ("leak.txt", "same.txt", Array("user \(Leak.text)\n".utf8)),
    ("App/Tests/StoreTests.swift", "App/Sources/Store.swift", Array(source.utf8)),
    ("old.resolved", "Cartfile.resolved", Array("github \"example/sail\" \"6.5.0\"\n".utf8)),
    ("birth.bin", "also.bin", [7, 7, 0x1a, 0xb8, 0xf7, 0x80, 7, 7, 0, 0]),
    ("store.bin", "etilqs_a", [UInt8](repeating: 0, count: 512) + Array(clean.utf8)),
    ("M.xcdatamodeld/Old.xcdatamodel/contents", "M.xcdatamodeld/New.xcdatamodel/contents", model),
  ]

  private static let model = Array(
    """
    <?xml version="1.0"?>
    <model type="com.apple.IDECoreDataModeler.DataModel"><entity name="Person">
    <attribute name="accessToken" attributeType="String"/></entity></model>
    """.utf8)

  private static func scan(_ folder: TemporaryFolder) async throws -> Report {
    let pack = try RulePack(RulePacks.files, checksPatterns: false)
    let date = Needle(id: "dob", kind: .date, value: "1984-03-17")
    return try await folder.scan(needles: [Leak.needle, date], rules: pack.rules) { options in
      // One task sees every copy after the file itself.
      options.jobs = 1
      options.checks = pack.checks
      options.lexicon = (try? LexiconFile.lexicon(of: RulePacks.lexicon)) ?? Lexicon()
      options.listsComponents = true
    }
  }

  private static func write(
    _ part: KeyPath<(name: String, copy: String, bytes: [UInt8]), String>, below root: String,
    to folder: TemporaryFolder
  ) throws {
    for file in copies { try folder.write("\(root)/\(file[keyPath: part])", bytes: file.bytes) }
    let members = copies.flatMap { file in
      ["x", "y"].map { ZipBuilder.Entry("\($0)/\(file[keyPath: part])", file.bytes) }
    }
    try folder.write("\(root)/all.zip", bytes: ZipBuilder(members).bytes())
    try folder.write(
      "\(root)/M.xcdatamodeld/.xccurrentversion",
      "<plist><dict><key>_XCCurrentVersionName</key><string>New.xcdatamodel</string></dict></plist>"
    )
  }

  /// What a report says of the files below a folder.
  private static func said(_ report: Report, below root: String) -> [String] {
    func isBelow(_ path: String) -> Bool { path == root || path.hasPrefix(root + "/") }
    return report.inputs.filter { isBelow($0.path) }.map {
      "\($0.path) \($0.bytes) \($0.sha256 ?? "") \($0.kind) \($0.encrypted)"
    }
      + report.findings.filter { isBelow($0.path) }.map { "\($0.rule) \($0.locator) \($0.ranges)" }
      + report.diagnostics.filter { isBelow($0.path) }.map { "\($0.code) \($0.locator)" }
  }

  private static func counts(_ report: Report) -> [String: Int] {
    report.scope.chanceHits.reduce(into: ["fragments": report.scope.fragments]) {
      $0["\($1.needle) \($1.form)"] = $1.seen
    }
  }

  @Test func `are told of as if they were alone`() async throws {
    let (one, other, both) = (
      try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder()
    )
    try Self.write(\.name, below: "a", to: one)
    try Self.write(\.copy, below: "b", to: other)
    try Self.write(\.name, below: "a", to: both)
    try Self.write(\.copy, below: "b", to: both)
    let (first, second, all) = (
      try await Self.scan(one), try await Self.scan(other), try await Self.scan(both)
    )
    #expect(Self.said(all, below: "a") == Self.said(first, below: "a"))
    #expect(Self.said(all, below: "b") == Self.said(second, below: "b"))
    #expect(
      Self.counts(all) == Self.counts(first).merging(Self.counts(second), uniquingKeysWith: +))
    #expect(all.components == second.components && all.components.count == 1)
    // What only the copy brings up, by its name or place.
    #expect(
      Set(all.paths).isSuperset(of: ["a/leak.txt", "b/same.txt", "b/App/Sources/Store.swift"]))
    #expect(!all.paths.contains("a/App/Tests/StoreTests.swift"))
    #expect(all.paths.contains("b/M.xcdatamodeld/New.xcdatamodel/contents"))
  }

  /// A file that is alone, and the same one after `first`, which holds a copy of what it holds.
  private static func isToldAlike(
    _ bytes: [UInt8], after first: [UInt8], _ change: @escaping (inout ScanOptions) -> Void
  ) async throws -> [Diagnostic] {
    let (alone, after) = (try TemporaryFolder(), try TemporaryFolder())
    for folder in [alone, after] { try folder.write("b.zip", bytes: bytes) }
    try after.write("a.zip", bytes: first)
    func scan(_ folder: TemporaryFolder) async throws -> Report {
      try await folder.scan { options in
        options.jobs = 1
        change(&options)
      }
    }
    let (one, both) = (try await scan(alone), try await scan(after))
    #expect(said(both, below: "b.zip") == said(one, below: "b.zip"))
    #expect(both.diagnostics == one.diagnostics)
    return one.diagnostics
  }

  private static func zip(_ name: String, _ bytes: [UInt8], around count: Int) -> [UInt8] {
    (0..<count).reduce(bytes) { inner, level in
      ZipBuilder([ZipBuilder.Entry(level == 0 ? name : "in.zip", inner)]).bytes()
    }
  }

  @Test func `are looked into no deeper than other files`() async throws {
    let inner = Self.zip("a.txt", Array(Self.clean.utf8), around: 2)
    let told = try await Self.isToldAlike(
      Self.zip("in.zip", inner, around: 3), after: Self.zip("in.zip", inner, around: 1)
    ) { $0.limits.depth = 4 }
    #expect(told.map(\.code) == [.limitDepth])
  }

  @Test func `count against the bound on what comes out of a file`() async throws {
    let text = Array(Self.clean.utf8)
    let inner = Self.zip("a.txt", text, around: 1)
    let first = ZipBuilder([ZipBuilder.Entry("in.zip", inner)]).bytes()
    let more = ZipBuilder([
      ZipBuilder.Entry("in.zip", inner), ZipBuilder.Entry("b.txt", Array(Self.source.utf8)),
      ZipBuilder.Entry("c.txt", text), ZipBuilder.Entry("again.zip", inner),
    ]).bytes()
    for room in 2...4 {
      let told = try await Self.isToldAlike(more, after: first) {
        $0.limits.expansion = room * text.count
      }
      #expect(told.map(\.code) == (room == 4 ? [] : [.limitExpansion]))
    }
  }

  /// The check on the other test: it would hold of a scan that reads every copy.
  @Test func `are not read again`() async throws {
    let quiet = QuietContent()
    let name = "a.h"
    let digest = [UInt8](repeating: 7, count: 32)
    let key = try #require(QuietContent.Key(digest: digest, name: name, isOuter: true))
    let head: [UInt8] = Array("int a;".utf8)
    #expect(quiet.summary(of: key, name: name, head: head.span.bytes) == nil)
    let summary = QuietContent.Summary(
      name: name, kind: "text", isText: true, depth: 0, fragments: 3, expanded: 0)
    quiet.note(summary, of: key)
    #expect(quiet.summary(of: key, name: "b.h", head: head.span.bytes)?.fragments == 3)
    var other = digest
    for place in digest.indices {
      other[place] ^= 1
      let key = try #require(QuietContent.Key(digest: other, name: name, isOuter: true))
      #expect(quiet.summary(of: key, name: name, head: head.span.bytes) == nil)
      other[place] ^= 1
    }
  }
}
