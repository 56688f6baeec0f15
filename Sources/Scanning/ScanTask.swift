import Bytes
import Findings
import Formats
import RuleEngine
import SQLiteFormat

/// What one task holds from file to file: its searcher, its buffers, and the account of the outer
/// file that it reads now.
final class ScanTask {
  let searcher: Searcher
  let judge: Judge
  let limits: ScanOptions.Limits

  /// The outer file, as reports name it.
  private(set) var path = ""
  /// The named path that it lies below.
  private(set) var root = "."
  private var deadline = Double.infinity
  private var reported: Set<Diagnostic.Code> = []
  private(set) var diagnostics: [Diagnostic] = []
  var fragments = 0
  var expanded = 0
  private(set) var chance: [ChanceHit: Int] = [:]
  private var beside: (String) -> (any ByteSource)? = { _ in nil }

  /// How many source files were met, whether or not they were worth parsing.
  private(set) var sourceFiles = 0
  /// Contents that need not be read again; nothing where every file is to be read.
  let quiet: QuietContent?
  /// How often something was noted or asked for that is not in the bytes of the outer file alone, or that
  /// a copy of it would bring up again.
  private var noted = 0
  var traces: Int { noted + judge.decisions }
  /// Whether any check in effect looks at source.
  let auditsSource: Bool
  /// Whether one looks at tests and mocks too.
  let auditsTests: Bool
  /// Finds words of which one stands in every source file that a check could find something in.
  private lazy var triggers = try? TriggerWords(judge.set)

  /// Those words that stand in the bytes; nothing where it cannot be told.
  func triggers(in bytes: [UInt8]) -> Set<String>? { triggers?.words(in: bytes.span.bytes) }

  func hasTrigger(_ bytes: [UInt8]) -> Bool { triggers?.isIn(bytes.span.bytes) ?? true }

  /// How many rulings of each check were kept of the outer file.
  private var rulings: [Int: Int] = [:]

  /// Whether one more ruling of a check is kept: a hostile file must not drown the report.
  func keepsRuling(of check: Int) -> Bool {
    rulings[check, default: 0] += 1
    if judge.set.checks[check].isOnce { return rulings[check, default: 0] <= Self.mostOfOnce }
    guard rulings[check, default: 0] > Self.mostRulings else { return true }
    reportOnce(
      .limitCount,
      "more than \(Self.mostRulings) findings of \(judge.set.checks[check].id) in this file",
      remedy: "correct the first ones and check again", steps: [])
    return false
  }

  private static let mostRulings = 500
  /// Of a check that is told once a unit a file needs to bring few.
  private static let mostOfOnce = 8

  /// Dependencies that the outer file states, where a bill of materials is wanted.
  private(set) var dependencies: [ComponentList.Statement] = []
  let listsComponents: Bool

  func note(_ dependency: ComponentList.Statement) {
    noted += 1
    guard dependencies.count < Self.mostDependencies else { return }
    dependencies.append(dependency)
  }

  private static let mostDependencies = 50_000

  /// What was seen in the outer file.
  private(set) var places = SeenPlaces()

  /// How the bytes that are searched at this time came out of the outer file.
  private(set) var view = SeenPlaces.View.raw

  /// Searches what came out of what is searched at this time.
  func viewing<Result>(_ way: SeenPlaces.Way, _ body: () -> Result) -> Result {
    let outer = view
    view = view.inside(way)
    defer { view = outer }
    return body()
  }

  /// Counts a place of a rule or a needle; false where enough of them are kept.
  func keepsPlace(_ subject: Sighting.Subject) -> Bool {
    if places.keep(subject, in: view, atMost: limits.places) { return true }
    // The file is not a quiet one.
    noted += 1
    return false
  }

  /// The same for a place that a part of the file kept.
  func keepsPlace(of part: SourceScan.Sight) -> Bool {
    places.keepAgain(part.sighting.subject, in: part.view, atMost: limits.places)
  }

  private var spareOutcomes: [SearchOutcome] = []

  /// Database keys to try on what is encrypted.
  let keys: [DatabaseKey]
  /// Excerpts that may still be taken from the outer file; 0 where no report shows them.
  var excerptsLeft = 0
  private let excerptsPerFile: Int

  /// Whether files that no reader knows are named by libmagic, which is slower than searching them.
  let namesKinds: Bool

