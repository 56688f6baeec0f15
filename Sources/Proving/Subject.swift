import Bytes
import CrashImages
import DriverProtocol
package import Findings
import RuleEngine
import SQLiteFormat
import Scanning

/// What a run is asked to do: the value a command parses and the prover takes.
package struct ProofOptions: Sendable {
  package var driver: DriverCommand
  /// Scenarios to run; all where it is empty.
  package var scenarios: [String] = []
  /// One point of one scenario.
  package var point: Int?
  package var seed: UInt64 = 1
  package var isExhaustive = false
  /// Seconds for the whole run.
  package var budget: Double?
  /// Where machines are made: a folder in memory is quickest.
  package var folder: String
  /// The library that is preloaded into drivers; without one no fault can be made.
  package var library: String?
  package var jobs = 1
  package var failOn: Severity? = .medium
  package var allowed: Set<Diagnostic.Code> = []
  package var reveals = false
  /// Also runs the store without one protective call after the other.
  package var triesMutants = false
  /// Points of a scenario that are tried when not all are.
  package var sampleSize = 40

  package init(driver: DriverCommand, folder: String) {
    self.driver = driver
    self.folder = folder
  }
}

/// A store under proof: how it is driven, what it can do, and prepared machines to copy.
struct Subject: Sendable {
  let options: ProofOptions
  let cast: Cast
  let engine: Engine
  let store: String
  let abilities: Set<Capability>
  /// Whether each look at a store needs a driver of its own.
  let restarts: Bool
  let templates: [Template.Kind: Template]
  let deadline: Double

  var isLate: Bool { DriverProcess.clock > deadline }

  /// Groups of canaries by needle.
  func group(of needle: String?) -> Canary.Group? {
    guard let needle else { return nil }
    return cast.canaries.first { $0.needle.id == needle }?.group
      ?? (needle.hasPrefix("key.") ? .keys : nil)
  }

  func can(_ needed: Set<Capability>) -> Bool { needed.isSubset(of: abilities) }
}

/// A machine with a prepared store, to be copied.
struct Template: Sendable {
  enum Kind: Sendable, CaseIterable {
    /// Nothing on it.
    case bare
    /// Two profiles with items, and an attachment.
    case filled
    /// As an older version of the store made it.
    case older
    /// As a newer one will.
    case newer
  }

  var machine: Sandbox
  var state: StoreState
  var places: Places
  /// The store's own keys, by name, where the driver tells them.
  var keys: [String: String] = [:]
}

extension Template {
  /// Makes the machine by driving the store, without any fault.
  init(
    _ kind: Kind, _ cast: Cast, _ abilities: Set<Capability>, _ command: DriverCommand,
    at root: String
  ) throws(ProofFailure) {
    machine = try ProofFailure.onDisk { () throws(Folder.Failure) in try Sandbox(at: root) }
    state = StoreState(password: cast.password)
    places = Places([:])
    guard kind != .bare else {
      state.exists = false
      return
    }
    let driver: DriverProcess
    do throws(DriverProcess.StartFailure) {
      driver = try machine.start(command)
    } catch {
      throw .notStarted(command.text, errno: error.errno)
    }
    defer { driver.end() }
    let more: [String: JSONValue] =
      switch kind {
      case .older: ["schema": .string("older")]
      case .newer: ["schema": .string("newer")]
      case .bare, .filled: [:]
      }
    _ = driver.ask(DriverRequest(.hello, ["version": .integer(1)]))
    var steps: [Step] = [.create(cast.password, more)]
    if kind != .newer {
      steps.append(.unlock(cast.password))
      steps += cast.first.map { .put($0) }
      if abilities.contains(.attach), kind == .filled {
        steps.append(.attach(cast.attachment, to: "a1"))
      }
      if abilities.contains(.profiles), kind == .filled {
        steps.append(.addProfile)
        steps += cast.second.map { .put($0, profile: 1) }
      }
    }
    for step in steps {
      try Self.ask(driver, step.request(in: machine))
      step.apply(&state)
    }
    places = Places(try Self.ask(driver, DriverRequest(.places, machine.place)))
    if kind != .newer { try Self.ask(driver, DriverRequest(.close)) }
    guard kind == .filled, abilities.contains(.keys) else { return }
    keys = try Self.keys(driver, machine, cast.password)
  }

  @discardableResult
  private static func ask(
    _ driver: DriverProcess, _ request: DriverRequest
  ) throws(ProofFailure) -> [String: JSONValue] {
    switch driver.ask(request, seconds: 120) {
    case .done(let members): return members
    case .refused(let why): throw .refused(request.verb.rawValue, why.message)
    case .none(let why): throw .noAnswer(request.verb.rawValue, why)
    }
  }

  /// Opens the store once more and asks for its keys.
  static func keys(
    _ driver: DriverProcess, _ machine: Sandbox, _ password: String
  ) throws(ProofFailure) -> [String: String] {
    try ask(driver, Step.unlock(password).request(in: machine))
    let members = try ask(driver, DriverRequest(.keys))
    try ask(driver, DriverRequest(.close))
    var keys: [String: String] = [:]
    for key in members["keys"]?.array ?? [] {
      if let name = key["name"]?.string, let hex = key["hex"]?.string { keys[name] = hex }
    }
    return keys
  }

  /// The key item that still holds a key, if any does.
  func path(ofKey name: String, in places: Places) -> String? {
    guard let hex = keys[name] else { return nil }
    let bytes = Self.bytes(hex)
    return places.keys.flatMap { Folder.files(below: $0) }.first { path in
      let content = (try? Folder.read(path)) ?? []
      return content.holds(bytes) || content.holds(Array(hex.utf8))
    }
  }

  static func bytes(_ hexadecimal: String) -> [UInt8] {
    [UInt8](hexadecimal: hexadecimal) ?? []
  }

  /// The keys as the scanner tries them.
  static func databaseKeys(_ keys: [String: String]) -> [DatabaseKey] {
    keys.sorted { $0.key < $1.key }.compactMap { DatabaseKey(hexadecimal: $0.value) }
  }
}

/// Why a proof could not start.
package enum ProofFailure: Error, Equatable {
  case notStarted(String, errno: Int32)
  case noAnswer(String, String)
  case refused(String, String)
  case disk(String, errno: Int32)
  case engine(problem: String)
  case unknownScenario(String)
  case noLibrary

  static func onDisk<Result>(
    _ body: () throws(Folder.Failure) -> Result
  ) throws(ProofFailure) -> Result {
    do throws(Folder.Failure) { return try body() } catch {
      throw .disk(error.path, errno: error.errno)
    }
  }
}

extension ProofFailure: Explained {
  package var problem: String {
    switch self {
    case .notStarted(let command, let number): "\(command) cannot be started: error \(number)"
    case .noAnswer(let verb, let why): "the driver did not answer \(verb): \(why)"
    case .refused(let verb, let why): "the driver refused \(verb) on a new store: \(why)"
    case .disk(let path, let number): "\(path) cannot be used: error \(number)"
    case .engine(let problem): problem
    case .unknownScenario(let name): "there is no scenario \"\(name)\""
    case .noLibrary: "the library that makes faults was not found"
    }
  }

  package var remedy: String {
    switch self {
    case .notStarted: "name a program that exists, with its arguments"
    case .noAnswer, .refused: "try the driver by hand; DRIVER.md has the protocol"
    case .disk: "name another folder with TMPDIR, or free some space"
    case .engine: "report this"
    case .unknownScenario: "vestige prove --list shows those there are"
    case .noLibrary: "install the program with make install, or build the product vestige-faults"
    }
  }
}
