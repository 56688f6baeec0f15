import Bytes
package import Findings
import Glibc
package import RuleEngine
import Synchronization

/// The main job: walk, read, judge, merge, sort. The only place that starts tasks.
package struct Scanner: Sendable {
  /// Files are handed out in batches, so that small ones cost little bookkeeping.
  private static let batch = 16
  /// Excerpts that one report carries.
  private static let mostExcerpts = 20_000

  private let options: ScanOptions
  private let engine: Engine
  private let checks: CheckSet
  private let derivedKeys: DerivedKeys

  /// Why a scan could not start.
  package enum StartError: Error {
    case engine(Engine.BuildError)
    case control(PositiveControl.Failure)
    case missing(path: String, message: String)
  }

  package init(_ options: ScanOptions) throws(StartError) {
    self.options = options
    derivedKeys = DerivedKeys(of: options)
    do throws(Engine.BuildError) {
      engine = try Engine(
        rules: options.rules, needles: options.needles + derivedKeys.needles,
        reveals: options.reveals,
        allowsNothing: !options.checks.isEmpty || !options.storageRules.isEmpty)
    } catch {
      throw .engine(error)
    }
    checks = CheckSet(options.checks, lexicon: options.lexicon)
    do throws(PositiveControl.Failure) {
      try PositiveControl.run(with: Searcher(engine))
      try PositiveControl.run(with: checks, ofSource: false)
    } catch {
      throw .control(error)
    }
  }

  /// Scans everything the options name. Files are looked up while the engine is made: one waits for the
  /// disk, the other for the processor.
  package static func scan(
    _ options: ScanOptions, reporting progress: Progress
  ) async throws(StartError) -> Report {
    let start = Start()
    async let walked = walk(options)
    let scanner = try Scanner(options)
    return try await scanner.scan(walked, since: start, reporting: progress)
  }

  /// The same, one after the other.
  package func scan(reporting progress: Progress = Progress()) async throws(StartError) -> Report {
    try await scan(Self.walk(options), since: Start(), reporting: progress)
  }

  /// When a scan began.
  private struct Start {
    let clock = FileSystem.clock
    let time = Timestamp.now
  }

  private static func walk(_ options: ScanOptions) -> Result<Walk, Walk.MissingPath> {
    Result { () throws(Walk.MissingPath) in
      var walk = Walk(include: options.include, exclude: options.exclude)
      try walk.add(options.paths)
      return walk
    }
  }

  private func scan(
    _ walked: Result<Walk, Walk.MissingPath>, since start: Start, reporting progress: Progress
  ) async throws(StartError) -> Report {
    let walk: Walk
    do throws(Walk.MissingPath) {
      walk = try walked.get()
    } catch {
      throw .missing(path: error.path, message: error.message)
    }
    for process in options.processes where !FileSystem.exists(process: process) {
      throw .missing(
        path: "process \(process)", message: FileSystem.message(FileSystem.noSuchProcess))
    }
    let files = share(of: walk.files)
    progress.start(files: files.count, bytes: files.reduce(0) { $0 + $1.byteCount })
    var report = Report(
      toolVersion: Vestige.version,
      run: Report.Run(
        started: start.time, seconds: 0, status: 0, failOn: options.failOn, reveals: options.reveals
      ),
      scope: Report.Scope())
    report.run.allowed = options.allowed
    report.run.shard = options.shard
    report.run.fingerprintKey = options.fingerprintKey.name
    report.diagnostics = walk.diagnostics + derivedKeys.diagnostics
    var chance: [ChanceHit: Int] = [:]
    var results = CheckResults(checks)
    var sourceFiles = 0
    var shares = await outcomes(of: files, progress)
    let opened = openWithFoundKeys(&shares, files)
    var sum = OutcomeSum()
    while var share = shares.popLast() {
      for outcome in share.open { share.settled.add(outcome) }
      sum.add(share.settled)
      results.add(share.tally)
      sourceFiles += share.sourceFiles
      chance.merge(share.chance, uniquingKeysWith: +)
    }
    results.add(sum.waiting)
    if sourceFiles > 0 {
      do throws(PositiveControl.Failure) {
        try PositiveControl.run(with: checks, ofSource: true)
      } catch {
        throw .control(error)
      }
    }
    let (comments, scopes, dependencies) = (sum.comments, sum.scopes, sum.dependencies)
    report.add(consume sum)
    report.findings = StorageResults.fold(report.findings, of: options.storageRules)
    report.results += StorageResults.results(of: options, scopes, report.findings)
    results.finish(&report, roots: files.map(\.root), findings: maker)
    report.components = ComponentList(dependencies).components()
    addMemory(to: &report, &chance)
    report.findings += opened + NameSearch(engine, maker).findings(in: files)
    try finish(&report, files, chance, comments)
    if !opened.isEmpty { report.rules.append(FoundKeys.rule) }
    report.run.seconds = FileSystem.clock - start.clock
    return report
  }

  /// The memory of the processes that were named, one after the other.
  private func addMemory(to report: inout Report, _ chance: inout [ChanceHit: Int]) {
    guard !options.processes.isEmpty else { return }
    let task = ScanTask(
      searcher: Searcher(engine), judge: Judge(checks), limits: options.limits, keys: [])
    let findings = maker
    for process in options.processes {
      let scan = MemoryScan(
        task: task, process: process, name: "pid/\(process)", findings: findings)
      var sum = OutcomeSum()
      sum.add(scan.run())
      report.add(sum)
    }
    chance.merge(task.chance, uniquingKeysWith: +)
  }

  /// This machine's share: every n-th file, so that all shares are alike.
  private func share(of files: [WalkedFile]) -> [WalkedFile] {
    guard let shard = options.shard else { return files }
    return files.enumerated().filter { $0.offset % shard.count == shard.index - 1 }.map(\.element)
  }

  /// What one task brings back.
  private struct TaskShare: Sendable {
    /// What is as it will stay.
    var settled = OutcomeSum()
    /// What may change: large files, whose hash may be ready later, and what a key may open.
    var open: [FileOutcome] = []
    var chance: [ChanceHit: Int] = [:]
    var tally = Tally()
    var sourceFiles = 0
    /// Large files, by the index of their outcome.
    var large: [(Int, LargeFile)] = []

    mutating func add(_ outcome: FileOutcome) {
      if outcome.mayBeOpened { open.append(outcome) } else { settled.add(outcome) }
    }

    /// Ends a large file: all of it was read, and perhaps not yet hashed.
    mutating func finish(_ file: LargeFile, _ scan: FileScan, _ progress: Progress) {
      large.append((open.count, file))
      open.append(scan.finish(file))
      progress.advance(bytes: file.file.byteCount)
    }
  }

  private var maker: FindingMaker {
    FindingMaker(
      engine: engine, checks: checks, key: options.fingerprintKey,
      storageRules: options.storageRules)
  }

  /// What a task takes at a time.
  private enum Work: Sendable {
    case part(LargeFile, Int)
    case structure(LargeFile, share: Int)
    /// Files by their index.
    case files(ArraySlice<Int32>)
  }

  private func outcomes(of files: [WalkedFile], _ progress: Progress) async -> [TaskShare] {
    // Large files first: one that starts last would keep all other tasks waiting.
    var order = files.indices.filter { files[$0].sameAs == nil }.map(Int32.init)
    order.sort { one, other in
      let (one, other) = (files[Int(one)], files[Int(other)])
      let (large, alsoLarge) = (one.byteCount >> 22, other.byteCount >> 22)
      return large != alsoLarge ? large > alsoLarge : one.name < other.name
    }
    let large = order.prefix { files[Int($0)].byteCount >= options.limits.largeSize }
      .compactMap { LargeFile(files[Int($0)], limits: options.limits) }
    let work = Self.work(on: large, then: order[large.count...], of: files)
    let quiet = QuietContent()
    var shares = await outcomes(of: work, files, quiet, progress)
    // Structure that is read in shares waits until all of its file was searched.
    let rest = large.filter { $0.shareCount > 0 }.flatMap { file in
      (0..<file.shareCount).map { Work.structure(file, share: $0) }
    }
    if !rest.isEmpty { shares += await outcomes(of: rest, files, quiet, progress) }
    for share in shares.indices {
      for (index, file) in shares[share].large { file.complete(&shares[share].open[index]) }
    }
    return shares
  }

  private func outcomes(
    of work: [Work], _ files: [WalkedFile], _ quiet: QuietContent, _ progress: Progress
  ) async -> [TaskShare] {
    let next = Counter()
    let width = max(1, min(options.jobs, work.count))
    return await withTaskGroup { group in
      for _ in 0..<width {
        group.addTask { self.work(through: work, files, next, quiet, progress) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private static func work(
    on large: [LargeFile], then order: ArraySlice<Int32>, of files: [WalkedFile]
  ) -> [Work] {
    var work = large.flatMap { file in (0..<file.partCount).map { Work.part(file, $0) } }
    var start = order.startIndex
    while start < order.endIndex {
      // Files of some MiB are work enough each.
      let isSmall = files[Int(order[start])].byteCount < 1 << 22
      let end = min(start + (isSmall ? batch : 1), order.endIndex)
      work.append(.files(order[start..<end]))
      start = end
    }
    return work
  }

  /// One task's work: one thing after another until none is left.
  private func work(
    through work: [Work], _ files: [WalkedFile], _ next: Counter, _ quiet: QuietContent,
    _ progress: Progress
  ) -> TaskShare {
    let task = ScanTask(
      searcher: Searcher(engine), judge: Judge(checks), limits: options.limits,
      keys: options.keys, details: options.details, listsComponents: options.listsComponents,
      quiet: quiet)
    let findings = maker
    var share = TaskShare()
    while true {
      let index = next.take(1)
      guard index < work.count else { break }
      switch work[index] {
      case .part(let large, let index):
        let scan = FileScan(task: task, file: large.file, findings: findings)
        // Whoever ends the last part goes on with the file: nobody waits.
        let isLast = large.put(scan.search(part: index, of: large), at: index)
        guard isLast, large.shareCount == 0 else { continue }
        share.finish(large, scan, progress)
      case .structure(let large, let index):
        let scan = FileScan(task: task, file: large.file, findings: findings)
        let read = scan.readStructure(share: index, of: large)
        guard large.put(read, asShare: index) else { continue }
        share.finish(large, scan, progress)
      case .files(let indices):
        for file in indices.lazy.map({ files[Int($0)] }) {
          share.add(FileScan(task: task, file: file, findings: findings).run())
          progress.advance(bytes: file.byteCount)
        }
      }
    }
    share.chance = task.chance
    share.tally = task.judge.tally
    share.sourceFiles = task.sourceFiles
    return share
  }

  /// Reads encrypted databases once more with keys that were found in clear and open them.
  private func openWithFoundKeys(_ shares: inout [TaskShare], _ files: [WalkedFile]) -> [Finding] {
    let keys = shares.flatMap { $0.settled.keys + $0.open.flatMap(\.keys) }
    let found = FoundKeys(keys, maker: maker)
    guard !found.isEmpty else { return [] }
    var findings: [Finding] = []
    for share in shares.indices {
      for index in shares[share].open.indices where shares[share].open[index].mayBeOpened {
        guard let input = shares[share].open[index].input,
          let file = files.first(where: { $0.name == input.path })
        else { continue }
        let opening = found.opening(file)
        guard !opening.isEmpty else { continue }
        findings += opening.map { found.finding($0, opens: input.path) }
        let task = ScanTask(
          searcher: Searcher(engine), judge: Judge(checks), limits: options.limits,
          keys: options.keys + opening.map(\.key), details: options.details,
          listsComponents: options.listsComponents)
        shares[share].open[index] =
          FileScan(task: task, file: file, findings: maker).run()
      }
    }
    return findings
  }

  /// Lists the names under which nothing was read, since another leads to the same file.
  private func addHardLinks(among files: [WalkedFile], to report: inout Report) {
    let names = Set(files.compactMap(\.sameAs))
    guard !names.isEmpty else { return }
    let known = Dictionary(
      report.inputs.filter { names.contains($0.path) }.map { ($0.path, $0) },
      uniquingKeysWith: { first, _ in first })
    for file in files {
      guard let other = file.sameAs else { continue }
      report.inputs.append(
        InputRecord(
          path: file.name, bytes: file.byteCount, sha256: known[other]?.sha256, kind: "hard-link",
          encrypted: known[other]?.encrypted ?? .unknown, sameAs: other))
    }
  }

  /// Scope, order and status: everything that depends on the whole.
  private func finish(
    _ report: inout Report, _ files: [WalkedFile], _ chance: [ChanceHit: Int],
    _ comments: [SourceComment]
  ) throws(StartError) {
    addHardLinks(among: files, to: &report)
    report.scope.roots =
      options.paths.map { RawPath($0).description } + options.processes.map { "pid/\($0)" }
    report.scope.needles = engine.needles.count
    report.scope.forms = engine.formCount
    report.scope.rules = engine.rules.count + checks.checks.count + options.storageRules.count
    report.scope.chanceHits = chance.map { hit, seen in
      ChanceRecord(
        needle: engine.needles[hit.needle].id, form: hit.form, seen: seen,
        bits: engine.bits(of: hit), bytes: report.scope.bytes)
    }
    report.rules = engine.rules.map { rule in
      RuleDescription(
        id: rule.id, title: rule.title, severity: rule.severity, remedy: rule.remedy,
        controls: rule.controls)
    }
    report.rules += checks.checks.map { check in
      RuleDescription(
        id: check.id, title: check.title, severity: check.severity, remedy: check.remedy,
        controls: check.controls)
    }
    report.rules += options.storageRules.map { rule in
      RuleDescription(
        id: rule.id, title: rule.title, severity: rule.severity, remedy: rule.remedy,
        controls: rule.controls)
    }
    if options.heedsComments { report.mark(comments) }
    if let book = options.advisories {
      report.judgeComponents(by: book, options.fingerprintKey)
    }
    if !options.reveals {
      do throws(LiteralDatabase.CompileError) {
        try Veil(engine, besides: options.secrets).cover(&report)
      } catch {
        throw .engine(.compile(message: error.message))
      }
    }
    report.sort()
    report.dropExcerpts(after: Self.mostExcerpts)
    report.run.status = report.judgement
  }
}

extension Report {
  /// Keeps the excerpts of the first findings only.
  fileprivate mutating func dropExcerpts(after count: Int) {
    var left = count
    for index in findings.indices where findings[index].excerpt != nil {
      if left > 0 { left -= 1 } else { findings[index].excerpt = nil }
    }
  }
}

extension Scanner.StartError: Explained {
  package var problem: String {
    switch self {
    case .engine(let error): error.problem
    case .control(let failure): failure.problem
    case .missing(let path, let message): "\(path): \(message)"
    }
  }

  package var remedy: String {
    switch self {
    case .engine(let error): error.remedy
    case .control(let failure): failure.remedy
    case .missing: "name a file, folder or process that exists"
    }
  }
}

/// Hands out numbers to tasks.
private final class Counter: Sendable {
  private let value = Atomic(0)

  func take(_ count: Int) -> Int {
    value.add(count, ordering: .relaxed).oldValue
  }
}
