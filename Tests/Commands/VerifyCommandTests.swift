import FixtureKit
import Foundation
import Testing

@Suite struct `Verifying a bundle` {
  private static let key = String(repeating: "1f", count: 32)
  private static let needle = "text=Orchid-Zebra-42"

  /// A folder that leaks, and a signed bundle of its scan.
  private static func bundle(_ more: [String] = []) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("in/a.txt", "name = Orchid-Zebra-42\n")
    try folder.write("in/b.txt", "token glpat-x8Kq2mWz7RtYvB4nLc3d\n")
    try folder.write("key", key)
    let run = try CommandLineRun(
      [
        "scan", folder["in"], "--needle", needle, "--quiet", "--report",
        "bundle=\(folder["e.tar"])", "--sign-key", "@\(folder["key"])",
      ] + more)
    #expect(run.status == 1, "\(run.errors)")
    return folder
  }

  private static func verify(_ folder: TemporaryFolder, _ more: [String] = []) throws
    -> CommandLineRun
  {
    try CommandLineRun(["verify", folder["e.tar"]] + more)
  }

  @Test func `finds every finding again in the same inputs`() throws {
    let folder = try Self.bundle()
    let run = try Self.verify(folder, ["--inputs", folder["in"], "--needle", Self.needle])
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("2 of 2 are the same"))
    #expect(run.output.contains("2 of 2 found again"))
  }

  @Test func `says what it could not look for`() throws {
    let folder = try Self.bundle()
    let run = try Self.verify(folder, ["--inputs", folder["in"]])
    #expect(run.status == 3)
    #expect(run.output.contains("1 of 2 found again"))
    #expect(run.output.contains("not looked for: needle.text at a.txt"))
  }

  @Test func `cannot check names that were covered for needles it was not given`() throws {
    let folder = try TemporaryFolder()
    try folder.write("in/Orchid-Zebra-42/b.txt", "token glpat-x8Kq2mWz7RtYvB4nLc3d\n")
    let scan = try CommandLineRun([
      "scan", folder["in"], "--needle", Self.needle, "--quiet", "--report",
      "bundle=\(folder["e.tar"])",
    ])
    #expect(scan.status == 1, "\(scan.errors)")
    let run = try Self.verify(folder, ["--inputs", folder["in"]])
    #expect(run.status == 3)
    #expect(!run.output.contains("not found"))
    let whole = try Self.verify(folder, ["--inputs", folder["in"], "--needle", Self.needle])
    #expect(whole.output.contains("2 of 2 found again"), "\(whole.output)")
  }

  @Test func `notices changed and missing inputs, and findings that are gone`() throws {
    let folder = try Self.bundle()
    try folder.write("in/a.txt", "name = somebody else\n")
    try FileManager.default.removeItem(atPath: folder["in/b.txt"])
    let run = try Self.verify(folder, ["--inputs", folder["in"], "--needle", Self.needle])
    #expect(run.status == 1)
    for text in ["changed: a.txt", "not here: b.txt", "not found: needle.text at a.txt"] {
      #expect(run.output.contains(text), "\(run.output)")
    }
  }

  @Test func `notices a changed byte of the report, and another signer`() throws {
    let folder = try Self.bundle()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder["e.tar"]))
    var bytes = whole
    let place = try #require(bytes.range(of: Data("\"severity\": \"high\"".utf8)))
    bytes.replaceSubrange(place, with: Data("\"severity\": \"lowX\"".utf8))
    try bytes.write(to: URL(fileURLWithPath: folder["e.tar"]))
    let changed = try Self.verify(folder)
    #expect(changed.status != 0)
    #expect((changed.output + changed.errors).contains("changed"))
    try whole.write(to: URL(fileURLWithPath: folder["e.tar"]))
    let other = try Self.verify(folder, ["--signer", String(repeating: "2f", count: 32)])
    #expect(other.status == 1)
    #expect(other.output.contains("another key"))
  }

  @Test func `does not call an unsigned bundle good`() throws {
    let folder = try TemporaryFolder()
    try folder.write("in/a.txt", "nothing\n")
    let scan = try CommandLineRun([
      "scan", folder["in"], "--quiet", "--report", "bundle=\(folder["e.tar"])",
    ])
    #expect(scan.status == 0)
    #expect(try Self.verify(folder).status == 3)
  }

  @Test func `holds no key and no needle`() throws {
    let folder = try Self.bundle()
    let text = String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: folder["e.tar"])), as: UTF8.self)
    for secret in ["Zebra", Self.key, "x8Kq2mWz7RtYvB4nLc3d", "needle=", "sign-key"] {
      #expect(!text.contains(secret), "\(secret)")
    }
  }

  @Test(arguments: ["", "x", String(repeating: "\0", count: 1024)])
  func `refuses what is no bundle`(text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("e.tar", text)
    let run = try Self.verify(folder)
    #expect(run.status == 2)
    #expect(run.errors.contains("is no bundle"))
  }
}

@Suite struct `Readers of CASE from elsewhere` {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("readers/check-case").path

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["VESTIGE_CASE_READERS"] == "1",
      "needs the network: set VESTIGE_CASE_READERS=1 to let readers from PyPI try the report"))
  func `take what the program writes`() throws {
    let program = try #require(CommandLineRun.program?.path)
    let run = try CommandLineRun(program: Self.script, [program])
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("read by both"))
  }
}
