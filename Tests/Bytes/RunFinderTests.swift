import Bytes
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
