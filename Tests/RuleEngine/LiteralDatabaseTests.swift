import FixtureKit
import RuleEngine
import Testing

@Suite struct `Literal database` {
  /// Every end of every literal in `bytes`, by comparing them one by one.
  private func plainSearch(_ literals: [LiteralDatabase.Literal], _ bytes: [UInt8]) -> Set<[Int]> {
    var found: Set<[Int]> = []
    for (number, literal) in literals.enumerated() where bytes.count >= literal.bytes.count {
      for start in 0...bytes.count - literal.bytes.count {
        let end = start + literal.bytes.count
        if bytes[start..<end].elementsEqual(literal.bytes) { found.insert([number, end]) }
      }
    }
    return found
  }

  private func search(_ literals: [LiteralDatabase.Literal], _ bytes: [UInt8]) throws -> Set<[Int]>
  {
    let database = try LiteralDatabase(literals)
    var found: Set<[Int]> = []
    database.search(bytes.span.bytes) { hit in
      #expect(found.insert([hit.literal, hit.end]).inserted, "seen twice")
    }
    return found
  }

  /// Where all are of seven bytes or more, not every place is looked at.
  @Test(arguments: [1, 2, 3, 4, 5, 8, 63, 64, 65, 200], [4...9, 6...9, 7...7, 7...12, 9...30])
  func `a literal is found wherever it starts, however few or many there are`(
    count: Int, lengths: ClosedRange<Int>
  ) throws {
    var random = SplitMix(seed: UInt64(count))
    let alphabet = Array("abcdefghAZ_+0".utf8)
    let literals = (0..<count).map { index in
      let plain = (0..<Int.random(in: lengths, using: &random)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      // As text in UTF-16 a literal has zeros, and may start with one.
      return LiteralDatabase.Literal(index % 3 == 2 ? plain.flatMap { [0, $0] } : plain)
    }
    for start in stride(from: 0, to: 200, by: count > 8 ? 3 : 1) {
      var bytes = (0..<290).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      let literal = literals[start % count].bytes
      bytes.replaceSubrange(start..<start + literal.count, with: literal)
      #expect(try search(literals, bytes) == plainSearch(literals, bytes))
    }
  }

  /// As needles alone are: numbers and instants as they are stored, and longer texts. Any
  /// byte, those that differ in the bit of case too, and every place behind a block.
  @Test(arguments: [[4, 8], [4, 6, 8, 30], [5, 7], [6, 12], [3, 4, 9]])
  func `short literals are found among long ones, in any bytes`(lengths: [Int]) throws {
    var random = SplitMix(seed: UInt64(lengths.reduce(0) { $0 * 31 + $1 }))
    var bytes = random.bytes(17_000)
    let literals = (0..<400).map { index in
      LiteralDatabase.Literal(
        (0..<lengths[index % lengths.count]).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    for (index, literal) in literals.enumerated() {
      let start = index * 40 + index % 67
      bytes.replaceSubrange(start..<start + literal.bytes.count, with: literal.bytes)
      // The same bytes with another case are another number.
      bytes[start] ^= index % 5 == 0 ? 0x20 : 0
    }
    let found = try search(literals, bytes)
    #expect(found == plainSearch(literals, bytes))
    #expect(found.count > 300)
  }

  @Test(arguments: [2, 3, 4, 5], 0..<40)
  func `a short literal is found at the very end, whatever its bytes`(size: Int, seed: Int) throws {
    var random = SplitMix(seed: UInt64(size * 100 + seed))
    let literal = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
    for length in size..<size + 40 {
      var bytes = (0..<length).map { _ in UInt8.random(in: 0...3, using: &random) }
      bytes.replaceSubrange(length - size..<length, with: literal)
      let literals = [LiteralDatabase.Literal(literal), LiteralDatabase.Literal([9, 9, 9])]
      #expect(try search(literals, bytes) == plainSearch(literals, bytes))
    }
  }

  @Test func `literals that are seen everywhere are all reported`() throws {
    for shortest in [2, 7] {
      let literals = (shortest...40).map {
        LiteralDatabase.Literal([UInt8](repeating: 7, count: $0))
      }
      let bytes = [UInt8](repeating: 7, count: 3_000)
      #expect(try search(literals, bytes) == plainSearch(literals, bytes))
    }
  }

  /// At most places its windows are of zeros, of which files are full: it is looked for like a short one.
  @Test func `a small number in eight bytes is found among zeros and long literals`() throws {
    let number = [0xf8, 0x25, 0x25, 0, 0, 0, 0, 0].map { UInt8($0) }
    let literals =
      (0..<40).map { LiteralDatabase.Literal(Array("a long literal \($0)".utf8)) }
      + [.init(number), .init(number.reversed())]
    for before in 0..<24 {
      let zeros = [UInt8](repeating: 0, count: 3_000 + before)
      let bytes = zeros + number + zeros + number.reversed() + zeros
      let seen = try search(literals, bytes)
      #expect(seen == plainSearch(literals, bytes))
      #expect(seen.count == 2)
    }
  }

  @Test func `a long literal is found at the very end`() throws {
    var random = SplitMix(seed: 7)
    for length in 7..<80 {
      let literal = (0..<7).map { _ in UInt8.random(in: 0...255, using: &random) }
      let bytes = [UInt8](repeating: 3, count: length - 7) + literal
      #expect(try search([.init(literal)], bytes) == [[0, length]])
      #expect(try search([.init(literal)], Array(bytes.dropLast())).isEmpty)
    }
  }

  @Test func `one byte is no literal`() {
    #expect(throws: LiteralDatabase.CompileError.self) { try LiteralDatabase([.init([1])]) }
  }

  @Test func `a database of nothing finds nothing`() throws {
    #expect(try search([], Array("anything".utf8)).isEmpty)
  }

  @Test func `case is ignored where a literal says so`() throws {
    let literal = LiteralDatabase.Literal(Array("Secret".utf8), ignoresCase: true)
    #expect(try search([literal], Array("a SECRET".utf8)) == [[0, 8]])
  }
}
