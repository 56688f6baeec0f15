/// What a database, a write-ahead log or a journal is made of, in the order in which it lies: runs of
/// pages that are alike. Reports draw it; a map of a million pages takes no more room than one of ten.
package struct StorageLayout: Equatable, Sendable {
  /// What is counted.
  package enum Unit: String, CaseIterable, Sendable {
    /// Pages of a database.
    case page
    /// Frames of a write-ahead log, in the order in which they were written.
    case frame
    /// Records of a rollback journal.
    case record
  }

  /// Neighbours that are alike.
  package struct Run: Equatable, Sendable {
    /// The first page, frame or record, from 1.
    package var first: Int
    package var count: Int
    /// What the pages are: `table-leaf`, `freelist-leaf`, `ciphertext`; of frames their state.
    package var role: String
    package var liveness: Liveness
    /// The table or index that they belong or belonged to.
    package var owner: String?
    /// Bytes that are part of the content, in all pages of the run.
    package var liveBytes = 0
    /// Bytes that are not zero and that nothing live uses: where something could still lie.
    package var deadBytes = 0
    /// Shannon entropy in bits a byte, the mean of the pages.
    package var entropy = 0.0
    /// Generation of the log, from 1 in the order of their first frames.
    package var generation: Int?
    /// Frames of the run that end a transaction.
    package var commits = 0
    /// Runs that differ were joined, since there were too many; the role is that of most pages.
    package var isMixed = false

    package init(
      first: Int, count: Int = 1, role: String, liveness: Liveness, owner: String? = nil
    ) {
      self.first = first
      self.count = count
      self.role = role
      self.liveness = liveness
      self.owner = owner
    }
  }

  /// More runs than this are joined with their neighbours.
  package static let mostRuns = 512

  package var unit: Unit
  /// Bytes of a page.
  package var pageSize: Int
  package private(set) var runs: [Run] = []
  /// Bytes and entropy were taken from some pages of each long run, and stand for all of it.
  package var isSampled = false
  /// Pages that a run spans at least, once runs had to be joined.
  private var grain = 1

  package init(_ unit: Unit, pageSize: Int) {
    self.unit = unit
    self.pageSize = pageSize
  }

  /// A layout that was written down; its runs follow one another.
  package init(_ unit: Unit, pageSize: Int, runs: [Run]) {
    self.init(unit, pageSize: pageSize)
    self.runs = runs
  }

  /// Pages, frames or records in all.
  package var count: Int { runs.last.map { $0.first + $0.count - 1 } ?? 0 }

  /// Adds what comes next.
  package mutating func append(_ run: Run) {
    if let last = runs.last, last.isLike(run) || last.count < grain {
      runs[runs.count - 1].absorb(run)
    } else {
      runs.append(run)
    }
    while runs.count > Self.mostRuns { coarsen() }
  }

  /// Halves the number of runs by joining short ones with what follows them.
  private mutating func coarsen() {
    grain = max(grain * 2, count / Self.mostRuns)
    var joined: [Run] = []
    for run in runs {
      if let last = joined.last, last.isLike(run) || last.count < grain {
        joined[joined.count - 1].absorb(run)
      } else {
        joined.append(run)
      }
    }
    runs = joined
  }
}

extension StorageLayout.Run {
  /// Whether both can be one run.
  fileprivate func isLike(_ other: Self) -> Bool {
    role == other.role && liveness == other.liveness && owner == other.owner
      && generation == other.generation
  }

  /// Joins a run with the one behind it.
  fileprivate mutating func absorb(_ next: Self) {
    let total = Double(count + next.count)
    entropy = (entropy * Double(count) + next.entropy * Double(next.count)) / total
    if !isLike(next) {
      isMixed = true
      if next.count > count {
        role = next.role
        liveness = next.liveness
        owner = next.owner
        generation = next.generation
      }
    }
    count += next.count
    liveBytes += next.liveBytes
    deadBytes += next.deadBytes
    commits += next.commits
    isMixed = isMixed || next.isMixed
  }
}