  init(
    searcher: Searcher, judge: Judge, limits: ScanOptions.Limits, keys: [DatabaseKey],
    details: Report.Detail = [], listsComponents: Bool = false, namesKinds: Bool = true,
    quiet: QuietContent? = nil
  ) {
    self.quiet = quiet
    self.listsComponents = listsComponents
    self.namesKinds = namesKinds
    self.searcher = searcher
    self.judge = judge
    auditsTests = judge.set.checks.contains { $0.kind == .source && $0.looksAtTests }
    auditsSource = judge.set.checks.contains { $0.kind == .source }
    self.limits = limits
    self.keys = keys
    excerptsPerFile = details.contains(.excerpts) ? Self.mostExcerpts : 0
  }

  private static let mostExcerpts = 500

  /// Reads a file beside the outer one.
  func sibling(_ suffix: String) -> (any ByteSource)? {
    noted += 1
    return beside(suffix)
  }

  /// Nothing where copies are not asked for.
  func digest(ofMember bytes: [UInt8]) -> [UInt8]? {
    quiet == nil ? nil : SHA256.digest(of: bytes.span.bytes)
  }

  func noteChance(_ hit: ChanceHit) {
    noted += 1
    chance[hit, default: 0] += 1
  }

  func noteSourceFile() {
    noted += 1
    sourceFiles += 1
  }

  /// What was counted and told of an outer file while a part of it was read.
  struct Account: Sendable {
    var diagnostics: [Diagnostic] = []
    var reported: Set<Diagnostic.Code> = []
    var expanded = 0
    var fragments = 0
    var dependencies: [ComponentList.Statement] = []
    var places = SeenPlaces()
  }

  /// The account so far; `fragments` are those before it.
  func account(since fragments: Int) -> Account {
    Account(
      diagnostics: diagnostics, reported: reported, expanded: expanded,
      fragments: self.fragments - fragments, dependencies: dependencies, places: places)
  }

  /// Adds the account of a part to that of its file.
  func add(_ part: Account) {
    for diagnostic in part.diagnostics {
      // What is told once a file is told once, however many of its parts would.
      let isKnown = part.reported.contains(diagnostic.code) && reported.contains(diagnostic.code)
      guard !isKnown, diagnostics.count(where: { $0.code == diagnostic.code }) < Self.mostPerCode
      else { continue }
      diagnostics.append(diagnostic)
    }
    reported.formUnion(part.reported)
    expanded += part.expanded
    fragments += part.fragments
    for dependency in part.dependencies { note(dependency) }
    places.addSeen(of: part.places)
  }

  /// Starts the account of an outer file.
  ///
  /// - Parameter started: when its reading began, where that was before.
  func begin(
    _ path: String, below root: String, since started: Double = FileSystem.clock,
    full: Set<SeenPlaces.Key> = [], sibling: @escaping (String) -> (any ByteSource)?
  ) {
    self.path = path
    self.root = root
    rulings.removeAll(keepingCapacity: true)
    places = SeenPlaces(full: full)
    dependencies.removeAll()
    beside = sibling
    deadline = started + limits.seconds
    reported.removeAll()
    diagnostics.removeAll()
    expanded = 0
    excerptsLeft = excerptsPerFile
  }

  var isLate: Bool { FileSystem.clock > deadline }

  private var ignoresDamage = false

  /// Reads what may be a part of a file, as a dump in a text shows it, or spoiled by decoding what only
  /// looked encoded: that it is damaged says nothing of the evidence.
  func ignoringDamage(_ body: () -> Void) {
    let outer = ignoresDamage
    ignoresDamage = true
    body()
    ignoresDamage = outer
  }

  func report(_ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String]) {
    noted += 1
    if ignoresDamage, code == .formatDamaged { return }
    // A hostile file must not drown the report: each kind is told at most this often a file.
    let already = diagnostics.count { $0.code == code }
    guard already < Self.mostPerCode else { return }
    if already == Self.mostPerCode - 1 {
      diagnostics.append(
        Diagnostic(
          path: path, locator: path, code: code, message: "more of the same kind in this file",
          remedy: remedy))
      return
    }
    diagnostics.append(
      Diagnostic(
        path: path, locator: Locator(file: path).inside(steps).description, code: code,
        // Some of it may be what a library says, with words from the file.
        message: MemberName.shown(message, atMost: 1_024), remedy: remedy))
  }

  private static let mostPerCode = 100

  func reportOnce(_ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String]) {
    guard reported.insert(code).inserted else { return }
    report(code, message, remedy: remedy, steps: steps)
  }

  /// Memory for the outcome of a search; nested sources search while an outer one is being judged.
  func takeOutcome() -> SearchOutcome {
    spareOutcomes.popLast() ?? SearchOutcome()
  }

  func returnOutcome(_ outcome: consuming SearchOutcome) {
    outcome.removeAll()
    spareOutcomes.append(outcome)
  }
}
