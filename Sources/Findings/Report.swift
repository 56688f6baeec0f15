import Glibc

/// Everything a run has to say: what was looked at, what was found, what could not be read.
package struct Report: Equatable, Sendable {
  package var toolVersion: String
  package var run: Run
  package var scope: Scope
  package var inputs: [InputRecord] = []
  package var findings: [Finding] = []
  package var results: [RuleResult] = []
  package var diagnostics: [Diagnostic] = []
  package var notes: [Note] = []
  /// What the inputs are built from, as far as files in them say it.
  package var components: [Component] = []
  /// The rules in effect, by id, for formats that describe them.
  package var rules: [RuleDescription] = []
  /// The standards whose clauses the rules name, for formats that say what a run means for them.
  package var standards: [Standard] = []
  /// The language that formats for people are written in.
  package var language = Language.english
  /// What a store left when it was driven through its life; only `vestige prove` has this.
  package var proof: Proof?

  package init(toolVersion: String, run: Run, scope: Scope) {
    self.toolVersion = toolVersion
    self.run = run
    self.scope = scope
  }

  /// What some formats show and others have no use for, so that it is gathered only when asked for.
  package struct Detail: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// The bytes around each finding.
    package static let excerpts = Detail(rawValue: 1)
    /// The standards whose clauses the rules name.
    package static let standards = Detail(rawValue: 2)
  }

  /// How and when.
  package struct Run: Equatable, Sendable {
    /// ISO 8601, UTC.
    package var started: String
    package var seconds: Double
    package var status: Int32
    /// The threshold, or nothing for `never`.
    package var failOn: Severity?
    package var reveals: Bool
    /// Kinds of diagnostics that do not make the run incomplete.
    package var allowed: Set<Diagnostic.Code> = []
    /// Name of the policy and path of the baseline in effect.
    package var policy: String?
    package var baseline: String?
    /// Which share of the inputs this was, where it was one of several.
    package var shard: Shard?
    /// Which key the fingerprints were made with: its own fingerprint, or `published`.
    package var fingerprintKey = "published"

    package init(
      started: String, seconds: Double, status: Int32, failOn: Severity?, reveals: Bool
    ) {
      self.started = started
      self.seconds = seconds
      self.status = status
      self.failOn = failOn
      self.reveals = reveals
    }
  }

  /// One machine's share of a run, `index` from 1 to `count`.
  package struct Shard: Hashable, Sendable, CustomStringConvertible {
    package var index: Int
    package var count: Int

    package init(index: Int, count: Int) {
      self.index = index
      self.count = count
    }

    package var description: String { "\(index)/\(count)" }
  }

  /// What was looked at.
  package struct Scope: Equatable, Sendable {
    package var roots: [String] = []
    package var files = 0
    package var bytes = 0
    package var fragments = 0
    package var needles = 0
    package var forms = 0
    package var rules = 0
    /// Short forms of needles seen without the context they need to count.
    package var chanceHits: [ChanceRecord] = []

    package init() {}
  }
}

/// A form so short that chance shows it: how often it was seen, and how often chance would.
package struct ChanceRecord: Equatable, Sendable {
  package var needle: String
  package var form: String
  package var seen: Int
  /// Expected number of hits in random data of the size scanned.
  package var expected: Double
  /// How many random bits the form holds.
  package var bits: Double

  package init(needle: String, form: String, seen: Int, expected: Double, bits: Double) {
    self.needle = needle
    self.form = form
    self.seen = seen
    self.expected = expected
    self.bits = bits
  }

  /// The same for `bytes` scanned.
  package init(needle: String, form: String, seen: Int, bits: Double, bytes: Int) {
    self.init(
      needle: needle, form: form, seen: seen, expected: Double(bytes) * exp2(-bits), bits: bits)
  }
}

/// One file that was read.
package struct InputRecord: Equatable, Sendable {
  package enum Encrypted: String, CaseIterable, Sendable {
    case no, yes, mixed, unknown
  }

  package var path: String
  package var bytes: Int
  package var kind: String
  /// Another name of the same file, under which it was read.
  package var sameAs: String?
  /// One or none: of most files none, which takes no room.
  private var layouts: [StorageLayout] = []
  private var hash: StoredHash
  package var encrypted: Encrypted

  /// Hexadecimal; nothing where the file could not be read to its end.
  package var sha256: String? {
    get { hash.text }
    set { hash = StoredHash(text: newValue) }
  }

  package var isHashed: Bool { hash != .none }

  /// What a database, log or journal is made of.
  package var layout: StorageLayout? {
    get { layouts.first }
    set { layouts = newValue.map { [$0] } ?? [] }
  }

  package init(
    path: String, bytes: Int, sha256: String?, kind: String, encrypted: Encrypted,
    sameAs: String? = nil
  ) {
    self.path = path
    self.bytes = bytes
    hash = StoredHash(text: sha256)
    self.kind = kind
    self.encrypted = encrypted
    self.sameAs = sameAs
  }

  /// Keeps a hash that was just made.
  package mutating func setHash(_ digest: [UInt8]?) { hash = StoredHash(bytes: digest) }
}

/// What a checklist rule decided for a path.
package struct RuleResult: Equatable, Sendable {
  package enum Outcome: String, CaseIterable, Sendable {
    case pass, fail, notEvaluated
  }

  package var rule: String
  package var path: String
  package var outcome: Outcome
  package var reason: String

  package init(rule: String, path: String, outcome: Outcome, reason: String) {
    self.rule = rule
    self.path = path
    self.outcome = outcome
    self.reason = reason
  }
}

/// A rule as reports describe it.
package struct RuleDescription: Equatable, Sendable {
  package var id: String
  package var title: String
  package var severity: Severity
  package var remedy: String
  package var controls: [String]

  package init(id: String, title: String, severity: Severity, remedy: String, controls: [String]) {
    self.id = id
    self.title = title
    self.severity = severity
    self.remedy = remedy
    self.controls = controls
  }
}
