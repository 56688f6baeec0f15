package import Bytes

/// What the code of a program shows: short texts that stand in instructions, and the arguments of calls
/// to functions that a caller wants to know about.
package struct CodeReading: Sendable {
  /// A call of an imported function and what is known of its arguments.
  package struct Call: Equatable, Sendable {
    package var function: String
    package var position: Int
    /// The first eight, where they are constants.
    package var arguments: [UInt64?]
  }

  package private(set) var strings: [SmallString.Rebuilt] = []
  package private(set) var calls: [Call] = []

  private static let chunkSize = 1 << 18
  private static let largestListCount = 100_000
  /// How far apart the two words of a text may lie, in bytes.
  private static let reach = 96

  package init() {}

  /// Reads arm64 code of a section. `functions` are those whose calls count, by the address called.
  package mutating func readARM64(
    _ section: MachOImage.Section, of source: any ByteSource, functions: [UInt64: String],
    findsStrings: Bool
  ) throws(ReadFailure) {
    guard let range = section.fileRange else { return }
    try readARM64(
      range, address: section.address, of: source, functions: functions, findsStrings: findsStrings)
  }

  /// The same for code in a stretch of the file that is loaded at `start`.
  package mutating func readARM64(
    _ range: Range<Int>, address start: UInt64, of source: any ByteSource,
    functions: [UInt64: String], findsStrings: Bool
  ) throws(ReadFailure) {
    var registers = ARM64Registers()
    var constants: [SmallString.Constant] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      let chunk = try source.bytes(
        at: offset, count: min(Self.chunkSize, range.upperBound - offset))
      guard chunk.count >= 4 else { break }
      let address = start &+ UInt64(offset - range.lowerBound)
      walk(
        unsafe chunk.span.bytes, at: address, position: offset, &registers, &constants, functions)
      if findsStrings { pair(&constants, upTo: offset + chunk.count) } else { constants = [] }
      offset += chunk.count & ~3
    }
    if findsStrings { pair(&constants, upTo: Int.max) }
  }

  private mutating func walk(
    _ code: RawSpan, at address: UInt64, position: Int, _ registers: inout ARM64Registers,
    _ constants: inout [SmallString.Constant], _ functions: [UInt64: String]
  ) {
    for index in 0..<code.byteCount / 4 {
      guard let word = try? code.littleEndianInteger(at: index * 4, as: UInt32.self) else { return }
      let here = position + index * 4
      switch registers.step(word, at: address &+ UInt64(index * 4)) {
      case .other: break
      case .constant(let register, let isContinued):
        guard let value = registers[register] else { continue }
        // A part added to a constant replaces what it was before.
        if isContinued,
          let last = constants.lastIndex(where: { $0.register == register }),
          here - constants[last].position <= Self.reach
        {
          constants.remove(at: last)
        }
        constants.append(.init(position: here, register: register, value: value))
      case .call(let target):
        if let name = functions[target], calls.count < Self.largestListCount {
          calls.append(
            Call(function: name, position: here, arguments: (0..<8).map { registers[$0] }))
        }
        registers.forgetAfterCall()
      }
    }
  }

  /// Puts texts together from what lies before `end`, and keeps what may belong to the next piece.
  private mutating func pair(_ constants: inout [SmallString.Constant], upTo end: Int) {
    let settled = end == Int.max ? end : end - 2 * Self.reach
    let found = SmallString.rebuilt(from: constants, reach: Self.reach)
    let known = strings.last?.position ?? -1
    for text in found
    where text.position < settled && text.position > known
      && strings.count < Self.largestListCount
    {
      strings.append(text)
    }
    let kept = settled == Int.max ? settled : settled - SmallString.sharedReach
    constants.removeAll { $0.position < kept }
  }

  /// Reads x86-64 code: constants of 64 bits stand behind `REX.W B8+r`, of 32 bits behind `B8+r`. Code
  /// is not decoded, so a constant may be one by chance; two that make up a text are not.
  package mutating func readX86(
    _ range: Range<Int>, of source: any ByteSource
  ) throws(ReadFailure) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      // Pieces overlap, so that what lies across a border is seen whole.
      let count = min(Self.chunkSize, range.upperBound - offset)
      let chunk = try source.bytes(at: offset, count: count)
      guard !chunk.isEmpty else { break }
      let constants = Self.x86Constants(in: unsafe chunk.span.bytes, position: offset)
      let known = strings.last?.position ?? -1
      for text in SmallString.rebuilt(from: constants, reach: Self.reach)
      where text.position > known && strings.count < Self.largestListCount {
        strings.append(text)
      }
      guard offset + chunk.count < range.upperBound, chunk.count > 4 * Self.reach else { break }
      offset += chunk.count - 4 * Self.reach
    }
  }

  /// Constants that may be words of a text: second words, and what stands near one and reads as text.
  private static func x86Constants(in code: RawSpan, position: Int) -> [SmallString.Constant] {
    var constants: [SmallString.Constant] = []
    for start in x86SecondWords(in: code) {
      let near = max(0, start - reach - 10)..<min(code.byteCount, start + reach)
      for offset in near {
        guard let constant = x86Constant(in: code, at: offset, position: position) else { continue }
        if let last = constants.last, last.position >= constant.position { continue }
        constants.append(constant)
      }
    }
    return constants
  }

  /// Offsets of 64-bit constants that may be the second word of a text.
  private static func x86SecondWords(in code: RawSpan) -> [Int] {
    var starts: [Int] = []
    let end = code.byteCount - 9
    guard end > 0 else { return [] }
    unsafe code.withUnsafeBytes { bytes in
      for offset in 0..<end
      where unsafe bytes[offset + 1] & 0xF8 == 0xB8 && bytes[offset] & 0xFE == 0x48 {
        let mark = unsafe bytes[offset + 9]
        guard mark >> 4 == 0xE || mark >> 4 == 0xA else { continue }
        let word = unsafe bytes.loadUnaligned(fromByteOffset: offset + 2, as: UInt64.self)
        if SmallString.count(inSecondWord: UInt64(littleEndian: word)) != nil {
          starts.append(offset)
        }
      }
    }
    return starts
  }

  private static func x86Constant(
    in code: RawSpan, at offset: Int, position: Int
  ) -> SmallString.Constant? {
    guard let first = code[at: offset], let second = code[at: offset + 1] else { return nil }
    if first & 0xFE == 0x48, second & 0xF8 == 0xB8 {
      return (try? code.littleEndianInteger(at: offset + 2, as: UInt64.self)).map {
        SmallString.Constant(
          position: position + offset, register: Int(second & 7) | Int(first & 1) << 3, value: $0)
      }
    }
    // 32 bits, without the prefix of a longer form in front.
    guard first & 0xF8 == 0xB8, (code[at: offset - 1] ?? 0) & 0xF0 != 0x40,
      let value = try? code.littleEndianInteger(at: offset + 1, as: UInt32.self)
    else { return nil }
    return SmallString.Constant(
      position: position + offset, register: Int(first & 7), value: UInt64(value))
  }
}
