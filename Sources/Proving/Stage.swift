import CrashImages
import DriverProtocol
import Findings
import Glibc
import RuleEngine
import SQLiteFormat
import Scanning

/// One undisturbed scenario as it is played: a machine, a driver on it, and what went wrong so far.
final class Stage {
  let subject: Subject
  let name: String
  let looker: Looker
  let machine: Sandbox
  private let template: Template
  private(set) var driver: DriverProcess
  private(set) var page: FaultPage?
  var state: StoreState
  private(set) var look = Look()
  private(set) var failures: [(fault: String, judgement: Judgement)] = []
  var notes: [String] = []
  /// Every change there was, without bytes, once the looking is done.
  private(set) var changes: [FileChange] = []
  private var random: SplitMix

  var cast: Cast { subject.cast }
  var places: Places

  init(
    _ subject: Subject, _ name: String, _ kind: Template.Kind, looker: Looker, at root: String,
    examined: Bool = false, omitting omission: Omission = Omission()
  ) throws(ProofFailure) {
    self.subject = subject
    self.name = name
    self.looker = looker
    guard let template = subject.templates[kind] else { throw .refused(name, "no template") }
    self.template = template
    state = template.state
    random = SplitMix(state: subject.options.seed)
    let machine = try ProofFailure.onDisk { () throws(Folder.Failure) in
      try Sandbox(at: root, copying: template.machine)
    }
    self.machine = machine
    places = template.places.moved(from: template.machine, to: machine)
    page = try ProofFailure.onDisk { () throws(Folder.Failure) in
      try machine.makePage(omitting: omission)
    }
    driver = try Self.start(subject, machine, page)
    page?.watch()
    greet(examined: examined)
  }

  private static func start(
    _ subject: Subject, _ machine: Sandbox, _ page: FaultPage?
  ) throws(ProofFailure) -> DriverProcess {
    do throws(DriverProcess.StartFailure) {
      return try machine.start(
        subject.options.driver, page: page, library: subject.options.library)
    } catch {
      throw .notStarted(subject.options.driver.text, errno: error.errno)
    }
  }

  private func greet(examined: Bool) {
    _ = ask(
      Step(verb: .hello, members: ["version": .integer(1), "examined": .boolean(examined)]))
  }

  /// A driver that knows nothing of the first, on the same machine.
  func restart(examined: Bool = false) {
    driver.end()
    guard let next = try? Self.start(subject, machine, page) else {
      return fail(.noAnswer, "the driver cannot be started again")
    }
    driver = next
    greet(examined: examined)
  }

  // MARK: Asking

  func fail(_ verdict: Proof.Verdict, _ message: String) {
    failures.append((fault: "", judgement: Judgement(verdict: verdict, message: message)))
  }

  /// Asks for something that must be done.
  @discardableResult
  func ask(_ step: Step) -> [String: JSONValue] {
    switch driver.ask(step.request(in: machine), seconds: 60) {
    case .done(let members):
      step.apply(&state)
      return members
    case .refused(let why):
      fail(.noAnswer, "\(step.verb.rawValue) was refused (\(why.kind.rawValue)): \(why.message)")
    case .none(let why):
      fail(.noAnswer, "\(step.verb.rawValue): \(why)")
    }
    return [:]
  }

  /// Asks for something that must be refused, for one of these reasons.
  func refuse(_ step: Step, _ kinds: Set<Refusal.Kind>, _ what: String) {
    switch driver.ask(step.request(in: machine), seconds: 60) {
    case .done: fail(.undecidable, "\(what) was not refused")
    case .refused(let why):
      if !kinds.contains(why.kind) {
        fail(.undecidable, "\(what) was refused as \(why.kind.rawValue): \(why.message)")
      }
    case .none(let why): fail(.noAnswer, "\(what): \(why)")
    }
  }

  func reply(_ step: Step) -> Reply { driver.ask(step.request(in: machine), seconds: 60) }

