import CrashImages
import DriverProtocol
import Findings
import FixtureKit
import Glibc
import Proving
import Testing

/// Where the products of this build are.
enum Products {
  static let folder: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let program = String(
      decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Tests run in a bundle beside the products, or in a helper of the toolchain.
    let candidates =
      [program.enclosingFolder, CommandLine.arguments.first?.enclosingFolder ?? ""]
      + CommandLine.arguments.dropFirst().map(\.enclosingFolder)
    return candidates.first { access($0 + "/vault-driver", X_OK) == 0 } ?? ".build/debug"
  }()

  static var library: String { folder + "/libvestige-faults.so" }
  static var vault: String { folder + "/vault-driver" }
  static func broken(_ fault: String) -> String { "\(folder)/broken-store --fault \(fault)" }
}

/// Runs a few points of a few scenarios.
func prove(
  _ driver: String, _ scenarios: [String], sample: Int = 4, point: Int? = nil, seed: UInt64 = 1,
  mutants: Bool = false
) async throws -> Report {
  let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
  var options = ProofOptions(driver: DriverCommand(driver), folder: folder)
  options.library = Products.library
  options.scenarios = scenarios
  options.sampleSize = sample
  options.point = point
  options.seed = seed
  options.triesMutants = mutants
  options.jobs = 2
  return try await Prover(options).prove()
}

extension Report {
  /// What went wrong, as `scenario: place or verdict: group`.
  var complaints: Set<String> {
    var complaints: Set<String> = []
    for scenario in proof?.scenarios ?? [] {
      for cell in scenario.cells where !cell.verdict.isGood {
        complaints.insert("\(scenario.name): \(cell.place): \(cell.canaries)")
      }
      for failure in scenario.failures where failure.verdict != .leaked {
        complaints.insert("\(scenario.name): \(failure.verdict.rawValue)")
      }
    }
    return complaints
  }

  var proofFailures: String {
    (proof?.scenarios ?? []).flatMap(\.failures).map { "\($0.fault): \($0.message)" }
      .joined(separator: "\n")
  }
}

@Suite(.serialized) struct `Proof` {
  @Test func `of the vault comes out clean, with planted leaks found in every place`() async throws
  {
    let report = try await prove(
      Products.vault,
      [
        "normal-use", "erase", "decoy-unlock", "kill-during-password-change",
        "power-loss-during-deletion", "io-error-during-password-change",
      ])
    #expect(report.complaints == [], "\(report.proofFailures)")
    #expect(report.run.status == 0)
    let cells = report.proof?.scenarios.flatMap(\.cells) ?? []
    #expect(cells.contains { $0.foundPlanted == true })
    #expect(!cells.contains { $0.foundPlanted == false })
    #expect(report.proof?.kills == 4)
  }

  @Test func `leaves nothing behind, and removes what a killed one left`() async throws {
    let folder = try TemporaryFolder()
    // Processes have lower numbers (proc(5): pid_max is 2^22 at most).
    let left = "vestige-prove-4194999-1-1"
    try folder.write(left + "/machine/store.db", "a store")
    let alive = "vestige-prove-\(getpid())-1-1"
    try folder.write(alive + "/machine/store.db", "a store")
    var options = ProofOptions(driver: DriverCommand(Products.vault), folder: folder.path)
    options.library = Products.library
    options.scenarios = ["normal-use"]
    let report = try await Prover(options).prove()
    #expect(report.run.status == 0)
    #expect(try Folder.names(folder.path) == [alive])
  }

  /// What the same store without a fault does not show.
  @Test func `finds nothing in the store that the broken ones are made from`() async throws {
    let whole = try await prove(
      Products.broken("none"),
      ["normal-use", "delete", "rotation", "backup", "kill-during-erasure"],
      sample: 8)
    #expect(whole.complaints == [], "\(whole.proofFailures)")
  }

