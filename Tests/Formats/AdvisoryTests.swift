import Bytes
import Findings
import Formats
import Testing

@Suite struct `Advisories` {
  private func advisory(_ text: String) throws -> Advisory {
    let bytes = Array(text.utf8)
    let parsed = JSONValue(parsing: bytes.span.bytes)
    let document = try #require(parsed)
    return try #require(Advisory.all(in: document).first)
  }

  private func ranged(_ events: String, versions: String = "") -> String {
    """
    {"id": "GHSA-1", "aliases": ["CVE-2026-1"], "summary": "Bad.", "affected": [{
      "package": {"ecosystem": "SwiftURL", "name": "github.com/example/tide"},
      "ranges": [{"type": "SEMVER", "events": [\(events)]}], "versions": [\(versions)]
    }], "database_specific": {"severity": "MODERATE"}}
    """
  }

  @Test(arguments: [
    (#"{"introduced": "0"}, {"fixed": "2.3.1"}"#, "2.3.0", true),
    (#"{"introduced": "0"}, {"fixed": "2.3.1"}"#, "2.3.1", false),
    (#"{"fixed": "2.3.1"}, {"introduced": "0"}"#, "2.3.0-beta.1", true),
    (#"{"introduced": "1.2"}, {"last_affected": "1.4"}"#, "1.4.0", true),
    (#"{"introduced": "1.2"}, {"last_affected": "1.4"}"#, "1.4.1", false),
    (#"{"introduced": "1.2"}, {"last_affected": "1.4"}"#, "1.1.9", false),
    (#"{"introduced": "0"}, {"fixed": "1.1"}, {"introduced": "2.0"}"#, "1.5", false),
    (#"{"introduced": "0"}, {"fixed": "1.1"}, {"introduced": "2.0"}"#, "v2.1", true),
    (#"{"introduced": "0"}, {"fixed": "1.0.0"}"#, "1.0.0-rc.1", true),
    (#"{"introduced": "0"}"#, "main", false),
  ])
  func `affect the versions of their ranges`(
    events: String, version: String, isAffected: Bool
  ) throws {
    let advisory = try advisory(ranged(events))
    let affected = try #require(advisory.affected.first)
    let verdict = advisory.judge(version, of: affected)
    #expect(verdict.isAffected == isAffected)
  }

  @Test func `affect versions that are named and say what repairs them`() throws {
    let advisory = try advisory(
      ranged(#"{"introduced": "3"}, {"fixed": "3.1"}"#, versions: #""1.0-odd""#))
    let affected = try #require(advisory.affected.first)
    #expect(advisory.judge("1.0-odd", of: affected).isAffected)
    #expect(advisory.judge("3.0", of: affected).fixed == ["3.1"])
    #expect(advisory.severity == .medium)
  }

  @Test(arguments: [
    ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", Severity.critical),
    ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H", .high),
    ("CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", .medium),
    ("CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N", .low), ("CVSS:9/nonsense", .high),
  ])
  func `have the severity of their vector where no word is given`(
    vector: String, severity: Severity
  ) throws {
    let text =
      #"{"id": "X", "severity": [{"type": "CVSS_V3", "score": "\#(vector)"}], "affected": []}"#
    #expect(try advisory(text).severity == severity)
  }

  @Test func `that were withdrawn do not count`() throws {
    let bytes = Array(#"[{"id": "A", "withdrawn": "2026-01-01T00:00:00Z"}, {"id": "B"}]"#.utf8)
    let parsed = JSONValue(parsing: bytes.span.bytes)
    let document = try #require(parsed)
    #expect(Advisory.all(in: document).map(\.id) == ["B"])
  }

  @Test func `nesting without end is given up`() {
    let deep = [UInt8](repeating: 0x5B, count: 100_000)
    let value = JSONValue(parsing: deep.span.bytes)
    #expect(value != nil)
  }
}

@Suite struct `Version numbers` {
  @Test func `are ordered as semantic versioning says`() throws {
    let ordered = [
      "0.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11",
      "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2", "1.10", "2",
    ]
    let numbers = try ordered.map { try #require(VersionNumber($0)) }
    #expect(numbers == numbers.sorted())
    for (one, other) in zip(numbers, numbers.dropFirst()) { #expect(one < other) }
  }

  @Test func `are equal whatever stands around them`() {
    #expect(VersionNumber("v1.2.0+build") == VersionNumber("1.2"))
    #expect(VersionNumber("main") == nil)
  }
}
