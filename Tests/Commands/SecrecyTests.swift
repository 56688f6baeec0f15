import FixtureKit
import Foundation
import Reporting
import Testing

@Suite struct `What is written` {
  /// Values of every kind, and how else each of them is written.
  private static let values: [(kind: String, value: String, written: [String])] = [
    (
      "text", "Orchid-Zebra-42",
      [
        "orchid-zebra-42", "T3JjaGlkLVplYnJhLTQy", "4f72636869642d5a656272612d3432",
        "24-arbeZ-dihcrO",
        "Bepuvq-Mroen-42", "J5ZGG2DJMQWVUZLCOJQS2NBS", "%4f%72%63%68", "\\u004f\\u0072\\u0063",
      ]
    ),
    (
      "text", "王明月",
      ["546L5piO5pyI", "e78e8be6988ee69c88", "%E7%8E%8B", "\\u738b\\u660e", "=E7=8E=8B"]
    ),
    ("date", "1984-03-17", ["19840317", "17.03.1984", "448329600", "1984年3月17日", "Mar 17, 1984"]),
    ("number", "6228480741936258", ["6228 4807 4193 6258", "6,228,480,741"]),
    ("phone", "+8613800138123", ["13800138123", "138-0013-8123"]),
    ("email", "mingyue@example.org", ["mingyue%40example.org"]),
    (
      "key-hex", "8f1d3a5c7e90b2d4f60718293a4b5c6dd1e2f3041526374859607a8b9cadbecf",
      ["8f1d3a5c7e90b2d4f607", "0x8f, 0x1d", "jx06XH6QstT2Bxgp"]
    ),
    ("passphrase", "correct horse battery", ["Y29ycmVjdCBob3JzZSBiYXR0ZXJ5"]),
    ("bytes-hex", "c0ffee5eed10beef", ["wP/uXu0Qvu8"]),
  ]

  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (index, row) in values.enumerated() {
      let all = [row.value] + row.written
      try folder.write("plain\(index).txt", all.map { "v = '\($0)'\n" }.joined())
      try folder.write(
        "list\(index).json", String(decoding: try JSONEncoder().encode(["v": all]), as: UTF8.self))
      try folder.write(
        "in\(index).zip",
        bytes: ZipBuilder([ZipBuilder.Entry("m.txt", all.joined(separator: "\n"))]).bytes())
      try folder.write(
        "cut\(index).gz",
        bytes: Array(DeflateFixture.compress(Array(all.joined().utf8), .gzip).dropLast(9)))
    }
    return folder
  }

  private static func needles() throws -> String {
    let list = values.enumerated().map { ["id": "n\($0)", "kind": $1.kind, "value": $1.value] }
    return String(decoding: try JSONEncoder().encode(list), as: UTF8.self)
  }

  @Test(arguments: ReportFormats.builtIn.map(\.name))
  func `never holds a protected value in any of its forms`(format: String) throws {
    let folder = try Self.folder()
    let run = try CommandLineRun(
      ["scan", folder.path, "--needles", "-", "--quiet", "--report", format],
      input: try Self.needles())
    #expect(run.status == 1)
    for (index, row) in Self.values.enumerated() {
      // A bill of materials lists no findings.
      if format != CycloneDXReport().name { #expect(run.output.contains("n\(index)")) }
      for text in [row.value] + row.written {
        #expect(!run.output.localizedCaseInsensitiveContains(text), "\(row.kind)")
        #expect(!run.errors.localizedCaseInsensitiveContains(text), "\(row.kind)")
      }
    }
  }

  @Test func `holds them when asked, and says that it does`() throws {
    let folder = try Self.folder()
    let run = try CommandLineRun(
      [
        "scan", folder.path, "--needles", "-", "--reveal", "--report", "json=\(folder["out.json"])",
      ],
      input: try Self.needles())
    #expect(run.status == 1)
    #expect(run.errors.contains("shown in clear because of --reveal"))
    let written = try String(contentsOfFile: folder["out.json"], encoding: .utf8)
    #expect(written.contains("\"reveal\": true"))
    #expect(written.contains("Orchid-Zebra-42"))
    #expect(written.contains("1984-03-17"))
  }

  @Test(arguments: [
    "- {id: a, kind: text, value: Hush-Value, extra: 1}", "- {id: a, kind: text, Hush-Value}",
    "Hush-Value", "- {id: a, kind: date, value: Hush-Value}",
    "- {id: a, kind: number, value: Hush-Value}",
    "- {id: a, kind: key-hex, value: Hush-Value}", "[{\"id\": \"a\", \"kind\": \"Hush-Value\"}]",
    "- {id: a, kind: phone, value: Hush-Value}", "- &a *Hush-Value", "{", "- !Hush-Value x",
  ])
  func `of a damaged needle file is its place, not what stands there`(file: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("n.yaml", file)
    let run = try CommandLineRun([
      "scan", folder.path, "--needles", folder["n.yaml"], "--packs", "none",
    ])
    #expect(run.status == 2)
    #expect(!(run.errors + run.output).contains("Hush"))
  }

  @Test func `of a value in the environment or a file is nothing of the value`() throws {
    let folder = try TemporaryFolder()
    try folder.write("secret", "Orchid-Zebra-42\n")
    try folder.write("in/a.txt", "x Orchid-Zebra-42")
    for value in ["@\(folder["secret"])", "env:VESTIGE_TEST_SECRET"] {
      let run = try CommandLineRun(
        ["scan", folder["in"], "--packs", "none", "--needle", "text=\(value)"],
        environment: ["VESTIGE_TEST_SECRET": "Orchid-Zebra-42"])
      #expect(run.status == 1)
      #expect(!(run.output + run.errors).contains("Zebra"))
    }
  }
}
