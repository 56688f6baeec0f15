import Bytes
import Findings
import FixtureKit
import Formats
import Testing

@Suite struct `Binary property list` {
  private func walk(_ bytes: [UInt8]) throws -> WalkedValues {
    WalkedValues(try BinaryPropertyList(parsing: bytes.span.bytes).list, in: bytes)
  }

  private static func sample() -> [UInt8] {
    var list = PropertyListBuilder()
    let accounts = list.array([
      list.dictionary([("token", list.string("sëcret")), ("blob", list.data([1, 2, 3]))])
    ])
    let members = list.array([list.real(1.5), list.uid(7)], marker: 0xC0)
    let top = list.dictionary([
      ("accounts", accounts), ("born", list.date(-531_360_000)),
      ("count", list.integer(-5)), ("flags", list.array([list.add([0x08]), list.add([0x09])])),
      ("members", members), ("nothing", list.add([0x00])),
    ])
    return list.file(top: top)
  }

  @Test func `every type of object is read with the path that leads to it`() throws {
    let values = try walk(Self.sample())
    #expect(
      values.rows == [
        "accounts.0.token: sëcret", "accounts.0.blob: 010203", "born: 1984-03-01T00:00:00Z",
        "count: -5", "flags.0: false", "flags.1: true", "members.0: 1.5", "members.1: uid 7",
        "nothing: null",
      ])
    #expect(values.keys.contains("token"))
    #expect(values.unreachable == 0)
  }

  @Test func `every value says which bytes of the file it is`() throws {
    let bytes = Self.sample()
    let list = try BinaryPropertyList(parsing: bytes.span.bytes).list
    let node = try #require(list.nodes.indices.first { list.nodes[$0].kind == .data })
    #expect(Array(bytes[list.nodes[node].content]) == [1, 2, 3])
    #expect(bytes[list.nodes[node].range.lowerBound] == 0x43)
    let text = try #require(list.nodes.indices.first { list.nodes[$0].storage == .utf16BigEndian })
    let decoding = list.decoded(text, in: bytes.span.bytes)
    let decoded = try #require(decoding)
    // The second character, two bytes in UTF-8 and two in the file.
    let range = try #require(decoded.map.range(of: 1..<3))
    #expect(bytes[range.offset..<range.end] == [0x00, 0xEB])
  }

  @Test(arguments: [1, 2, 3, 4, 5, 8], [1, 2, 4, 8])
  func `offsets and references of any size are followed`(offset: Int, reference: Int) throws {
    var list = PropertyListBuilder(referenceSize: reference, offsetSize: offset)
    let top = list.dictionary([("key", list.string("value"))])
    #expect(try walk(list.file(top: top)).rows == ["key: value"])
  }

  @Test func `integers have 1 to 16 bytes`() throws {
    for (power, text) in ["255", "65535", "4294967295", "-1", "-1"].enumerated() {
      var list = PropertyListBuilder()
      let top = list.add([0x10 | UInt8(power)] + [UInt8](repeating: 0xFF, count: 1 << power))
      #expect(try walk(list.file(top: top)).rows == [": " + text])
    }
  }

  @Test func `an object that nothing refers to is visited too`() throws {
    var list = PropertyListBuilder()
    _ = list.string("left behind")
    let top = list.dictionary([("key", list.string("value"))])
    let values = try walk(list.file(top: top))
    #expect(values.rows == ["key: value", "8.key: left behind"] || values.unreachable == 1)
    #expect(values.rows.contains { $0.hasSuffix("left behind") })
  }

  @Test func `a collection that holds itself ends`() throws {
    var list = PropertyListBuilder()
    let own = list.nextObject
    _ = list.array([own, own + 1, own])
    _ = list.array([own, own + 2])
    _ = list.string("inside")
    #expect(try walk(list.file(top: own)).rows == ["1.1: inside"])
  }

  @Test func `shared branches cost no more than the file`() throws {
    var list = PropertyListBuilder()
    var below = list.string("leaf")
    for _ in 0..<60 { below = list.array([below, below]) }
    let values = try walk(list.file(top: below))
    #expect(values.visits <= 4)
  }

  @Test func `a short value under two names is visited under both`() throws {
    var list = PropertyListBuilder()
    let value = list.string("hunter2")
    let top = list.dictionary([("user", value), ("password", value)])
    #expect(try walk(list.file(top: top)).rows == ["user: hunter2", "password: hunter2"])
  }

  @Test func `nesting 10,000 deep neither overflows nor hides the innermost value`() throws {
    var list = PropertyListBuilder()
    var below = list.string("innermost")
    for _ in 0..<10_000 { below = list.array([below]) }
    let values = try walk(list.file(top: below))
    #expect(values.isDeep)
    #expect(values.rows.contains { $0.hasSuffix(": innermost") })
  }

  @Test(arguments: [0x40, 0x50, 0x60, 0xA0, 0xC0, 0xD0] as [UInt8])
  func `an absurd count is damage, not memory`(marker: UInt8) throws {
    var list = PropertyListBuilder()
    let top = list.add([marker | 0x0F, 0x13] + PropertyListBuilder.bigEndian(1 << 62, size: 8))
    let bytes = list.file(top: top)
    let read = try BinaryPropertyList(parsing: bytes.span.bytes).list
    #expect(read.damage.map(\.kind) == [.truncated])
  }

  @Test func `a trailer that claims too many objects is not believed`() throws {
    var list = PropertyListBuilder()
    let top = list.dictionary([("key", list.string("value"))])
    let values = try walk(list.file(top: top, count: Int.max))
    #expect(values.rows.contains { $0.hasSuffix("value") })
  }

  @Test func `objects that overlap are cut off`() throws {
    // One long string in every one of many objects: together far more than the file.
    var list = PropertyListBuilder(referenceSize: 2, offsetSize: 2)
    for _ in 0..<2000 { _ = list.add([0x5F, 0x12, 0x00, 0x00, 0x27, 0x10]) }
    let bytes = list.file(top: 0)
    let read = try BinaryPropertyList(parsing: bytes.span.bytes).list
    #expect(read.damage.contains { $0.kind == .overlap })
    #expect(WalkedValues(read, in: bytes).visits < 2000)
  }

  @Test(arguments: ["bplist15", "bplist16", "bplist17"])
  func `siblings of the format are told apart`(magic: String) {
    let bytes = Array(magic.utf8) + [UInt8](repeating: 0, count: 40)
    #expect(throws: PropertyListError.unsupported(version: String(magic.suffix(2)))) {
      _ = try BinaryPropertyList(parsing: bytes.span.bytes)
    }
  }

  @Test func `a list cut short anywhere keeps what comes before the cut`() throws {
    let whole = Self.sample()
    let read = try BinaryPropertyList(parsing: whole.span.bytes).list
    let text = try #require(read.nodes.first { $0.storage == .utf16BigEndian })
    for length in 8..<whole.count {
      let bytes = Array(whole[..<length])
      let list = try BinaryPropertyList(parsing: bytes.span.bytes).list
      #expect(!list.damage.isEmpty)
      let values = WalkedValues(list, in: bytes)
      if length >= text.range.upperBound {
        #expect(values.rows.contains { $0.hasSuffix("sëcret") }, "cut at \(length)")
      }
    }
  }

  @Test func `a flipped bit anywhere is survived`() throws {
    let whole = Self.sample()
    for offset in 8..<whole.count {
      for bit in 0..<8 {
        var bytes = whole
        bytes[offset] ^= 1 << UInt8(bit)
        _ = WalkedValues(try BinaryPropertyList(parsing: bytes.span.bytes).list, in: bytes)
      }
    }
  }
}
