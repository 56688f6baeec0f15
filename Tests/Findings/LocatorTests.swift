import Findings
import Testing

@Suite struct `Locators` {
  @Test func `name a place through containers`() {
    let place = Locator(file: "App.ipa").inside(["Payload/A.app/store.sqlite"])
      .inside(["page", "12", "cell", "3"])
    #expect(place.description == "App.ipa!/Payload/A.app/store.sqlite!/page/12/cell/3")
  }

  @Test func `without steps are the same place`() {
    let file = Locator(file: "a.txt")
    #expect(file.inside([]) == file)
  }

  @Test(arguments: [
    ("odd!/name", "f!/odd%21/name"), ("!", "f!/%21"), ("a!!b", "f!/a%21%21b"),
    ("plain", "f!/plain"),
  ])
  func `escape what would read as another container`(step: String, expected: String) {
    #expect(Locator(file: "f").inside([step]).description == expected)
    #expect("f!/" + Locator(file: step).description == expected)
  }
}

@Suite struct `Origins` {
  static let joined = Origin.pieces([
    Piece(offset: 0, source: 100, count: 10), Piece(offset: 10, source: 50, count: 5),
    Piece(offset: 15, source: 200, count: 20),
  ])

  @Test(
    arguments: [
      (0..<10, [(100, 10)]), (2..<4, [(102, 2)]), (8..<12, [(108, 2), (50, 2)]),
      (9..<16, [(109, 1), (50, 5), (200, 1)]), (34..<35, [(219, 1)]), (30..<90, [(215, 5)]),
      (35..<40, []), (5..<5, []),
    ] as [(Range<Int>, [(Int, Int)])])
  func `of joined pieces name each piece's bytes`(range: Range<Int>, expected: [(Int, Int)]) {
    #expect(
      Self.joined.ranges(of: range) == expected.map { ByteRange(offset: $0.0, length: $0.1) })
  }

  @Test func `of decoded bytes name all they were decoded from, of decompressed ones nothing`() {
    let whole = ByteRange(offset: 7, length: 9)
    #expect(Origin.decoded(from: whole).ranges(of: 1..<2) == [whole])
    #expect(Origin.transformed.ranges(of: 1..<2).isEmpty)
  }

  @Test func `of a mapped text name the bytes of just that part`() {
    // "a\u4e2d" and then three plain characters: 1 + 3 decoded bytes from 1 + 6 source bytes.
    var map = OffsetMap(base: 1_000)
    map.appendVerbatim(1_000..<1_001)
    map.append(unit: 3, source: 1_001, sourceUnit: 6)
    map.appendVerbatim(1_007..<1_010)
    let origin = Origin.mapped(map)
    #expect(origin.ranges(of: 0..<1) == [ByteRange(offset: 1_000, length: 1)])
    #expect(origin.ranges(of: 1..<4) == [ByteRange(offset: 1_001, length: 6)])
    #expect(origin.ranges(of: 2..<3) == [ByteRange(offset: 1_001, length: 6)])
    #expect(origin.ranges(of: 0..<7) == [ByteRange(offset: 1_000, length: 10)])
    #expect(origin.ranges(of: 5..<7) == [ByteRange(offset: 1_008, length: 2)])
    #expect(origin.ranges(of: 7..<9).isEmpty)
    #expect(Origin.mapped(map.shifted(by: 24)).ranges(of: 0..<1).first?.offset == 1_024)
  }
}

@Suite struct `The order of findings` {
  private func finding(
    _ path: String, _ offset: Int?, _ rule: String, needle: String? = nil, form: String? = nil,
    locator: String = "", fingerprint: String = "0"
  ) -> Finding {
    Finding(
      fingerprint: fingerprint, rule: rule, title: "", severity: .low, message: "", remedy: "",
      path: path, locator: locator,
      ranges: offset.map { [ByteRange(offset: $0, length: 1)] } ?? [], line: nil, liveness: .live,
      context: Context(), needle: needle, form: form, sample: "", controls: [])
  }

  @Test func `is path, offset, rule, needle, and then whatever differs`() {
    let ordered = [
      finding("a", nil, "z.z"), finding("a", 9, "a.a"), finding("a", 10, "a.a"),
      finding("a", 10, "b.a", needle: "m"), finding("a", 10, "b.a", needle: "n"),
      finding("a", 10, "b.a", needle: "n", locator: "a!/b"),
      finding("a", 10, "b.a", needle: "n", locator: "a!/c", fingerprint: "1"),
      finding("a", 10, "b.a", needle: "n", form: "hex", locator: "a!/c", fingerprint: "1"),
      finding("b", 0, "a.a"),
    ]
    for (lower, one) in ordered.enumerated() {
      for (upper, other) in ordered.enumerated() {
        #expect(Finding.precedes(one, other) == (lower < upper))
      }
    }
  }

  @Test func `severities rise from low to critical`() {
    #expect(Severity.allCases == Severity.allCases.sorted())
    #expect(Severity.low < .critical)
    #expect(!(Severity.high < .high))
  }
}
