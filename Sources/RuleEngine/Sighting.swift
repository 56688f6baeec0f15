/// A rule or needle was seen in searched bytes, and every check of it passed.
package struct Sighting: Sendable, Equatable {
  /// What was seen, by index in the engine's lists.
  package enum Subject: Hashable, Sendable {
    case rule(Int)
    case needle(Int)
  }

  package var subject: Subject
  /// Form of a needle.
  package var form: String?
  /// Where the value lies in the searched bytes.
  package var range: Range<Int>
  /// The value, masked.
  package var sample: String
  /// SHA-256 of the value, from which fingerprints are made; never printed itself.
  package var digest: [UInt8]
  /// The value in clear, only when asked for.
  package var revealed: String?
  /// What a rule found, as long as its file is scanned: a name that holds it must not show it. Never
  /// printed, and empty where it is longer than names are.
  package var plain: [UInt8] = []

  /// Longer values do not stand in names.
  static let mostPlain = 4_096
}

/// What one search brought up.
package struct SearchOutcome: Sendable {
  package var sightings: [Sighting] = []
  /// Places worth a look at their structure: literals seen, whether or not they counted as they lie.
  package var touched: [Range<Int>] = []
  /// The same where what stands beside the value says nothing more of it: a needle is known by itself.
  package var touchedValues: [Range<Int>] = []
  /// Runs of one alphabet that may be glued to the field before: only the structure shows where the
  /// value starts.
  package var touchedRuns: [Range<Int>] = []
  /// Runs that look like encoded text or an encoded file.
  package var encoded: [EncodedRun] = []
  /// Weak forms that were seen without the context they need, and where they start.
  package var chance: [(hit: ChanceHit, start: Int)] = []
  /// Patterns given up at their bound on backtracking.
  package var abandoned = 0

  package init() {}

  package mutating func removeAll() {
    sightings.removeAll(keepingCapacity: true)
    touched.removeAll(keepingCapacity: true)
    touchedValues.removeAll(keepingCapacity: true)
    touchedRuns.removeAll(keepingCapacity: true)
    encoded.removeAll(keepingCapacity: true)
    chance.removeAll(keepingCapacity: true)
    abandoned = 0
  }
}

/// A run of base64 or hexadecimal characters whose first bytes decode to text or a known signature.
package struct EncodedRun: Equatable, Sendable {
  package enum Encoding: String, Sendable {
    case base64, hex
  }

  package var encoding: Encoding
  package var range: Range<Int>

  package init(encoding: Encoding, range: Range<Int>) {
    self.encoding = encoding
    self.range = range
  }
}

/// A weak form of a needle: short enough to be seen by chance.
package struct ChanceHit: Hashable, Sendable {
  package var needle: Int
  package var form: String

  package init(needle: Int, form: String) {
    self.needle = needle
    self.form = form
  }
}
