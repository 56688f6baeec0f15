import CrashImages
import DriverProtocol
import Findings
import Glibc
import Scanning

/// What came of one point.
struct PointOutcome: Sendable {
  var point: Point
  var fault: String
  var judgement: Judgement
  var look: Look
}

/// Tries points of sweeps, one after the other, on one thread.
final class SweepRunner {
  let subject: Subject
  let looker: Looker
  private let folder: String
  private var machines = 0
  private var checker: DriverProcess?
  private var own: Sandbox?
  private var lastDisk: (sweep: String, taken: Int, disk: UnsyncedDisk)?

  init(_ subject: Subject, folder: String) {
    self.subject = subject
    self.folder = folder
    looker = Looker(subject)
  }

  /// A name for the next machine.
  func nextRoot() -> String {
    machines += 1
    return "\(folder)/\(machines)"
  }

  // MARK: Recording

  /// Runs the sweep undisturbed, with every change written down.
  func record(
    _ sweep: Sweep, omitting omission: Omission = Omission()
  ) throws(ProofFailure) -> Recording {
    guard let template = subject.templates[sweep.template] else {
      throw .refused(sweep.name, "there is no template")
    }
    let machine = try ProofFailure.onDisk { () throws(Folder.Failure) in
      try Sandbox(at: nextRoot(), copying: template.machine)
    }
    let run = try start(sweep, on: machine, omission)
    defer { run.driver.end() }
    run.page.watch()
    // What was done first is not part of it.
    let before = image(of: machine)
    var recording = Recording(
      before: before, changes: [], answered: [], states: [run.state], unseen: [], machine: machine)
    var state = run.state
    for step in sweep.steps {
      switch run.driver.ask(step.request(in: machine), seconds: 60) {
      case .done: break
      case .refused(let why): throw .refused(step.verb.rawValue, why.message)
      case .none(let why): throw .noAnswer(step.verb.rawValue, why)
      }
      step.apply(&state)
      recording.states.append(state)
      recording.answered.append(run.page.count)
    }
    let after = image(of: machine)
    run.driver.end()
    let log = ChangeLog(at: machine.log)
    recording.changes = log.counted
    recording.unseen = Self.unseen(recording, after, log)
    return recording
  }

  private func image(of machine: Sandbox) -> DiskImage {
    (try? DiskImage(of: machine.disk)) ?? DiskImage()
  }

  /// Files that are not what the log says they are.
  private static func unseen(
    _ recording: Recording, _ after: DiskImage, _ log: ChangeLog
  ) -> [String] {
    var rebuilt = recording.before
    for change in recording.changes { rebuilt.apply(change) }
    let names = Set(rebuilt.files.keys).union(after.files.keys)
    return names.filter { name in
      !name.hasSuffix("-shm") && !log.mapped.contains(name)
        && rebuilt.files[name] != after.files[name]
    }.sorted()
  }

  // MARK: Points

  private struct Run {
    var driver: DriverProcess
    var page: FaultPage
    var state: StoreState
  }

  /// Starts a driver under the preloaded library and does what comes first.
  private func start(
    _ sweep: Sweep, on machine: Sandbox, _ omission: Omission = Omission()
  ) throws(ProofFailure) -> Run {
    let page = try ProofFailure.onDisk { () throws(Folder.Failure) in
      try machine.makePage(omitting: omission)
    }
    let driver: DriverProcess
    do throws(DriverProcess.StartFailure) {
      driver = try machine.start(
        subject.options.driver, page: page, library: subject.options.library)
    } catch {
      throw .notStarted(subject.options.driver.text, errno: error.errno)
    }
    var state =
      subject.templates[sweep.template]?.state ?? StoreState(password: subject.cast.password)
    _ = driver.ask(DriverRequest(.hello, ["version": .integer(1)]))
    for step in sweep.before {
      switch driver.ask(step.request(in: machine), seconds: 60) {
      case .done: step.apply(&state)
      case .refused(let why): throw .refused(step.verb.rawValue, why.message)
      case .none(let why): throw .noAnswer(step.verb.rawValue, why)
      }
    }
    return Run(driver: driver, page: page, state: state)
  }

  /// Tries one point.
  /// - Parameter plants: Whether a leak is planted and looked for there too.
  func run(
    _ point: Point, of sweep: Sweep, _ recording: Recording, as name: String, plants: Bool
  ) -> PointOutcome {
    switch point.kind {
    case .fault(let fault):
      return disturb(point, fault, sweep, recording, as: name, plants: plants)
    case .power(let survival):
      return cut(point, survival, sweep, recording, as: name, plants: plants)
    }
  }

