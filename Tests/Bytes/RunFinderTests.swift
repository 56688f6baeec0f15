import Bytes
import FixtureKit
import Testing

@Suite struct `Runs of one alphabet` {
  private static let members: [(classes: RunFinder.Classes, text: String)] = [
    (.digit, "0123456789"),
    (.hexadecimal, "0123456789abcdefABCDEF"),
    (.base32, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    (.base64, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"),
    (.alphanumeric, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
    (.groupedDigit, "0123456789 -"),
    (
      .plainText,
      "\t\n\u{c}\r\u{1b}" + String(decoding: 0x20...0x7e as ClosedRange<UInt8>, as: UTF8.self)
    ),
    (.dump, "0123456789abcdefABCDEF xX,\t"),
  ]

  /// The same by looking at every byte.
  private func plainRuns(
    _ bytes: [UInt8], _ wanted: RunFinder.Classes, atLeast minimum: Int
  ) -> [RunFinder.Run] {
    func classes(of byte: UInt8) -> RunFinder.Classes {
      var all: RunFinder.Classes = []
      for member in Self.members where member.text.utf8.contains(byte) {
        all.insert(member.classes)
      }
      return all
    }
    var runs: [RunFinder.Run] = []
    var start = 0
    for end in 0...bytes.count {
      if end < bytes.count, classes(of: bytes[end]).contains(wanted) { continue }
      if end - start >= minimum {
        var shared = RunFinder.Classes(rawValue: .max)
        for byte in bytes[start..<end] { shared.formIntersection(classes(of: byte)) }
        runs.append(RunFinder.Run(range: start..<end, classes: shared))
      }
      start = end + 1
    }
    return runs
  }

  @Test(arguments: 0..<members.count, [1, 2, 3, 5, 8, 13, 20, 64])
  func `are those that a look at every byte finds`(alphabet: Int, minimum: Int) {
    var random = SplitMix(seed: UInt64(alphabet * 100 + minimum))
    let (classes, text) = Self.members[alphabet]
    var found = 0
    for round in 0..<60 {
      // Long runs, mostly bytes of the alphabet so that runs of every length come up, and any bytes.
      let mixed = Array((text + text + text).utf8) + Array(" ,.\n\0é".utf8)
      let sources = [Array(text.utf8), mixed, mixed, Array(0...255)]
      let bytes = (0..<4).flatMap { part in
        random.bytes(Int(random.next() % 120), of: sources[(round + part) % 4])
      }
      var runs: [RunFinder.Run] = []
      RunFinder.runs(in: bytes.span.bytes, of: classes, atLeast: minimum) { runs.append($0) }
      #expect(runs == plainRuns(bytes, classes, atLeast: minimum))
      found += runs.count
    }
    #expect(found > 0)
  }

  @Test(arguments: 0..<40)
  func `end where the bytes end`(before: Int) {
    let bytes = Array((String(repeating: ".", count: before) + "0123456789").utf8)
    var runs: [RunFinder.Run] = []
    RunFinder.runs(in: bytes.span.bytes, of: .digit, atLeast: 10) { runs.append($0) }
    #expect(runs.map(\.range) == [before..<before + 10])
    runs = []
    RunFinder.runs(in: bytes.span.bytes, of: .digit, atLeast: 11) { runs.append($0) }
    #expect(runs.isEmpty)
  }
}

/// What is told of a run, and where marks stand, is what a look at one byte after the other says.
@Suite struct `Bytes looked at many at a time` {
  private static let letters = Array("aAzZ019_-/.".utf8)
  /// Some alphabets, by the number of their bit.
  private static let alphabets = [
    (0, "0123456789"), (1, "0123456789abcdefABCDEF"), (2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    (5, "0123456789 -"), (7, "0123456789abcdefABCDEF xX,\t"),
  ]

  private enum Kind { case digit, small, capital, other }

  private func kind(of byte: UInt8) -> Kind {
    if (0x30...0x39).contains(byte) { return .digit }
    if (0x61...0x7a).contains(byte) { return .small }
    return (0x41...0x5a).contains(byte) ? .capital : .other
  }

  /// Five changes between letters and digits, ten digits, or capitals and digits alone.
  private func plainIsMixed(_ bytes: [UInt8]) -> Bool {
    let kinds = bytes.map(kind)
    let changes = zip(kinds, kinds.dropFirst()).count { one, next in
      one != next && one != .other && next != .other
    }
    let digits = kinds.count { $0 == .digit }
    return changes >= 5 || digits >= 10
      || digits > 0 && kinds.allSatisfy { $0 == .digit || $0 == .capital }
  }

  @Test(arguments: 0..<8)
  func `say whether letters and digits are mixed`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var said: Set<Bool> = []
    for _ in 0..<400 {
      // Long stretches of one kind, so that both answers come up however long the run is.
      let few = (0..<3).flatMap { _ in
        random.bytes(Int(random.next() % 60), of: [Self.letters[Int(random.next() % 11)]])
      }
      let bytes = few + random.bytes(Int(random.next() % 12), of: Self.letters)
      let isMixed = RunFinder.isMixed(0..<bytes.count, in: bytes.span.bytes)
      #expect(isMixed == plainIsMixed(bytes))
      said.insert(isMixed)
    }
    #expect(said == [true, false])
  }

  @Test func `say how long the longest stretch of each alphabet is`() {
    var random = SplitMix(seed: 7)
    for _ in 0..<200 {
      let bytes = random.bytes(Int(random.next() % 200), of: Array("0a7F-G z,\0".utf8))
      let longest = RunFinder.longest(in: 0..<bytes.count, of: bytes.span.bytes)
      for (number, alphabet) in Self.alphabets {
        let stretches = bytes.split { !alphabet.utf8.contains($0) }
        #expect(longest[number] == UInt32(stretches.map { $0.count }.max() ?? 0))
      }
    }
  }

  @Test(arguments: 0..<8)
  func `find a mark and what stands behind it`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let pair = BytePair("=", before: "0123456789ABCDEF \r\n")
    let next = Set("0123456789ABCDEF \r\n".utf8)
    var found = 0
    for _ in 0..<200 {
      let bytes =
        random.bytes(Int(random.next() % 300), of: Array("=xyz".utf8))
        + random.bytes(Int(random.next() % 90), of: Array("=A \n..........".utf8))
      let expected = bytes.indices.dropLast().filter {
        bytes[$0] == 0x3d && next.contains(bytes[$0 + 1])
      }
      var places: [Int] = []
      while let place = pair.next(in: bytes.span.bytes, from: places.last.map { $0 + 1 } ?? 0) {
        places.append(place)
      }
      #expect(places == expected)
      found += places.count
    }
    #expect(found > 0)
  }

  @Test func `count how often each byte stands there`() {
    var random = SplitMix(seed: 3)
    let bytes = random.bytes(4_099, of: Array(0...255)) + [UInt8](repeating: 9, count: 1_001)
    let counts = ByteHistogram(of: bytes.span.bytes).counts
    #expect(counts == (0...255).map { byte in bytes.count { $0 == UInt8(byte) } })
  }
}
