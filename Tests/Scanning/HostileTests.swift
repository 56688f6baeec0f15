import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

@Suite struct `Hostile files` {
  private static let deepPropertyList =
    "<?xml version=\"1.0\"?><plist><array>" + String(repeating: "<array>", count: 10_000)
    + "<string>\(Leak.text)</string>" + String(repeating: "</array>", count: 10_000)
    + "</array></plist>"

  /// An array whose one element is itself.
  private static let cyclicPropertyList: [UInt8] =
    Array("bplist00".utf8) + [0xa1, 0x00, 0x08] + [0, 0, 0, 0, 0, 0, 1, 1] + [
      0, 0, 0, 0, 0, 0, 0, 1,
    ]
    + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 10]

  static let files: [(name: String, bytes: [UInt8])] = [
    ("json", Array((String(repeating: "[", count: 10_000) + "\"\(Leak.text)\"").utf8)),
    (
      "json-whole",
      Array(
        (String(repeating: "{\"a\":", count: 10_000) + "\"\(Leak.text)\""
          + String(repeating: "}", count: 10_000)).utf8)
    ),
    ("plist", Array(deepPropertyList.utf8)),
    ("openstep", Array((String(repeating: "(", count: 10_000) + Leak.text).utf8)),
    ("yaml", Array((String(repeating: "- ", count: 10_000) + Leak.text).utf8)),
    ("cyclic", cyclicPropertyList + Array(" \(Leak.text)".utf8)),
    ("line", [UInt8](repeating: 0x61, count: 3 << 20) + Array(" \(Leak.text)".utf8)),
    ("base64", Array((String(repeating: "QUJD", count: 300_000) + " \(Leak.text)").utf8)),
    ("hex", Array((String(repeating: "4142", count: 300_000) + " \(Leak.text)").utf8)),
    ("percent", Array((String(repeating: "%25", count: 200_000) + " \(Leak.text)").utf8)),
    ("backslashes", Array((String(repeating: "\\", count: 500_000) + " \(Leak.text)").utf8)),
    ("quotes", Array((String(repeating: "\"", count: 500_000) + " \(Leak.text)").utf8)),
    ("commas", Array((String(repeating: ",", count: 500_000) + "\n\(Leak.text)").utf8)),
    ("lines", [UInt8](repeating: 0x0a, count: 500_000) + Array(Leak.text.utf8)),
    ("anchors", Array((String(repeating: "tok_", count: 200_000) + " \(Leak.text)").utf8)),
  ]

  @Test(arguments: files)
  func `end, and the leak in them is found`(name: String, bytes: [UInt8]) async throws {
    let folder = try TemporaryFolder()
    try folder.write(name, bytes: bytes)
    let report = try await folder.scan(rules: [Leak.rule])
    #expect(report.findings.contains { $0.needle == "orchid" })
    #expect(report.inputs.first?.sha256 != nil)
    #expect(report.run.status == 1)
    #expect(!report.codes.contains(.limitTime))
  }

  /// Starts of formats, each followed by bytes that make no sense.
  static let signatures: [[UInt8]] = [
    Array("SQLite format 3\0".utf8), [0x37, 0x7f, 0x06, 0x82],
    [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7],
    Array("PK\u{3}\u{4}".utf8), Array("PK\u{5}\u{6}".utf8), [0x1f, 0x8b, 8],
    [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0],
    [0x28, 0xb5, 0x2f, 0xfd], Array("BZh9".utf8), [4, 0x22, 0x4d, 0x18], Array("LZIP".utf8),
    [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10], Array("%PDF-1.7\n".utf8),
    [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c],
    Array("Rar!\u{1a}\u{7}\0".utf8), Array("!<arch>\n".utf8), Array("xar!".utf8),
    Array("MSCF".utf8),
    Array("070701".utf8), Array("bplist00".utf8), Array("bvx2".utf8),
    [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0],
    [0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2], [0x78, 0x9c], [0xff, 0xfe],
    [0xfe, 0xff],
    [0xef, 0xbb, 0xbf], Array("{".utf8), Array("<?xml version=\"1.0\"?><plist>".utf8),
    Array("pbzx".utf8),
    [0xed, 0xab, 0xee, 0xdb], [0, 0x10, 0, 0, 0x2a, 0x7f],
  ]

  @Test(arguments: [1 as UInt64, 2, 3])
  func `of every format with nonsense behind its signature never trap`(seed: UInt64) async throws {
    let folder = try TemporaryFolder()
    var state = seed &* 0x9e37_79b9_7f4a_7c15
    for (index, signature) in Self.signatures.enumerated() {
      for count in [0, 1, 7, 40, 300, 5_000] {
        let noise = (0..<count).map { _ -> UInt8 in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          // Small numbers pass more checks than large ones.
          let byte = UInt8(truncatingIfNeeded: state >> 56)
          return seed == 1 ? byte : seed == 2 ? byte & 7 : (byte & 3 == 0 ? byte : 0)
        }
        try folder.write("\(index)-\(count)", bytes: signature + noise + Array(Leak.text.utf8))
      }
    }
    let report = try await folder.scan(rules: [Leak.rule])
    #expect(report.inputs.count == Self.signatures.count * 6)
    #expect(report.inputs.allSatisfy { $0.sha256 != nil })
    #expect(Set(report.paths).count == report.inputs.count)
  }
}
