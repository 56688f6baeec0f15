import Bytes

/// Apple's LZFSE: a chain of blocks, each raw, LZVN or entropy-coded (Apple's reference source,
/// lzfse_decode_base.c).
///
///     bvx-  size of the content; the content
///     bvxn  size of the content, size of the block; LZVN
///     bvx2  size of the content, packed fields, frequencies; literals, then lengths and distances
///     bvx$  end
package enum LZFSE {
  /// How the decoding came out.
  package enum Ending: Equatable, Sendable {
    case finished, damaged
    /// There is more content than was asked for.
    case limited
    /// Blocks with plain frequency tables (`bvx1`), which no library writes.
    case unsupported
  }

  /// The content of the chain at the start of `bytes`, at most `limit` bytes of it.
  package static func decode(_ bytes: [UInt8], limit: Int) -> (content: [UInt8], ending: Ending) {
    var content: [UInt8] = []
    var offset = 0
    while true {
      let ending = block(bytes, &offset, &content, limit)
      if let ending { return (content, ending) }
    }
  }

  /// Decodes one block; nothing while there may be another.
  private static func block(
    _ bytes: [UInt8], _ offset: inout Int, _ content: inout [UInt8], _ limit: Int
  ) -> Ending? {
    let span = unsafe bytes.span.bytes
    if span.hasBytes("bvx$", at: offset) { return .finished }
    if span.hasBytes("bvx1", at: offset) { return .unsupported }
    guard let stored = try? span.littleEndianInteger(at: offset + 4, as: UInt32.self) else {
      return .damaged
    }
    let size = Int(stored)
    guard size <= limit - content.count else { return .limited }
    let end = content.count + size
    if span.hasBytes("bvx-", at: offset) {
      guard let raw = try? span.bytes(at: offset + 8, count: size) else { return .damaged }
      unsafe raw.withUnsafeBytes { unsafe content.append(contentsOf: $0) }
      offset += 8 + size
      return nil
    }
    if span.hasBytes("bvxn", at: offset) {
      guard let packed = try? span.littleEndianInteger(at: offset + 8, as: UInt32.self),
        let block = try? span.bytes(at: offset + 12, count: Int(packed)),
        LZVN.decode(block, into: &content, limit: end), content.count == end
      else { return .damaged }
      offset += 12 + Int(packed)
      return nil
    }
    guard span.hasBytes("bvx2", at: offset), let header = LZFSEHeader(span, at: offset) else {
      return .damaged
    }
    let literalEnd = offset + header.size + header.literalBytes
    let blockEnd = literalEnd + header.matchBytes
    guard blockEnd <= bytes.count, let literals = header.literals(bytes, end: literalEnd),
      header.matches(bytes, end: blockEnd, literals, into: &content, limit: end),
      content.count == end
    else { return .damaged }
    offset = blockEnd
    return nil
  }
}

/// The header of an entropy-coded block.
///
///     offset  size  field
///          8     8  bits 0-19 literals, 20-39 their bytes, 40-59 matches, 60-62 padding of literals
///         16     8  bits 0-39 four literal states, 40-59 bytes of matches, 60-62 their padding
///         24     8  bits 0-31 header size, 32-61 states of literal length, match length, distance
///         32        frequencies of the symbols, in codes of variable length
private struct LZFSEHeader {
  var size: Int
  var literalCount: Int
  var literalBytes: Int
  var matchCount: Int
  var matchBytes: Int
  private var literalPadding: Int
  private var matchPadding: Int
  private var literalStates: [Int]
  private var matchStates: [Int]
  private var frequencies: [Int]

  /// Symbols of literal lengths, match lengths, distances and literals.
  private static let symbolCounts = [20, 20, 64, 256]
  private static let largestMatchCount = 10_000

  init?(_ bytes: RawSpan, at start: Int) {
    guard let first = try? bytes.littleEndianInteger(at: start + 8, as: UInt64.self),
      let second = try? bytes.littleEndianInteger(at: start + 16, as: UInt64.self),
      let third = try? bytes.littleEndianInteger(at: start + 24, as: UInt64.self)
    else { return nil }
    func field(_ word: UInt64, _ offset: UInt64, _ count: UInt64) -> Int {
      Int(word >> offset & (1 << count - 1))
    }
    literalCount = field(first, 0, 20)
    literalBytes = field(first, 20, 20)
    matchCount = field(first, 40, 20)
    literalPadding = field(first, 60, 3) - 7
    literalStates = (0..<4).map { field(second, $0 * 10, 10) }
    matchBytes = field(second, 40, 20)
    matchPadding = field(second, 60, 3) - 7
    size = field(third, 0, 32)
    matchStates = [field(third, 32, 10), field(third, 42, 10), field(third, 52, 10)]
    guard size >= 32, size <= bytes.byteCount - start, matchCount <= Self.largestMatchCount,
      literalCount <= 4 * Self.largestMatchCount, literalCount % 4 == 0,
      let codes = try? bytes.bytes(at: start + 32, count: size - 32),
      let frequencies = Self.frequencies(codes)
    else { return nil }
    self.frequencies = frequencies
  }