  @Test(arguments: [
    ("logging", "normal-use", "normal-use: output: values"),
    ("deletion", "delete", "delete: opened: values"),
    ("rekey", "rotation", "rotation: opened: values"),
    ("backup", "backup", "backup: backup: values"),
  ])
  func `catches a broken store for its own reason`(
    fault: String, scenario: String, reason: String
  ) async throws {
    let broken = try await prove(Products.broken(fault), [scenario])
    #expect(broken.complaints.contains(reason), "\(broken.complaints)")
    #expect(broken.run.status == 1)
    // What is logged shows where the log is, and is not told again of what is written to files.
    #expect(!broken.complaints.contains("normal-use: writes: values"))
  }

  /// SQLite 3.15, in Debian's SQLCipher, crashes where a log is emptied whose index was never made.
  @Test func `finds the store that broken ones are made from alive whatever cannot be made`()
    async throws
  {
    let whole = try await prove(
      Products.broken("none"), ["disk-full-during-creation"], sample: 1_000)
    #expect(whole.complaints == [], "\(whole.proofFailures)")
    #expect(whole.proof?.errors ?? 0 > 20)
  }

  @Test func `catches a key that was replaced and still opens what a loss of power leaves`()
    async throws
  {
    let broken = try await prove(
      Products.broken("rekey"), ["power-loss-during-rotation"], sample: 60)
    #expect(
      broken.proofFailures.contains("a key that was replaced still opens"),
      "\(broken.proofFailures)")
    let whole = try await prove(
      Products.broken("none"), ["power-loss-during-rotation"], sample: 60)
    #expect(whole.complaints == [], "\(whole.proofFailures)")
  }

  @Test func `counts disks that a loss of power leaves once, however often they come`()
    async throws
  {
    let report = try await prove(
      Products.vault, ["power-loss-during-password-change"], sample: 1_000)
    #expect(report.complaints == [], "\(report.proofFailures)")
    let scenario = try #require(report.proof?.scenarios.first)
    #expect(scenario.images == scenario.population)
    // Where nothing waits to be synced, all ways to lose the power are one.
    #expect(scenario.images % 5 != 0 && scenario.images > 5)
  }

  @Test func `catches the vault without either sync of a change of password`() async throws {
    let report = try await prove(
      Products.vault, ["kill-during-password-change"], sample: 1, mutants: true)
    let syncs = (report.proof?.mutants ?? []).filter { $0.name.hasSuffix("in password-change") }
    #expect(syncs.count == 3)
    #expect(syncs.filter { !$0.isCaught } == [], "\(syncs)")
    #expect(syncs[1].detail.contains("the old password opens it once"), "\(syncs)")
  }

  @Test(arguments: [
    ("plist", "normal-use", "the key database-0 stands in store/Preferences0.plist"),
    ("decoy", "decoy-unlock", "tells that there is a decoy"),
  ])
  func `catches what a name or a key beside the store gives away`(
    fault: String, scenario: String, message: String
  ) async throws {
    let broken = try await prove(Products.broken(fault), [scenario])
    #expect(broken.proofFailures.contains(message), "\(broken.proofFailures)")
    #expect(broken.proof?.scenarios.first?.verdict == .leaked)
  }

  @Test func `catches what has no encryption in files and in all that is written`() async throws {
    let complaints = try await prove(Products.broken("unkeyed"), ["normal-use"]).complaints
    #expect(complaints.contains("normal-use: files: values"))
    #expect(complaints.contains("normal-use: writes: values"))
    #expect(!complaints.contains("normal-use: output: values"))
  }

  @Test func `tells the same point again by its number`() async throws {
    let first = try await prove(
      Products.broken("erasure"), ["kill-during-erasure"], sample: 100)
    let failure = try #require(first.proof?.scenarios.first?.failures.first)
    let number = try #require(failure.point)
    let again = try await prove(
      Products.broken("erasure"), ["kill-during-erasure"], point: number)
    #expect(again.proof?.kills == 1)
    #expect(again.proof?.scenarios.first?.failures.first?.message == failure.message)
  }

  @Test func `of a store driven from Python finds what plain SQLite leaves`() async throws {
    guard access("/usr/bin/python3", X_OK) == 0 else { return }
    let script = "Fixtures/BrokenStore/plain.py"
    guard access(script, R_OK) == 0 else { return }
    let report = try await prove(
      "/usr/bin/python3 \(script)", ["normal-use"])
    #expect(report.complaints.contains("normal-use: files: values"))
    #expect(!report.complaints.contains { $0.hasSuffix("lost") }, "\(report.proofFailures)")
    // A database of which a cut left an empty file opens, and is none.
    let cut = try await prove("/usr/bin/python3 \(script)", ["kill-during-creation"], sample: 8)
    #expect(!cut.complaints.contains { $0.hasSuffix("undecidable") }, "\(cut.proofFailures)")
  }

  /// Its keys open no database, and are searched for all the same.
  @Test func `of a store with a cipher of its own says what it could not look behind`() async throws
  {
    let script = "Fixtures/BrokenStore/sealed.py"
    guard access("/usr/bin/python3", X_OK) == 0, access(script, R_OK) == 0 else { return }
    let driver = "/usr/bin/python3 -B \(script)"
    let report = try await prove(driver, ["normal-use", "delete", "erase"])
    #expect(report.complaints == [], "\(report.proofFailures)")
    #expect(report.run.status == 0)
    for name in ["delete", "erase"] {
      let scenario = try #require(report.proof?.scenarios.first { $0.name == name })
      #expect(scenario.notes.contains { $0.contains("open no database that can be read here") })
      #expect(!scenario.cells.contains { $0.place == "opened" })
    }
    let chatty = try await prove(driver + " --chatty", ["delete"])
    #expect(chatty.complaints.contains("delete: output: values"), "\(chatty.proofFailures)")
    let vague = try await prove(driver + " --vague", ["normal-use"])
    #expect(vague.complaints == ["normal-use: no-answer"])
    #expect(vague.proofFailures.contains("the answer has no ids"))
    let same = try await prove(driver + " --same", ["rotation"])
    #expect(same.complaints == ["rotation: undecidable"])
    #expect(same.findings.map(\.message) == ["the key database-0 is the same after rotating"])
    let telling = try await prove(driver + " --tell", ["normal-use"])
    #expect(telling.run.status == 1)
    #expect(
      telling.findings.contains { $0.message == "the key database-0 was written to standard error" }
    )
  }

  @Test func `of which a planted leak was not found is not passed`() throws {
    let outcome = ScenarioOutcome(
      name: "normal-use", title: "", planted: ["files": true, "output": false])
    let options = ProofOptions(driver: DriverCommand("x"), folder: "/tmp")
    let findings = outcome.findings(options)
    #expect(findings.map(\.message) == ["a leak planted in output was not found"])
    #expect(findings.allSatisfy { $0.severity == .high })
  }

  @Test func `says of an answer without an end that it is too long`() async throws {
    let error = await #expect(throws: ProofFailure.self) {
      try await prove("/bin/sh -c 'head -c 40000000 /dev/zero; sleep 20'", ["normal-use"])
    }
    #expect(error?.problem.hasSuffix("the answer is longer than 16 MiB") == true)
  }

  @Test func `writes requests that are read as they were`() throws {
    let text = "\"\\\n\u{1}\u{7f} ä 駅 \u{1f9ea}"
    let value = JSONValue.object(["a": .string(text), "b": .array([.integer(-1), .boolean(true)])])
    #expect(
      value.text
        == #"{"a":"\"\\\u000a\u0001\u007f ä 駅 🧪","b":[-1,true]}"#)
    let read = try JSONValue(parsing: value.text.utf8)
    #expect(read == value)
  }

  @Test func `says of a driver that is none that it does not answer`() async throws {
    await #expect(throws: ProofFailure.self) { try await prove("/bin/false", ["normal-use"]) }
    await #expect(throws: ProofFailure.self) { try await prove("/nonexistent", ["normal-use"]) }
    let empty = await #expect(throws: ProofFailure.self) {
      try await prove("/bin/sh -c 'read x; echo {\\\"ok\\\": true}; sleep 9'", ["normal-use"])
    }
    #expect(empty?.problem.hasSuffix("the answer has no can") == true, "\(empty?.problem ?? "")")
    await #expect(throws: ProofFailure.self) { try await prove(Products.vault, ["no-such"]) }
  }
}
