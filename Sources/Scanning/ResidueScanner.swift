import Bytes
package import Findings
package import RuleEngine
package import SQLiteFormat

/// A scanner that is used over and over, on one thread: the proof looks at thousands of small folders.
package final class ResidueScanner {
  /// What one look brought up.
  package struct Outcome: Sendable {
    package var findings: [Finding] = []
    package var diagnostics: [Diagnostic] = []
    package var files = 0
    package var bytes = 0

    package init() {}

    mutating func add(_ outcome: FileOutcome) {
      findings += outcome.findings
      diagnostics += outcome.diagnostics
      files += 1
      bytes += outcome.input?.bytes ?? 0
    }
  }

  package let engine: Engine
  private let searcher: Searcher
  private let task: ScanTask
  private let limits: ScanOptions.Limits
  private let maker: FindingMaker
  /// Residue is searched for values, not decided on by checklist rules.
  private let judge = Judge(CheckSet([], lexicon: Lexicon()))

  package init(_ engine: Engine, limits: ScanOptions.Limits = ScanOptions.Limits()) {
    self.engine = engine
    self.limits = limits
    searcher = Searcher(engine)
    task = ScanTask(searcher: searcher, judge: judge, limits: limits, keys: [], namesKinds: false)
    maker = FindingMaker(engine: engine, checks: judge.set, key: .published)
  }

  /// Everything below a folder, or one file. Findings name paths below `name`.
  package func scan(_ path: String, as name: String, keys: [DatabaseKey] = []) -> Outcome {
    var outcome = Outcome()
    var walk = Walk(include: [], exclude: [])
    do throws(Walk.MissingPath) { try walk.add([path]) } catch { return outcome }
    outcome.diagnostics = walk.diagnostics
    let task =
      keys.isEmpty
      ? task
      : ScanTask(searcher: searcher, judge: judge, limits: limits, keys: keys, namesKinds: false)
    for file in walk.files where file.sameAs == nil {
      let shown = name.isEmpty ? file : file.named(name + "/" + file.name)
      outcome.add(FileScan(task: task, file: shown, findings: maker).run())
    }
    return outcome
  }

  /// The memory of a process, as ``MemoryScan`` reads it.
  package func scan(process: Int32, as name: String) -> Outcome {
    var outcome = Outcome()
    outcome.add(MemoryScan(task: task, process: process, name: name, findings: maker).run())
    return outcome
  }
}