  /// Frequencies in a prefix code: 2, 3 or 5 bits for small ones, 8 and 14 with the value inside.
  private static func frequencies(_ codes: RawSpan) -> [Int]? {
    let total = symbolCounts.reduce(0, +)
    if codes.byteCount == 0 { return [Int](repeating: 0, count: total) }
    var frequencies: [Int] = []
    frequencies.reserveCapacity(total)
    var held: UInt32 = 0
    var count = 0
    var offset = 0
    while frequencies.count < total {
      while count <= 24, let byte = codes[at: offset] {
        held |= UInt32(byte) << UInt32(count)
        count += 8
        offset += 1
      }
      let (value, length) = frequency(held)
      guard length <= count else { return nil }
      frequencies.append(value)
      held >>= UInt32(length)
      count -= length
    }
    return count < 8 && offset == codes.byteCount ? frequencies : nil
  }

  private static func frequency(_ bits: UInt32) -> (value: Int, length: Int) {
    switch bits & 3 {
    case 0: return (0, 2)
    case 2: return (1, 2)
    case 1: return (bits & 4 == 0 ? 2 : 3, 3)
    default: break
    }
    switch bits & 15 {
    case 7: return (8 + Int(bits >> 4 & 15), 8)
    case 15: return (24 + Int(bits >> 4 & 1023), 14)
    default: return (4 + Int(bits >> 3 & 3), 5)
    }
  }

  private func table(_ kind: Int, states: Int) -> EntropyTable? {
    let start = Self.symbolCounts[..<kind].reduce(0, +)
    return EntropyTable(
      frequencies: frequencies[start..<start + Self.symbolCounts[kind]], count: states)
  }

  /// The literals, coded by four states in turn.
  func literals(_ bytes: [UInt8], end: Int) -> [UInt8]? {
    guard literalCount > 0 else { return [] }
    guard let table = table(3, states: 1024),
      var bits = BackwardBits(bytes, end: end, padding: literalPadding)
    else { return nil }
    var states = literalStates
    var literals: [UInt8] = []
    literals.reserveCapacity(literalCount)
    while literals.count < literalCount {
      guard bits.fill() else { return nil }
      for index in 0..<4 {
        guard let symbol = table.next(&states[index], &bits) else { return nil }
        literals.append(UInt8(truncatingIfNeeded: symbol))
      }
    }
    return literals
  }

  /// Bits that follow each symbol of literal length, match length and distance; the values start where
  /// those of the symbol before end.
  private static let extraBits: [[Int]] = [
    [Int](repeating: 0, count: 16) + [2, 3, 5, 8],
    [Int](repeating: 0, count: 16) + [3, 5, 8, 11],
    (0..<16).flatMap { [Int](repeating: $0, count: 4) },
  ]
  private static let bases: [[Int]] = extraBits.map { bits in
    var bases = [0]
    for count in bits.dropLast() { bases.append((bases.last ?? 0) + (1 << count)) }
    return bases
  }

  /// Appends literals and copies as the matches say.
  func matches(
    _ bytes: [UInt8], end: Int, _ literals: [UInt8], into content: inout [UInt8], limit: Int
  ) -> Bool {
    guard matchCount > 0 else { return true }
    let counts = [64, 64, 256]
    let tables = (0..<3).compactMap { table($0, states: counts[$0]) }
    guard tables.count == 3, var bits = BackwardBits(bytes, end: end, padding: matchPadding) else {
      return false
    }
    var states = matchStates
    var used = 0
    var distance = 0
    for _ in 0..<matchCount {
      guard bits.fill() else { return false }
      var values = [0, 0, 0]
      for kind in 0..<3 {
        // The state's bits and the value's stand together, the state's above.
        guard let value = Self.value(kind, tables[kind], &states[kind], &bits) else { return false }
        values[kind] = value
      }
      if values[2] != 0 { distance = values[2] }
      guard values[0] <= literals.count - used, values[0] + values[1] <= limit - content.count
      else {
        return false
      }
      content.append(contentsOf: literals[used..<used + values[0]])
      used += values[0]
      guard content.appendCopy(of: values[1], from: distance) else { return false }
    }
    return true
  }

  private static func value(
    _ kind: Int, _ table: EntropyTable, _ state: inout Int, _ bits: inout BackwardBits
  ) -> Int? {
    guard let symbol = table.next(&state, &bits), let extra = bits.take(extraBits[kind][symbol])
    else { return nil }
    return bases[kind][symbol] + extra
  }
}
