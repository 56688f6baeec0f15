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

  /// Values that a command line, a policy or the environment gives, and that rules find by themselves.
  private static let secrets = [
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeef0",
    "correct horse battery", "glpat-x8Kq2mWz7RtYvB4nLc3d", "Hush-Hush-Fingerprint-Key",
    "Orchid-Zebra-42", "13800138123",
  ]

  /// Every way in which text is told: reports of all formats, progress, errors, summaries, baselines.
  @Test func `holds no key, needle or secret, whatever is written and wherever`() throws {
    let folder = try TemporaryFolder()
    let (key, passphrase, token) = (Self.secrets[0], Self.secrets[1], Self.secrets[2])
    let (fingerprintKey, needle, phone) = (Self.secrets[3], Self.secrets[4], Self.secrets[5])
    for (number, secret) in Self.secrets.enumerated() {
      try folder.write("in/a\(number).txt", "value = '\(secret)'\nlog: \(secret)\n")
      try folder.write("in/names/\(secret.replacing(" ", with: "_")).txt", "nothing \(number)\n")
    }
    let database = try SQLiteFixture(
      at: folder["in/s.sqlite"], rawKey: key + String(key.prefix(32)))
    try database.run("CREATE TABLE t(x)", "INSERT INTO t VALUES('\(needle)')")
    try folder.write("in/broken.gz", bytes: [0x1f, 0x8b, 8, 0] + Array(token.utf8))
    try folder.write(
      "p.yaml",
      """
      policy: ours
      needles: [{id: orchid, kind: text, value: "env:VESTIGE_NEEDLE"}]
      keys: ["hex=env:VESTIGE_KEY"]
      expect:
        - {paths: "in/**", names: neutral, no: [needles, secrets]}
        - {paths: "*.txt", encrypted: any, absent: false}
      allowed: [{rule: secrets.gitlab-token, paths: a2.txt, reason: r, owner: o, until: 2020-01-01}]
      """)
    let environment = [
      "VESTIGE_NEEDLE": needle, "VESTIGE_KEY": key, "VESTIGE_PHRASE": passphrase,
      "VESTIGE_FINGERPRINT": fingerprintKey, "VESTIGE_PHONE": phone,
    ]
    let options = [
      "--needle", "phone=env:VESTIGE_PHONE", "--needle", "passphrase=env:VESTIGE_PHRASE",
      "--needle", "key-hex=env:VESTIGE_KEY", "--key", "passphrase=env:VESTIGE_PHRASE",
      "--fingerprint-key", "env:VESTIGE_FINGERPRINT", "--policy", folder["p.yaml"],
      "--color", "always", "--progress", "always",
    ]
    var written: [(name: String, text: String)] = []
    func add(_ name: String, _ run: CommandLineRun) {
      written.append((name, run.output))
      written.append((name + " errors", run.errors))
    }
    try folder.write("empty/a.txt", "nothing")
    try folder.write("signing.key", String(repeating: "1f", count: 32))
    for language in ["en", "zh-Hans"] {
      let say = ["--lang", language]
      let formats = ReportFormats.builtIn.map(\.name)
      let reports = (formats + ["bundle"]).flatMap {
        ["--report", "\($0)=\(folder["r.\($0)"])"]
      }
      let run = try CommandLineRun(
        ["scan", folder["in"], "--sign-key", "@\(folder["signing.key"])"] + options + reports + say,
        environment: environment)
      #expect(run.status == 1, "\(run.errors)")
      add("scan", run)
      for format in formats + ["bundle"] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder["r.\(format)"]))
        #expect(bytes.count > 100, "\(format)")
        written.append((format, String(decoding: bytes, as: UTF8.self)))
      }
      let empty = try CommandLineRun([
        "scan", folder["empty"], "--report", "json=\(folder["e.json"])",
      ])
      #expect(empty.status == 0)
      for arguments in [
        ["report", folder["r.json"]], ["diff", folder["e.json"], folder["r.json"]],
        ["baseline", "create", folder["r.json"], "--reason", "r"],
        ["verify", folder["r.bundle"]],
        ["verify", folder["r.bundle"], "--inputs", folder["in"], "--needle", "text=\(needle)"],
        ["verify", folder["r.bundle"], "--inputs", folder["empty"]],
        ["inspect", folder["in/s.sqlite"], "--key", "hex=env:VESTIGE_KEY"],
        ["inspect", folder["in/s.sqlite"], "--key", "hex=env:VESTIGE_KEY", "--json"],
        ["inspect", folder["in/s.sqlite"], "--key", "passphrase=env:VESTIGE_PHRASE"],
        ["inspect", folder["in/broken.gz"]], ["inspect", folder["r.bundle"], "--json"],
      ] {
        let run = try CommandLineRun(arguments + say, environment: environment)
        #expect(!(run.output + run.errors).isEmpty, "\(arguments)")
        add(arguments[0], run)
      }
      let vault = folder["vault-\(language)"]
      for (arguments, input) in [
        (["create", vault], passphrase), (["unlock", vault], token),
        (["put", vault, "talk"], "\(passphrase)\n\(needle)"),
        (["status", vault, "--open"], passphrase), (["get", vault, "7"], passphrase),
        (["passwd", vault], "\(token)\n\(passphrase)"), (["unlock", folder["in"]], passphrase),
      ] {
        let all = ["vault"] + arguments + ["--password-fd", "0"] + say
        add("vault", try CommandLineRun(all, input: input + "\n"))
      }
      add("vault", try CommandLineRun(["vault", "unlock", vault, "--password", passphrase] + say))
    }
    for wrong in [
      ["--needle", "date=\(needle)"], ["--needle", "number=\(phone)x"], ["--key", "hex=\(token)"],
      ["--needle", "txt=\(needle)"],
    ] {
      let run = try CommandLineRun(["scan", folder["in"]] + wrong)
      #expect(run.status == 2)
      add("wrong", run)
    }
    for (name, text) in written {
      for secret in Self.secrets + ["T3JjaGlkLVplYnJhLTQy", "Zebra"] {
        let isThere = text.localizedCaseInsensitiveContains(secret)
        #expect(!isThere, "\(secret) in \(name)")
      }
    }
    #expect(written.count > 60)
  }

  /// The canaries of a proof are made by the program itself: a run that reveals them tells what they are.
  @Test func `holds no canary of a proof`() throws {
    let driver = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fixtures/BrokenStore/plain.py").standardized.path
    guard let python = installed("python3") else { return }
    let folder = try TemporaryFolder()
    let prove = [
      "prove", "--driver", "\(python) \(driver)", "--scenario", "normal-use", "--jobs", "1",
      "--report", "json=\(folder["r.json"])", "--report", "sarif=\(folder["r.sarif"])",
      "--report", "text=\(folder["r.text"])",
    ]
    let shown = try CommandLineRun(prove + ["--reveal"])
    #expect(shown.status == 1, "\(shown.errors)")
    let report = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: folder["r.json"])))
    let findings = (report as? [String: Any])?["findings"] as? [[String: Any]] ?? []
    let canaries = Set(findings.compactMap { $0["sample"] as? String }).filter { $0.count >= 8 }
    #expect(canaries.count > 2)
    for language in ["en", "zh-Hans"] {
      let run = try CommandLineRun(prove + ["--lang", language])
      #expect(run.status == 1)
      let files = try ["r.json", "r.sarif", "r.text"].map {
        try String(contentsOfFile: folder[$0], encoding: .utf8)
      }
      for text in [run.output, run.errors] + files {
        for canary in canaries { #expect(!text.contains(canary)) }
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
