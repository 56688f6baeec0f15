import Bytes
package import Findings
package import RuleEngine
package import SQLiteFormat

/// What a scan is asked to do: the value a command parses and the scanner takes.
package struct ScanOptions: Sendable {
  /// Files and folders, as given.
  package var paths: [String] = []
  /// Processes whose memory is scanned too.
  package var processes: [Int32] = []
  package var rules: [Rule] = []
  package var checks: [Check] = []
  /// Which names checks take for sensitive.
  package var lexicon = Lexicon()
  package var storageRules: [StorageRule] = []
  package var needles: [Needle] = []
  package var include: [Glob] = []
  package var exclude: [Glob] = []
  /// Findings from this severity on fail the run; nothing fails it where it is `nil`.
  package var failOn: Severity? = .medium
  /// Kinds of diagnostics that do not make a run incomplete.
  package var allowed: Set<Diagnostic.Code> = []
  package var reveals = false
  /// Whether suppression comments in source count.
  package var heedsComments = true
  /// Whether dependencies are listed as components: for a bill of materials, or because advisories are
  /// given.
  package var listsComponents = false
  /// What is known against dependencies; nothing where no advisories were given.
  package var advisories: AdvisoryBook?
  /// Database keys to try on what is encrypted.
  package var keys: [DatabaseKey] = []
  /// Tasks at the same time.
  package var jobs = 1
  package var limits = Limits()
  /// This machine's share of the inputs, `index` from 1 of `count`.
  package var shard: Report.Shard?
  package var fingerprintKey: FingerprintKey = .published
  /// What the reports of this scan show beyond findings and scope.
  package var details: Report.Detail = []

  package init() {}

  /// What was given in confidence besides needles, as it would stand in a text.
  var secrets: [[UInt8]] {
    var secrets: [[UInt8]] = []
    for key in keys {
      switch key.material {
      case .raw(let key), .rawWithSalt(let key, _), .rawWithHMACKey(let key, _, _):
        secrets.append(Array(key.hexadecimal.utf8))
      case .passphrase(let passphrase, _):
        secrets.append(passphrase)
      // What was replaced is never the material itself.
      case .old: continue
      }
    }
    if case .secret(let key) = fingerprintKey { secrets.append(key) }
    return secrets
  }

  /// What ends the reading of one outer file.
  package struct Limits: Sendable, Equatable {
    /// How deep containers and encodings may nest.
    package var depth = 16
    /// How many bytes may come out of decoding and decompressing one outer file.
    package var expansion = 4 << 30
    /// Places of one rule or needle in one outer file that are listed.
    package var places = 5_000
    /// Seconds for one outer file.
    package var seconds = 300.0
    /// Members up to this size are read in their structure; larger ones as they lie.
    package var memberSize = 24 << 20
    /// The same for programs: an app's own is most often larger than anything else in its archive.
    package var programSize = 64 << 20
    /// Outer files from this size on are searched part by part, by as many tasks as there are.
    package var largeSize = 64 << 20
    /// Size of a part: a multiple of 64 KiB.
    package var partSize = 4 << 20

    package init() {}
  }
}
