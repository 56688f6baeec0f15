/// A rule matched, or a needle was seen, at a place: a value, with evidence a second person can check.
package struct Finding: Equatable, Sendable {
  /// Keyed identity that survives moved offsets and lines; hexadecimal.
  package var fingerprint: String
  /// `<pack>.<rule>`, or `needle.<kind>`.
  package var rule: String
  package var title: String
  package var severity: Severity
  package var message: String
  package var remedy: String
  /// The outermost file, relative to its root.
  package var path: String
  package var locator: String
  /// Bytes of the outermost file that show the value; empty only where they were decompressed or
  /// decrypted.
  package var ranges: [ByteRange]
  /// From 1; text and source only.
  package var line: Int?
  package var liveness: Liveness
  package var context: Context
  /// Id of the needle, and the form it was seen in.
  package var needle: String?
  package var form: String?
  /// The value, masked unless the run reveals.
  package var sample: String
  package var controls: [String]
  package var suppressed: Suppression?
  /// Further locators of the same physical place.
  package var also: [String]
  /// The bytes around the value; only where a report asked for them.
  package var excerpt: Excerpt?

  package init(
    fingerprint: String, rule: String, title: String, severity: Severity, message: String,
    remedy: String, path: String, locator: String, ranges: [ByteRange], line: Int?,
    liveness: Liveness, context: Context, needle: String?, form: String?, sample: String,
    controls: [String], suppressed: Suppression? = nil, also: [String] = []
  ) {
    self.fingerprint = fingerprint
    self.rule = rule
    self.title = title
    self.severity = severity
    self.message = message
    self.remedy = remedy
    self.path = path
    self.locator = locator
    self.ranges = ranges
    self.line = line
    self.liveness = liveness
    self.context = context
    self.needle = needle
    self.form = form
    self.sample = sample
    self.controls = controls
    self.suppressed = suppressed
    self.also = also
  }
}

/// A person's decision to accept a finding.
package struct Suppression: Equatable, Sendable {
  package enum Authority: String, CaseIterable, Sendable {
    case baseline, comment, policy
  }

  package var by: Authority
  package var reason: String
  /// Day until which it holds, ISO 8601.
  package var until: String?

  package init(by: Authority, reason: String, until: String? = nil) {
    self.by = by
    self.reason = reason
    self.until = until
  }
}

extension Finding {
  /// The order of reports: path, first offset, rule, needle, and then what else tells two apart.
  package static func precedes(_ one: Finding, _ other: Finding) -> Bool {
    // By bytes: names that are equal as text, in two normal forms, are two files.
    if !one.path.utf8.elementsEqual(other.path.utf8) {
      return one.path.utf8.lexicographicallyPrecedes(other.path.utf8)
    }
    let (offset, otherOffset) = (one.ranges.first?.offset ?? 0, other.ranges.first?.offset ?? 0)
    if offset != otherOffset { return offset < otherOffset }
    if one.rule != other.rule { return one.rule < other.rule }
    if one.needle != other.needle { return one.needle ?? "" < other.needle ?? "" }
    if one.locator != other.locator { return one.locator < other.locator }
    if one.fingerprint != other.fingerprint { return one.fingerprint < other.fingerprint }
    return one.form ?? "" < other.form ?? ""
  }
}
