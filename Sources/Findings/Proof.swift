/// What `vestige prove` has to say of a store: every scenario it was driven through, and what each left.
package struct Proof: Equatable, Sendable {
  /// The command that drives the store.
  package var driver: String
  /// What the driver calls its store.
  package var store: String
  /// Chooses the canaries and the sampled points: the same seed gives the same run.
  package var seed: UInt64
  /// Whether every point was tried, not a sample.
  package var isExhaustive: Bool
  package var scenarios: [Scenario] = []
  package var mutants: [Mutant] = []
  /// Of every canary its id and kind, never its value.
  package var canaries: [Canary] = []

  package init(driver: String, store: String, seed: UInt64, isExhaustive: Bool) {
    self.driver = driver
    self.store = store
    self.seed = seed
    self.isExhaustive = isExhaustive
  }

  /// What a look at one place, or at the store after a fault, came to; the worst is the last.
  package enum Verdict: String, CaseIterable, Sendable, Comparable {
    /// Nothing protected was found, everything committed was there.
    case clean
    /// The driver does not do this, or the system does not let it be looked at.
    case skipped
    /// The driver died, hung or answered something else.
    case noAnswer = "no-answer"
    /// A canary was found in clear.
    case leaked
    /// Something of another profile was given out or changed.
    case wrongProfile = "wrong-profile"
    /// Neither the old nor the new state, or nobody can say which.
    case undecidable
    /// What was committed is gone.
    case lost

    package static func < (one: Verdict, other: Verdict) -> Bool {
      (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }

    /// Whether the store came out well, as far as it was looked at.
    package var isGood: Bool { self == .clean || self == .skipped }
  }

  /// A part of a store's life, undisturbed or with faults at many points of it.
  package struct Scenario: Equatable, Sendable {
    /// As `--scenario` takes it.
    package var name: String
    package var title: String
    package var verdict: Verdict = .clean
    /// Why it was not run, or what of it was not looked at.
    package var notes: [String] = []
    /// Points at which the store was killed for real.
    package var kills = 0
    /// Disks rebuilt as a loss of power could have left them.
    package var images = 0
    /// Calls of the system that were made to fail or to do half.
    package var errors = 0
    /// Points there would be if all were tried.
    package var population = 0
    package var seconds = 0.0
    package var cells: [Cell] = []
    /// What went wrong, in order; at most as many as a report can use.
    package var failures: [Failure] = []
    /// How many there were.
    package var failureCount = 0

    package init(name: String, title: String) {
      self.name = name
      self.title = title
    }
  }

  /// One place, one group of canaries: a field of the matrix.
  package struct Cell: Equatable, Sendable {
    /// `files`, `temporary`, `keys`, `writes`, `output`, `memory`, `core`, `backup`.
    package var place: String
    /// `values`, `deleted`, `passwords`, `keys`, `names`, …
    package var canaries: String
    package var verdict: Verdict
    /// Bytes that were searched.
    package var bytes: Int
    /// Whether a leak planted in a copy of the place was found in the same run; `nil` where none was
    /// planted, since the place itself leaks.
    package var foundPlanted: Bool?
    /// Findings of the report, by fingerprint.
    package var findings: [String]

    package init(
      place: String, canaries: String, verdict: Verdict, bytes: Int, foundPlanted: Bool?,
      findings: [String] = []
    ) {
      self.place = place
      self.canaries = canaries
      self.verdict = verdict
      self.bytes = bytes
      self.foundPlanted = foundPlanted
      self.findings = findings
    }
  }

  /// One thing that went wrong, and how to see it again.
  package struct Failure: Equatable, Sendable {
    /// Number of the point, for `--point`.
    package var point: Int?
    /// What was done to the store there: `killed before write 131, to store.db`.
    package var fault: String
    package var verdict: Verdict
    package var message: String
    /// The command that does it again.
    package var reproduce: String

    package init(
      point: Int?, fault: String, verdict: Verdict, message: String, reproduce: String
    ) {
      self.point = point
      self.fault = fault
      self.verdict = verdict
      self.message = message
      self.reproduce = reproduce
    }
  }

  /// The store with one protective call left out: the proof must notice.
  package struct Mutant: Equatable, Sendable {
    /// `no fsync of spaces/…/keys`.
    package var name: String
    package var isCaught: Bool
    /// Where it was noticed, or why leaving the call out makes no difference.
    package var detail: String

    package init(name: String, isCaught: Bool, detail: String) {
      self.name = name
      self.isCaught = isCaught
      self.detail = detail
    }
  }

  package struct Canary: Equatable, Sendable {
    package var id: String
    package var kind: String
    package var canaries: String

    package init(id: String, kind: String, canaries: String) {
      self.id = id
      self.kind = kind
      self.canaries = canaries
    }
  }

  package var kills: Int { scenarios.reduce(0) { $0 + $1.kills } }
  package var images: Int { scenarios.reduce(0) { $0 + $1.images } }
  package var errors: Int { scenarios.reduce(0) { $0 + $1.errors } }
  package var failureCount: Int { scenarios.reduce(0) { $0 + $1.failureCount } }
}