  private func disturb(
    _ point: Point, _ fault: Fault, _ sweep: Sweep, _ recording: Recording, as name: String,
    plants: Bool
  ) -> PointOutcome {
    let change = recording.changes[min(point.change, recording.changes.count) - 1]
    var outcome = PointOutcome(
      point: point,
      fault: "\(fault.phrase) change \(point.change), "
        + change.described(below: recording.machine.disk),
      judgement: .clean, look: Look())
    guard let template = subject.templates[sweep.template],
      let machine = try? Sandbox(at: nextRoot(), copying: template.machine)
    else {
      outcome.judgement = Judgement(verdict: .noAnswer, message: "no machine could be made")
      return outcome
    }
    do throws(ProofFailure) {
      let run = try start(sweep, on: machine)
      run.page.watch(fault, at: point.change)
      let (answered, trouble) = follow(run, sweep, machine)
      if let trouble, !(isKill(fault) && run.driver.wasKilled) {
        outcome.judgement = Judgement(verdict: .noAnswer, message: trouble)
      }
      run.driver.end()
      finish(
        &outcome, machine, template, sweep, recording.expectation(answered: answered), as: name,
        plants: plants)
    } catch {
      outcome.judgement = Judgement(verdict: .noAnswer, message: error.problem)
    }
    return outcome
  }

  private func isKill(_ fault: Fault) -> Bool {
    switch fault {
    case .killBefore, .killMiddle, .killAfter, .abort: true
    case .full, .error, .errors, .short: false
    }
  }

  /// Sends the steps until one is not done; what still answers then must go on answering.
  private func follow(
    _ run: Run, _ sweep: Sweep, _ machine: Sandbox
  ) -> (answered: Int, trouble: String?) {
    for (index, step) in sweep.steps.enumerated() {
      switch run.driver.ask(step.request(in: machine), seconds: 30) {
      case .done: continue
      case .none(let why): return (index, why)
      case .refused:
        run.page.calm()
        for request in [DriverRequest(.list), DriverRequest(.close)] {
          if case .none(let why) = run.driver.ask(request, seconds: 30) {
            return (index, "after an error was answered: \(why)")
          }
        }
        return (index, nil)
      }
    }
    return (sweep.steps.count, nil)
  }

  /// What is left when the power fails after so many changes, looked at by opening it; nothing where it
  /// cannot be made.
  func judge(
    _ image: DiskImage, of recording: Recording, _ sweep: Sweep, answered count: Int
  ) -> Judgement? {
    guard let machine = try? Sandbox(at: nextRoot(), image: image, of: recording.machine) else {
      return nil
    }
    return judge(machine, sweep, recording.expectation(after: count)).judgement
  }

  private func judge(
    _ machine: Sandbox, _ sweep: Sweep, _ expectation: Expectation
  ) -> (judgement: Judgement, observed: Observation) {
    // Before the store is opened: opening tidies up.
    let broken = expectation.answered > 0 ? retired(machine, sweep) : nil
    let observed = observe(machine, expectation.candidates)
    if let broken { return (broken, observed) }
    var judgement = Judgement(observed, candidates: expectation.candidates)
    if judgement.verdict == .clean, case .open = observed { judgement = use(machine, sweep) }
    return (judgement, observed)
  }

  /// Goes on with what the sweep came to.
  private func use(_ machine: Sandbox, _ sweep: Sweep) -> Judgement {
    guard !sweep.after.isEmpty, subject.can([.decoy]), let driver = checkingDriver(on: machine)
    else { return .clean }
    for step in sweep.after {
      switch driver.ask(step.request(in: machine), seconds: 60) {
      case .done: continue
      case .refused(let why):
        _ = driver.ask(DriverRequest(.close))
        return Judgement(
          verdict: .lost,
          message: "opens, and \(step.verb.rawValue) is refused (\(why.kind.rawValue)): "
            + why.message)
      case .none(let why):
        checker = nil
        return Judgement(verdict: .noAnswer, message: "\(step.verb.rawValue), after it: \(why)")
      }
    }
    return .clean
  }

  /// What whoever undeletes files sees of a disk on which something was erased.
  func judge(
    undeleting disk: UnsyncedDisk, of recording: Recording, seed: UInt64
  ) -> Judgement? {
    var image = disk.afterPowerLoss(.none, seed: seed)
    for (path, bytes) in disk.remains where image.files[path] == nil {
      image.files[path] = bytes
      var folder = path.enclosingFolder
      while recording.before.folders.contains(folder), image.folders.insert(folder).inserted {
        folder = folder.enclosingFolder
      }
    }
    image.folders.formUnion(recording.before.folders)
    guard let machine = try? Sandbox(at: nextRoot(), image: image, of: recording.machine),
      let last = recording.states.last, let first = recording.states.first
    else { return nil }
    switch observe(machine, [first]) {
    case .noAnswer(let why): return Judgement(verdict: .noAnswer, message: why)
    case .closed: return .clean
    case .open(_, let views):
      for (profile, view) in views.sorted(by: { $0.key < $1.key }) {
        guard case .items(let items) = view, !items.isEmpty else { continue }
        if last.exists, last.profiles[profile] != nil { continue }
        return Judgement(
          verdict: .undecidable, message: "profile \(profile) opens once its files are undeleted")
      }
      return .clean
    }
  }

