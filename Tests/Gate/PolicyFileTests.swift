import Findings
import Foundation
import Gate
import RuleEngine
import Testing

@Suite struct `A policy file` {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Rules/policies")

  static let examples =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".yaml")
    }.sorted()) ?? []

  @Test(arguments: examples)
  func `of those that ship can be read, and its name is that of its file`(name: String) throws {
    let text = try String(
      contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
    let policy = try Policy(yaml: text, path: name)
    #expect(name == policy.name + ".yaml")
    #expect(!policy.needles.isEmpty)
    #expect(policy.expectations.count >= 4)
    #expect(policy.expectations.allSatisfy { !$0.why.isEmpty })
  }

  @Test func `is there for the app and for the store`() {
    #expect(Self.examples == ["birth-data-app.yaml", "isolated-store.yaml"])
  }

  private static let whole = """
    policy: p
    packs: [secrets]
    rules: [own]
    needles:
      - {id: a, kind: text, value: env:A, severity: critical, note: n}
      - {id: b, kind: key-hex, value: "@k.txt"}
    needle-files: [n.yaml]
    keys: [hex=env:K]
    lexicon: {classes: {birth: [bazi]}}
    lexicon-files: [l.yaml]
    fail-on: low
    allow: [walk.symlink]
    required: {files: 3, paths: ["**/s.sqlite"]}
    expect:
      - {paths: x, encrypted: sqlcipher, required: true, severity: critical, why: w, controls: [C]}
      - {paths: [y, z], absent: true}
      - {paths: "**", no: [needles, pii], names: neutral}
    allowed:
      - {rule: secrets.jwt, paths: t, reason: r, owner: o, until: 2027-03-31}
      - {fingerprint: abc, reason: r, owner: o, until: 2028-02-29}
    """

  @Test func `says everything that it can say`() throws {
    let policy = try Policy(yaml: Self.whole, path: "p.yaml")
    #expect(policy.threshold == .from(.low))
    #expect(policy.needles.map(\.source) == ["env:A", "@k.txt"])
    #expect(policy.required.files == 3)
    #expect(policy.expectations.map(\.isAbsent) == [false, true, false])
    #expect(policy.expectations[2].no == ["needle", "pii"])
    #expect(policy.allowances.map(\.until) == ["2027-03-31", "2028-02-29"])
    #expect(policy.allowances[0].line == 19)
  }

  @Test(
    arguments: [
      ("policy: p", "polcy: p", "1:1: unknown key \"polcy\""),
      ("policy: p\n", "", "1:1: the key \"policy\" is missing"),
      ("fail-on: low", "fail-on: lo", "11:10: low, medium, high or critical"),
      ("walk.symlink", "walk.nothing", "12:9: one of read.permission"),
      ("files: 3", "files: 0", "13:19: at least 1"),
      ("sqlcipher", "aes", "15:27: sqlcipher or any"),
      ("absent: true", "absent: yes", "16:29: true or false"),
      ("absent: true", "severity: low", "16:5: nothing is expected"),
      ("absent: true", "absent: true, required: true", "16:5: what is absent"),
      ("names: neutral", "names: nice", "17:46: neutral is wanted"),
      ("2027-03-31", "2027-02-29", "19:63: a day is wanted"),
      ("2027-03-31", "soon", "19:63: a day is wanted"),
      ("reason: r, owner: o, until: 2027", "owner: o, until: 2027", "\"reason\" is missing"),
      ("paths: t, reason: r, owner: o,", "paths: t, reason: r,", "\"owner\" is missing"),
      (
        "reason: r, owner: o, until: 2027", "reason: \"\", owner: o, until: 2027",
        "may not be empty"
      ),
      ("rule: secrets.jwt, ", "", "a rule or a fingerprint"),
      ("rule: secrets.jwt", "rule: \"*\"", "a rule, or all of a pack"),
      ("paths: x", "paths: []", "a pattern for paths"), ("paths: x", "paths: \"\"", "is empty"),
      ("paths: x, ", "", "\"paths\" is missing"),
      ("hex=env:K", "hex=00112233", "8:8: hex= or passphrase="),
      ("id: b", "id: a", "6:5: an id stands here for the second time"),
      ("kind: text", "kind: txt", "kind must be one of text"),
      ("policy: p", "- p", ""), ("policy: p", "policy: [", ""),
    ] as [(String, String, String)])
  func `that is wrong is refused with its line and column`(
    part: String, change: String, problem: String
  ) throws {
    let text = Self.whole.replacing(part, with: change, maxReplacements: 1)
    #expect(text != Self.whole)
    let error = try #require(throws: GateFileError.self) {
      _ = try Policy(yaml: text, path: "p.yaml")
    }
    #expect(error.problem.hasPrefix("p.yaml:"))
    #expect(problem.isEmpty || error.problem.contains(problem), "\(error.problem)")
  }

  @Test(arguments: ["Hush-Value", "\"Hush-Value\"", "{Hush-Value: 1}", "env:", "@"])
  func `holds no protected value, and repeats none`(value: String) throws {
    let text = Self.whole.replacing("env:A", with: value)
    let error = try #require(throws: GateFileError.self) {
      _ = try Policy(yaml: text, path: "p.yaml")
    }
    #expect(!error.problem.contains("Hush"))
    #expect(!error.remedy.contains("Hush"))
  }

  @Test func `cut short anywhere is read or refused`() {
    for length in 0..<Self.whole.utf8.count {
      _ = try? Policy(yaml: String(Self.whole.utf8.prefix(length)) ?? "", path: "p")
    }
  }
}
