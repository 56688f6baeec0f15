import CrashImages
import DriverProtocol
package import Findings
import Glibc
import RuleEngine
import Scanning

/// Drives a store through its life and its faults, and looks at what it leaves. The only place of the
/// proof that starts tasks.
package struct Prover: Sendable {
  private let options: ProofOptions
  private let cast: Cast

  package init(_ options: ProofOptions) throws(ProofFailure) {
    self.options = options
    cast = Cast(seed: options.seed)
    let known = Self.names(cast)
    for name in options.scenarios where !known.contains(name) { throw .unknownScenario(name) }
    if options.library == nil { throw .noLibrary }
    // A driver that dies closes its pipe while something is written to it.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Every scenario there is, in the order in which they are run.
  package static var scenarioNames: [String] { names(Cast(seed: 1)) }

  /// Scenarios of a life that nothing disturbs.
  package static var lifeNames: [String] { LifeScenario.all.map(\.name) }
  /// The ways to disturb a part of a life, and those parts: a scenario's name is one of each.
  package static var disturbanceNames: [String] { Disturbance.allCases.map(\.rawValue) }
  package static var sweepNames: [String] { Sweep.all(Cast(seed: 1)).map(\.name) }

  private static func names(_ cast: Cast) -> [String] {
    LifeScenario.all.map(\.name)
      + Sweep.all(cast).flatMap { sweep in
        Disturbance.allCases.map { "\($0.rawValue)-\(sweep.name)" }
      }
  }

  private func isWanted(_ name: String) -> Bool {
    options.scenarios.isEmpty || options.scenarios.contains(name)
  }

  /// Runs everything and reports each scenario as it ends.
  package func prove(
    reporting report: @Sendable (Proof.Scenario) -> Void = { _ in }
  ) async throws(ProofFailure) -> Report {
    let clock = DriverProcess.clock
    let started = Timestamp.now
    let folder = try ProofFailure.onDisk { () throws(Folder.Failure) -> WorkFolder in
      try WorkFolder(in: options.folder, seed: options.seed)
    }
    defer { folder.remove() }
    let work = folder.path
    let subject = try prepare(at: work + "/templates", clock)
    var ledger = Ledger(options, subject)
    await lives(subject, work) { ledger.add($0, reporting: report) }
    await sweeps(subject, work) { ledger.add($0, reporting: report) }
    if options.triesMutants { ledger.add(await mutants(subject, work)) }
    return ledger.report(started: started, seconds: DriverProcess.clock - clock)
  }
}

// MARK: Preparing

extension Prover {
  /// Asks the driver what it does, and makes the machines that are copied.
  private func prepare(at root: String, _ clock: Double) throws(ProofFailure) -> Subject {
    try ProofFailure.onDisk { () throws(Folder.Failure) in try Folder.make(root) }
    let (store, abilities, restarts) = try greet(at: root + "/greeting")
    var templates: [Template.Kind: Template] = [:]
    for kind in Template.Kind.allCases {
      if kind == .older, !abilities.contains(.older) { continue }
      if kind == .newer, !abilities.contains(.newer) { continue }
      templates[kind] = try Template(
        kind, cast, abilities, options.driver, at: "\(root)/\(kind)")
    }
    var needles = cast.needles
    for (name, hex) in (templates[.filled]?.keys ?? [:]).sorted(by: { $0.key < $1.key }) {
      needles.append(Needle(id: "key.\(name)", kind: .keyHex, value: hex, severity: .critical))
    }
    let engine: Engine
    do throws(Engine.BuildError) {
      engine = try Engine(rules: [], needles: needles, reveals: options.reveals)
    } catch {
      throw .engine(problem: error.problem)
    }
    return Subject(
      options: options, cast: cast, engine: engine, store: store, abilities: abilities,
      restarts: restarts, templates: templates,
      deadline: options.budget.map { clock + $0 } ?? .infinity)
  }

  private func greet(at root: String) throws(ProofFailure) -> (String, Set<Capability>, Bool) {
    let machine = try ProofFailure.onDisk { () throws(Folder.Failure) in try Sandbox(at: root) }
    let driver: DriverProcess
    do throws(DriverProcess.StartFailure) {
      driver = try machine.start(options.driver)
    } catch {
      throw .notStarted(options.driver.text, errno: error.errno)
    }
    switch driver.ask(DriverRequest(.hello, ["version": .integer(1)]), seconds: 60) {
    case .none(let why): throw .noAnswer("hello", why)
    case .refused(let why): throw .refused("hello", why.message)
    case .done(let members):
      guard let can = members["can"]?.strings else {
        throw .noAnswer("hello", "the answer has no can")
      }
      let abilities = can.compactMap(Capability.init(rawValue:))
      return (
        members["store"]?.string ?? "a store", Set(abilities),
        members["restarts"]?.boolean ?? false
      )
    }
  }
}

// MARK: Running

extension Prover {
  /// Runs pieces of work with a bounded number at the same time; outcomes come in the order of the work.
  private func run<Piece: Sendable, Outcome: Sendable>(
    _ pieces: [Piece], _ work: @escaping @Sendable (Int, Piece) -> Outcome,
    each: (Outcome) -> Void = { _ in }
  ) async -> [Outcome] {
    await withTaskGroup(of: (Int, Outcome).self) { group in
      var waiting = pieces.enumerated().makeIterator()
      func start() {
        guard let (index, piece) = waiting.next() else { return }
        group.addTask { (index, work(index, piece)) }
      }
      for _ in 0..<max(1, options.jobs) { start() }
      var early: [Int: Outcome] = [:]
      var outcomes: [Outcome] = []
      for await (index, outcome) in group {
        start()
        early[index] = outcome
        // In order, each as soon as all before it are there.
        while let next = early.removeValue(forKey: outcomes.count) {
          each(next)
          outcomes.append(next)
        }
      }
      return outcomes
    }
  }

  private func lives(
    _ subject: Subject, _ work: String, each: (ScenarioOutcome) -> Void
  ) async {
    let wanted = LifeScenario.all.filter { isWanted($0.name) }
    _ = await run(
      wanted, { index, scenario in Self.play(scenario, subject, at: "\(work)/life-\(index)") },
      each: each)
  }

  static func play(
    _ scenario: LifeScenario, _ subject: Subject, at root: String,
    omitting omission: Omission = Omission()
  ) -> ScenarioOutcome {
    let clock = DriverProcess.clock
    var outcome = ScenarioOutcome(name: scenario.name, title: scenario.title)
    guard subject.can(scenario.needs) else {
      outcome.skipped = "the driver does not do it"
      return outcome
    }
    guard !subject.isLate else {
      outcome.skipped = "the time was over"
      outcome.left = 1
      return outcome
    }
    do throws(ProofFailure) {
      let stage = try Stage(
        subject, scenario.name, scenario.template, looker: Looker(subject), at: root,
        examined: scenario.isExamined, omitting: omission)
      scenario.play(stage)
      stage.finishLooking()
      outcome.look = stage.look
      outcome.notes = stage.notes
      outcome.changes = stage.changes
      outcome.failures = stage.failures.map {
        ScenarioOutcome.Failure(point: nil, fault: $0.fault, judgement: $0.judgement)
      }
    } catch {
      outcome.failures = [
        ScenarioOutcome.Failure(
          point: nil, fault: "", judgement: Judgement(verdict: .noAnswer, message: error.problem))
      ]
    }
    outcome.seconds = DriverProcess.clock - clock
    return outcome
  }

  private func sweeps(
    _ subject: Subject, _ work: String, each: (ScenarioOutcome) -> Void
  ) async {
    let wanted = Sweep.all(cast).filter { sweep in
      Disturbance.allCases.contains { isWanted("\($0.rawValue)-\(sweep.name)") }
    }
    let recordings = await run(
      wanted,
      { index, sweep in
        Self.record(sweep, subject, at: "\(work)/record-\(index)")
      })
    for (sweep, recording) in zip(wanted, recordings) {
      for disturbance in Disturbance.allCases
      where isWanted("\(disturbance.rawValue)-\(sweep.name)") {
        each(await disturb(sweep, recording, disturbance, subject, "\(work)/\(sweep.name)"))
      }
    }
  }

  /// Leaves out one protective call after the other.
  private func mutants(_ subject: Subject, _ work: String) async -> [Proof.Mutant] {
    let sweeps = Sweep.all(cast).filter { sweep in
      subject.can(sweep.needs) && sweep.name != "use"
        && Disturbance.allCases.contains { isWanted("\($0.rawValue)-\(sweep.name)") }
    }
    let recordings = await run(
      sweeps,
      { index, sweep in
        Self.record(sweep, subject, at: "\(work)/mutant-record-\(index)")
      })
    var recorded: [(Sweep, Recording)] = []
    for (sweep, recording) in zip(sweeps, recordings) {
      if case .success(let recording) = recording { recorded.append((sweep, recording)) }
    }
    let names = ["rotation", "erase", "format", "undeletion"]
    let lives = await run(
      LifeScenario.all.filter { names.contains($0.name) && isWanted($0.name) },
      { index, scenario in
        Self.play(scenario, subject, at: "\(work)/mutant-life-\(index)")
      })
    let mutants = Mutants(subject: subject, folder: work)
    return await run(
      Mutants.pieces(recorded, lives),
      { index, piece in
        mutants.run(piece, at: index)
      })
  }

  private static func record(
    _ sweep: Sweep, _ subject: Subject, at root: String
  ) -> Result<Recording, ProofFailure> {
    guard subject.can(sweep.needs) else { return .failure(.refused(sweep.name, "not done")) }
    do throws(ProofFailure) {
      try ProofFailure.onDisk { () throws(Folder.Failure) in try Folder.make(root) }
      return .success(try SweepRunner(subject, folder: root).record(sweep))
    } catch {
      return .failure(error)
    }
  }

  private func disturb(
    _ sweep: Sweep, _ recorded: Result<Recording, ProofFailure>, _ disturbance: Disturbance,
    _ subject: Subject, _ root: String
  ) async -> ScenarioOutcome {
    let clock = DriverProcess.clock
    let name = "\(disturbance.rawValue)-\(sweep.name)"
    var outcome = ScenarioOutcome(name: name, title: disturbance.title(sweep))
    guard subject.can(sweep.needs) else {
      outcome.skipped = "the driver does not do it"
      return outcome
    }
    let recording: Recording
    switch recorded {
    case .success(let found): recording = found
    case .failure(let failure):
      outcome.failures = [
        ScenarioOutcome.Failure(
          point: nil, fault: "undisturbed",
          judgement: Judgement(verdict: .noAnswer, message: failure.problem))
      ]
      return outcome
    }
    if disturbance == .power, !recording.unseen.isEmpty {
      outcome.skipped =
        "the store changes files in a way that the library does not see: "
        + recording.unseen.prefix(3).map { String($0.dropFirst(recording.machine.disk.count + 1)) }
        .joined(separator: ", ")
      outcome.left = 1
      return outcome
    }
    let all = disturbance.points(of: recording)
    outcome.population = all.count
    guard !all.isEmpty else {
      outcome.skipped = "there is nothing in it that this can happen to"
      return outcome
    }
    let chosen = chosen(all)
    let points =
      disturbance == .power ? recording.distinct(chosen, seed: subject.options.seed) : chosen
    // What was opened once and is the same again shows nothing new, and does not count.
    if chosen.count == all.count { outcome.population = points.count }
    // Each task goes through the points in steps of its own: its search and the driver that looks at
    // what is left stay the same, and disks are rebuilt one from the other.
    let jobs = max(1, min(options.jobs, points.count))
    let shares = (0..<jobs).map { first in
      stride(from: first, to: points.count, by: jobs).map { points[$0] }
    }
    let done = await run(
      shares,
      { index, points in
        Self.tryPoints(
          points, sweep, recording, name, subject, at: "\(root)-\(disturbance)-\(index)",
          plants: index == 0)
      })
    for point in done.joined().sorted(by: { $0.point.number < $1.point.number }) {
      outcome.add(point)
    }
    outcome.left = points.count - done.reduce(0) { $0 + $1.count }
    outcome.seconds = DriverProcess.clock - clock
    return outcome
  }

  private static func tryPoints(
    _ points: [Point], _ sweep: Sweep, _ recording: Recording, _ name: String, _ subject: Subject,
    at root: String, plants: Bool
  ) -> [PointOutcome] {
    guard !subject.isLate, (try? Folder.make(root)) != nil else { return [] }
    defer { Folder.remove(root) }
    let runner = SweepRunner(subject, folder: root)
    var outcomes: [PointOutcome] = []
    for (index, point) in points.enumerated() where !subject.isLate {
      outcomes.append(
        runner.run(point, of: sweep, recording, as: name, plants: plants && index == 0))
    }
    return outcomes
  }

  /// All points, one, or a sample that the seed chooses.
  private func chosen(_ points: [Point]) -> [Point] {
    if let number = options.point { return points.filter { $0.number == number } }
    guard !options.isExhaustive, points.count > options.sampleSize else { return points }
    var random = SplitMix(state: options.seed)
    return points.shuffled(using: &random).prefix(options.sampleSize).sorted {
      $0.number < $1.number
    }
  }
}