  private func cut(
    _ point: Point, _ survival: Survival, _ sweep: Sweep, _ recording: Recording, as name: String,
    plants: Bool
  ) -> PointOutcome {
    var outcome = PointOutcome(
      point: point,
      fault: "power lost after change \(point.change)"
        + (point.change > 0
          ? ", \(recording.changes[point.change - 1].described(below: recording.machine.disk))"
          : "") + ", of what was not synced \(survival.rawValue) survived",
      judgement: .clean, look: Look())
    let image = disk(of: recording, sweep, after: point.change)
      .afterPowerLoss(survival, seed: point.seed(subject.options.seed))
    guard let template = subject.templates[sweep.template],
      let machine = try? Sandbox(at: nextRoot(), image: image, of: recording.machine)
    else {
      outcome.judgement = Judgement(verdict: .noAnswer, message: "no machine could be made")
      return outcome
    }
    finish(
      &outcome, machine, template, sweep, recording.expectation(after: point.change), as: name,
      plants: plants)
    return outcome
  }

  /// The disk after so many changes: made from the last one that was asked for, where that was before.
  private func disk(of recording: Recording, _ sweep: Sweep, after count: Int) -> UnsyncedDisk {
    if lastDisk?.sweep != sweep.name || lastDisk?.taken ?? 0 > count { lastDisk = nil }
    var (disk, taken) = (lastDisk?.disk ?? UnsyncedDisk(recording.before), lastDisk?.taken ?? 0)
    lastDisk = nil
    for change in recording.changes[taken..<count] { disk.take(change) }
    taken = count
    lastDisk = (sweep.name, taken, disk)
    return disk
  }

  /// Looks at what is left, opens it, and does it all again.
  private func finish(
    _ outcome: inout PointOutcome, _ machine: Sandbox, _ template: Template, _ sweep: Sweep,
    _ expectation: Expectation, as name: String, plants: Bool
  ) {
    let places = template.places.moved(from: template.machine, to: machine)
    outcome.look = looker.look(at: machine, places, as: name)
    if plants {
      var random = SplitMix(state: subject.options.seed &+ UInt64(outcome.point.number))
      outcome.look.planted = looker.plant(on: machine, places, &random)
    }
    var (judgement, observed) = judge(machine, sweep, expectation)
    if judgement.verdict == .clean, let erased = sweep.erased,
      case .open(_, let views) = observed, case .refused? = views[erased.profile],
      let path = template.path(ofKey: erased.key, in: places)
    {
      judgement = Judgement(
        verdict: .undecidable,
        message: "the profile does not open any more, and its key is still in "
          + path.dropFirst(machine.disk.count + 1))
    }
    if outcome.judgement.verdict == .clean { outcome.judgement = judgement }
    guard judgement.verdict == .clean, sweep.isRepeatable, outcome.point.number % 5 == 0,
      let last = expectation.candidates.last
    else { return }
    outcome.judgement = again(sweep, machine, last, outcome.judgement)
  }

  /// The same once more, undisturbed: it must come to its end.
  private func again(
    _ sweep: Sweep, _ machine: Sandbox, _ state: StoreState, _ judgement: Judgement
  ) -> Judgement {
    guard let driver = checkingDriver(on: machine) else { return judgement }
    var final = subject.templates[sweep.template]?.state ?? state
    for step in sweep.before + sweep.steps {
      step.apply(&final)
      // It may have been done already: then it is refused, and the end is the same.
      if case .none(let why) = driver.ask(step.request(in: machine), seconds: 60) {
        checker = nil
        return Judgement(verdict: .noAnswer, message: "\(step.verb.rawValue), done again: \(why)")
      }
    }
    _ = driver.ask(DriverRequest(.close))
    let end = Judgement(observe(machine, [final]), candidates: [final])
    guard end.verdict != .clean else { return judgement }
    return Judgement(verdict: end.verdict, message: "done again: \(end.message)")
  }

  /// What the store shows to a driver that knows nothing of what happened.
  func observe(_ machine: Sandbox, _ candidates: [StoreState]) -> Observation {
    guard let driver = checkingDriver(on: machine) else {
      return .noAnswer("the driver cannot be started")
    }
    var passwords: [String] = []
    for candidate in candidates where !passwords.contains(candidate.password) {
      passwords.append(candidate.password)
    }
    let profiles = Set(candidates.flatMap { $0.profiles.keys }).sorted()
    let observer = Observer(driver: driver, place: machine.place, abilities: subject.abilities)
    let observed = observer.look(passwords, profiles, known: subject.cast.ids)
    if case .noAnswer = observed { checker = nil }
    return observed
  }

  /// A driver that stays must not need the machine that is looked at: it has one of its own.
  private func checkingDriver(on machine: Sandbox) -> DriverProcess? {
    if let checker, !subject.restarts { return checker }
    if own == nil { own = try? Sandbox(at: folder + "/checker") }
    let started = try? (subject.restarts ? machine : own ?? machine).start(subject.options.driver)
    _ = started?.ask(DriverRequest(.hello, ["version": .integer(1)]))
    checker = started
    return started
  }
}
