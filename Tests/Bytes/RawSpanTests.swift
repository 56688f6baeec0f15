import Bytes
import Testing

@Suite struct `Integers in bytes` {
  static let bytes: [UInt8] = [0x80, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x87, 0x08]

  @Test func `are read in either byte order, at any alignment`() throws {
    let span = Self.bytes.span.bytes
    #expect(try span.integer(at: 0, as: UInt16.self) == 0x8001)
    #expect(try span.integer(at: 0, as: Int16.self) == -32_767)
    #expect(try span.littleEndianInteger(at: 0, as: UInt16.self) == 0x0180)
    #expect(try span.integer(at: 1, as: UInt32.self) == 0x0102_0304)
    #expect(try span.littleEndianInteger(at: 1, as: UInt32.self) == 0x0403_0201)
    #expect(try span.integer(at: 1, as: UInt64.self) == 0x0102_0304_0506_8708)
    #expect(try span.littleEndianInteger(at: 0, as: Int64.self) == -0x78f9_fafb_fcfd_fe80)
    #expect(try span.byte(at: 7) == 0x87)
  }

  @Test(arguments: [(2, 8), (2, -1), (4, 6), (8, 2), (8, .max), (1, 9), (8, .min)])
  func `that do not fit are told by offset and size`(size: Int, offset: Int) throws {
    let span = Self.bytes.span.bytes
    let expected = Truncated(offset: offset, count: size)
    func read() throws(Truncated) {
      switch size {
      case 1: _ = try span.byte(at: offset)
      case 2: _ = try span.integer(at: offset, as: UInt16.self)
      case 4: _ = try span.littleEndianInteger(at: offset, as: UInt32.self)
      default: _ = try span.integer(at: offset, as: UInt64.self)
      }
    }
    var thrown: Truncated?
    do throws(Truncated) { try read() } catch { thrown = error }
    #expect(thrown == expected)
  }

  @Test func `a subscript past either end is nothing`() {
    let span = Self.bytes.span.bytes
    #expect(span[at: 0] == 0x80)
    #expect(span[at: 8] == 0x08)
    #expect(span[at: 9] == nil)
    #expect(span[at: -1] == nil)
    #expect(span[at: .max] == nil)
    #expect(span[at: .min] == nil)
  }

  @Test(arguments: [
    (0..<9, 0..<9), (2..<4, 2..<4), (-5..<3, 0..<3), (7..<100, 7..<9), (20..<30, 9..<9),
    (-9 ..< -3, 0..<0), (Int.min..<Int.max, 0..<9),
  ])
  func `a range is clamped to what there is`(asked: Range<Int>, given: Range<Int>) {
    let span = Self.bytes.span.bytes
    #expect(span.clamped(to: asked).copied() == Array(Self.bytes[given]))
  }

  @Test(arguments: [(0, 10), (9, 1), (10, 0), (-1, 1), (1, -1), (4, .max), (.max, 1)])
  func `parts that are not there are told`(offset: Int, count: Int) {
    let span = Self.bytes.span.bytes
    var thrown: Truncated?
    do throws(Truncated) { _ = try span.bytes(at: offset, count: count) } catch { thrown = error }
    #expect(thrown == Truncated(offset: offset, count: count))
  }

  @Test func `literals are compared in place`() {
    let text = Array("SQLite format 3".utf8)
    let span = text.span.bytes
    #expect(span.hasBytes("SQLite") == true)
    #expect(span.hasBytes("sqlite") == false)
    #expect(span.hasBytes("format 3", at: 7) == true)
    #expect(span.hasBytes("format 3.", at: 7) == false)
    #expect(span.hasBytes("SQLite", at: -1) == false)
    #expect(span.hasBytes([0x33], at: 14) == true)
    #expect(span.hasBytes([0x33], at: 15) == false)
    #expect(span.hasBytes([], at: 15) == true)
    #expect(span.hasBytes([], at: 16) == false)
  }

  @Test func `text is told from bytes that are none`() {
    let text = Array("Zürich".utf8)
    let broken = text + [0xff]
    #expect(text.span.bytes.utf8Text() == "Zürich")
    #expect(broken.span.bytes.utf8Text() == nil)
    #expect(broken.span.bytes.repairedText() == "Zürich\u{fffd}")
  }
}

@Suite struct `A cursor` {
  @Test func `reads field after field and knows what is left`() throws {
    let bytes: [UInt8] = [0, 1, 2, 0, 3, 4, 5, 6, 7, 8]
    var cursor = ByteCursor(bytes.span.bytes)
    #expect(try cursor.next(as: UInt16.self) == 1)
    #expect(try cursor.nextLittleEndian(as: UInt16.self) == 2)
    #expect(try cursor.next(count: 2).copied() == [3, 4])
    try cursor.skip(1)
    #expect(cursor.offset == 7)
    #expect(cursor.remaining == 3)
    try cursor.seek(to: 10)
    #expect(cursor.remaining == 0)
  }

  @Test(arguments: 0..<8)
  func `stays where it is when a field is cut short`(length: Int) {
    let bytes = [UInt8](repeating: 1, count: length)
    var cursor = ByteCursor(bytes.span.bytes)
    var thrown: Truncated?
    do throws(Truncated) { _ = try cursor.next(as: UInt64.self) } catch { thrown = error }
    #expect(thrown == Truncated(offset: 0, count: 8))
    #expect(cursor.offset == 0)
  }

  @Test func `never moves out of the bytes`() {
    let bytes: [UInt8] = [1, 2, 3]
    var cursor = ByteCursor(bytes.span.bytes)
    var refused = 0
    do throws(Truncated) { try cursor.skip(4) } catch { refused += 1 }
    do throws(Truncated) { try cursor.skip(-1) } catch { refused += 1 }
    do throws(Truncated) { try cursor.skip(.max) } catch { refused += 1 }
    do throws(Truncated) { try cursor.seek(to: 4) } catch { refused += 1 }
    do throws(Truncated) { try cursor.seek(to: -1) } catch { refused += 1 }
    #expect(refused == 5)
    #expect(cursor.offset == 0)
    do throws(Truncated) { try cursor.skip(3) } catch { refused += 1 }
    #expect(refused == 5)
    #expect(cursor.offset == 3)
  }
}

@Suite struct `Bytes in memory as a source` {
  @Test func `give fewer bytes at the end, never others`() throws {
    let source = MemorySource([1, 2, 3, 4])
    #expect(try source.bytes(at: 1, count: 2) == [2, 3])
    #expect(try source.bytes(at: 2, count: 100) == [3, 4])
    #expect(try source.bytes(at: 4, count: 1).isEmpty)
    #expect(try source.bytes(at: -1, count: 1).isEmpty)
    #expect(try source.bytes(at: 0, count: 0).isEmpty)
    #expect(try source.bytes(at: .max, count: .max).isEmpty)
  }
}