  /// Opens the store anew and compares all of it with what it must hold.
  func check(_ what: String) {
    restart()
    let observer = Observer(driver: driver, place: machine.place, abilities: subject.abilities)
    let observed = observer.look([state.password], state.profiles.keys.sorted(), known: cast.ids)
    let judgement = Judgement(observed, candidates: [state])
    guard judgement.verdict != .clean else { return }
    fail(judgement.verdict, "\(what): \(judgement.message)")
  }

  // MARK: Looking

  /// Looks at everything on the machine.
  func lookAround(_ moment: String) {
    look.add(looker.look(at: machine, places, as: "\(name)/\(moment)"))
  }

  /// The last look: at the disk, at every write there was, and at leaks planted in copies.
  func finishLooking() {
    lookAround("end")
    look.planted.merge(looker.plant(on: machine, places, &random)) { $0 && $1 }
    guard subject.options.library != nil else { return }
    driver.end()
    let log = ChangeLog(at: machine.log)
    changes = log.counted.map(\.withoutBytes)
    look.add(looker.look(atWritesOf: machine, log, places, as: "\(name)/writes"))
    look.planted["writes"] = plantWrite()
  }

  /// A write that holds a canary, written down as the library would have.
  private func plantWrite() -> Bool {
    guard let canary = cast.canaries.first(where: { $0.group == .values }) else { return false }
    let path = machine.root + "/planted-log"
    var bytes = (try? Folder.read(machine.log)) ?? []
    bytes += Array("xx\(canary.value)xx".utf8)
    guard (try? Folder.write(bytes, to: path)) != nil else { return false }
    defer { Folder.remove(path) }
    let found = looker.look(at: path, as: "planted", place: "writes")
    return found.leaks.contains { $0.finding.needle == canary.needle.id }
  }

  /// Looks at the driver's memory; with a core as well, as a crash would leave it.
  func lookAtMemory(_ moment: String, andCore: Bool) {
    let found = looker.look(atMemoryOf: driver.identifier, as: "\(name)/\(moment)/memory")
    guard found.bytes["memory"] ?? 0 > 0 else {
      notes.append("the memory of the driver cannot be read: run as root to look at it")
      return
    }
    look.add(found)
    if andCore { lookAtCore(moment) }
    guard let canary = cast.canaries.last(where: { $0.group == .values && $0.needle.kind == .text })
    else { return }
    let isPlanted = PlantedMemory.plant(Array(canary.value.utf8), in: driver.identifier)
    let again = looker.look(atMemoryOf: driver.identifier, as: "planted")
    look.planted["memory"] =
      isPlanted && again.leaks.contains { $0.finding.needle == canary.needle.id }
    guard andCore, let core = dump() else { return }
    defer { Folder.remove(core) }
    look.planted["core"] =
      looker.look(at: core, as: "planted", place: "core").leaks
      .contains { $0.finding.needle == canary.needle.id }
  }

  private func lookAtCore(_ moment: String) {
    guard let core = dump() else { return }
    defer { Folder.remove(core) }
    var found = looker.look(at: core, as: "\(name)/\(moment)/core", place: "core")
    found.groups["core"] = Looker.inMemory
    found.leaks.removeAll { !Looker.inMemory.contains($0.group) }
    look.add(found)
  }

  private func dump() -> String? {
    let path = machine.root + "/core"
    do throws(Folder.Failure) {
      try CoreDump.write(driver.identifier, to: path)
      return path
    } catch {
      notes.append("no core could be made: error \(error.errno)")
      return nil
    }
  }

  /// Adds findings that are leaks for a reason of their own.
  func add(_ findings: [Finding], place: String, group: Canary.Group, because reason: String) {
    for var finding in findings {
      finding.suppressed = nil
      finding.message += ": \(reason)"
      look.leaks.append(Leak(place: place, group: group, finding: finding))
    }
  }

  func add(_ other: Look) { look.add(other) }

  /// Every file on the machine with its content, to see that nothing changed.
  func snapshot() -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for path in Folder.files(below: machine.store) where !path.hasSuffix("-shm") {
      files[path] = (try? Folder.read(path)) ?? []
    }
    return files
  }
}
