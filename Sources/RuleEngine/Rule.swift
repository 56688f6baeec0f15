package import Findings

/// One check: what it looks for, how sure it must be, what it weighs and what to do about a hit.
///
/// A rule of kind `pattern` is found in two steps. Its *anchors* (literals, one of which lies in every
/// match) or its *run* (a stretch of one alphabet) are looked for in all bytes at once; only where one
/// is seen does the pattern itself run, in a small window.
package struct Rule: Equatable, Sendable {
  /// `<pack>.<rule>`, the path of its file below `packs/`.
  package var id: String
  package var title: String
  package var severity: Severity
  /// The severity in source code: what a programmer wrote there is most often a sample.
  package var severityInCode: Severity?
  package var remedy: String
  package var controls: [String] = []
  package var references: [String] = []
  package var profiles: [String] = []

  package var pattern = ""
  package var ignoresCase = false
  /// Literals, at least one of which lies in every match.
  package var anchors: [[UInt8]] = []
  package var run: Run?
  /// What finds values that no pattern can say.
  package var finder: Finder?
  /// How far before the anchor a match may start, in bytes.
  package var lookback = 256
  /// Name of the verifier that the secret must pass.
  package var checksum: String?
  /// Least Shannon entropy of the secret, in bits a byte.
  package var entropy: Double?
  /// One of these words must stand near.
  package var context: [String] = []
  /// How near, in bytes.
  package var within = 60
  package var contextAfter = false
  /// With one of these words in its name it is something else.
  package var contextNot: [String] = []
  /// Near one of these words it is something else, whatever its name.
  package var blockNot: [String] = []
  /// Whether it counts only as the whole value of a field.
  package var wantsField = false
  /// Patterns of secrets that are known not to be one.
  package var not: [String] = []
  /// The same of what people write, which does not hold for what looks generated.
  package var textNot: [String] = []
  package var knownBy = Knowledge.itself
  /// Rules that know the same value better, where `knownBy` does not say so.
  package var givesWayTo: [String] = []

  package var examples = Examples()

  /// A stretch of one alphabet, `minimum` to `maximum` bytes long.
  package struct Run: Equatable, Sendable {
    package var alphabet: Alphabet
    package var minimum: Int
    package var maximum: Int
  }

  /// How the rule knows its values, the surest first.
  package enum Knowledge: String, CaseIterable, Comparable, Sendable {
    /// By their shape or checksum, or by words that say whose they are.
    case itself
    /// By what stands around them, whatever they are: an address, a header, a settings file.
    case place
    /// By a general name before them.
    case name

    package static func < (one: Knowledge, other: Knowledge) -> Bool {
      switch (one, other) {
      case (.itself, .place), (.itself, .name), (.place, .name): true
      default: false
      }
    }
  }

  /// What finds values by how their bytes depend on each other.
  package enum Finder: String, CaseIterable, Sendable {
    case aesKeySchedule = "aes-key-schedule"
  }

  package enum Alphabet: String, CaseIterable, Sendable {
    case hex, base64, base32, digits, alnum
  }

  /// The rule's own tests: every `match` must be found, no `clean` may be.
  package struct Examples: Equatable, Sendable {
    package var match: [[UInt8]] = []
    package var clean: [[UInt8]] = []
  }

  package init(id: String, title: String, severity: Severity, remedy: String) {
    self.id = id
    self.title = title
    self.severity = severity
    self.remedy = remedy
  }
}

extension Rule {
  /// Whether of two findings of one value that of the other rule alone is told. Of two that know it
  /// equally little the first in the list of rules is; nothing is decided for two that know it by itself.
  package func givesWay(to other: Rule, isBefore: Bool) -> Bool {
    switch (givesWayTo.contains(other.id), other.givesWayTo.contains(id)) {
    case (true, false): true
    case (false, true): false
    case (true, true): !isBefore
    case (false, false):
      knownBy == other.knownBy ? knownBy != .itself && !isBefore : other.knownBy < knownBy
    }
  }

  /// Whether every match starts with its anchor, so that it need not be looked for before it: the
  /// pattern is an anchor behind look-behinds and opening parentheses, with no alternative beside it.
  var startsWithAnchor: Bool {
    guard anchors.count == 1,
      let anchor = anchors.first.map({ String(decoding: $0, as: UTF8.self) }),
      anchor.allSatisfy({ $0.isLetter || $0.isNumber || "_-".contains($0) })
    else { return false }
    var rest = pattern[...]
    while true {
      if rest.hasPrefix("(?<!") || rest.hasPrefix("(?<=") {
        guard let end = rest.firstIndex(of: ")"), !rest[..<end].dropFirst().contains("(") else {
          return false
        }
        rest = rest[rest.index(after: end)...]
      } else if rest.hasPrefix("(?<secret>") {
        rest = rest.dropFirst(10)
      } else if rest.hasPrefix("(?:") {
        rest = rest.dropFirst(3)
      } else if rest.hasPrefix("(?") {
        return false
      } else if rest.hasPrefix("\\b") {
        rest = rest.dropFirst(2)
      } else if rest.hasPrefix("(") {
        rest = rest.dropFirst()
      } else {
        break
      }
    }
    return rest.hasPrefix(anchor) && !pattern.contains("|")
  }
}
