import Artifacts
import Bytes
import Findings
import FixtureKit
import Testing

/// Where an ISO image keeps the rest of a long name (IEEE P1281, §5.1).
@Suite struct `Continuation areas of an ISO image` {
  private static let block = 2048

  /// An entry that sends its reader to a range of the image.
  private static func entry(to area: Range<Int>) -> [UInt8] {
    let numbers = [area.lowerBound / block, area.lowerBound % block, area.count]
    return Array("CE".utf8) + [28, 1]
      + numbers.flatMap { number -> [UInt8] in
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return bytes + bytes.reversed()
      }
  }

  /// An image of nothing but entries at the places, each with its area.
  private static func isEndless(_ entries: [(place: Int, area: Range<Int>)]) throws -> Bool {
    var image = [UInt8](repeating: 0, count: 40 * block)
    (image[16 * block + 128], image[16 * block + 129]) = (0, 8)
    for (place, area) in entries {
      image.replaceSubrange(place..<place + 28, with: entry(to: area))
    }
    return try ContinuationAreas(in: MemorySource(image)).isEndless
  }

  @Test func `are followed to their end where they have one`() throws {
    #expect(try !Self.isEndless([]))
    // Files whose names go on in one area, and from there in another.
    let many = (0..<30).map { (place: 40_000 + 40 * $0, area: 50_000..<50_100) }
    #expect(try !Self.isEndless(many + [(50_010, 51_000..<51_200)]))
    // A circle, at once or behind others; the first one a million bytes away from the start.
    #expect(try Self.isEndless([(50_000, 50_000..<50_028)]))
    #expect(
      try Self.isEndless([
        (40_000, 50_000..<50_040), (50_004, 60_000..<60_040), (60_008, 50_000..<50_040),
      ]))
  }

  /// Without a circle: every area holds two entries, and each sends its reader to the next area.
  @Test func `are not followed where each leads to more than the one before`() throws {
    let entries = (0..<30).flatMap { level -> [(place: Int, area: Range<Int>)] in
      let next = 40_000 + 100 * (level + 1)..<40_000 + 100 * (level + 2)
      return [(40_000 + 100 * level, next), (40_050 + 100 * level, next)]
    }
    #expect(try Self.isEndless(entries))
    #expect(try !Self.isEndless(Array(entries.prefix(10))))
  }

  @Test func `that go round in a circle are told, and the image is searched as it lies`() throws {
    let name = String(repeating: "a-long-name-", count: 20)
    var image = try #require(ArchiveFixture.write(.iso, [.init(name, "what is inside")]))
    #expect(readAll(image).members.map(\.name) == [name])
    let mark = Array("CE".utf8) + [28, 1]
    let place = try #require(
      (0..<image.count - 28).first { image[$0..<$0 + 4].elementsEqual(mark) })
    func number(_ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(image[place + offset + $1]) << (8 * $1) }
    }
    let start = number(4) * Self.block + number(12)
    image.replaceSubrange(start..<start + 28, with: Self.entry(to: start..<start + 28))
    let sink = readAll(image)
    #expect(sink.members.isEmpty && sink.codes == [.formatDamaged])
  }
}
