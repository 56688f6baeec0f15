import Bytes
import FixtureKit
import Formats
import Testing

@Suite struct `Code signatures` {
  private static let xml = """
    <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>\
    <key>get-task-allow</key><true/></dict></plist>
    """

  private static var program: MachOBuilder {
    var builder = MachOBuilder()
    builder.sections = [.init("__TEXT", "__cstring", [UInt8](repeating: 0x61, count: 9_000))]
    var signer = CodeSignatureBuilder()
    signer.entitlements = xml
    signer.derEntitlements = DERBuilder.entitlements([("get-task-allow", DERBuilder.yes)])
    builder.signer = signer
    return builder
  }

  private func signature(
    in file: [UInt8]
  ) throws -> (signature: CodeSignature, image: MachOImage) {
    let image = try #require(try MachOFile.images(of: MemorySource(file)).first)
    let range = try #require(image.signature)
    return (try #require(CodeSignature(Array(file[range]))), image)
  }

  @Test func `say who signed and hold both forms of the entitlements, which agree`() throws {
    let signature = try signature(in: Self.program.bytes()).signature
    let directory = try #require(signature.directories.first)
    #expect(directory.identifier == "org.example.tidal")
    #expect(directory.team == "A1B2C3D4E5")
    #expect(directory.version == 0x20400 && directory.hashName == "sha256")
    #expect(signature.agreement(of: .entitlements, in: directory) == .matches)
    #expect(signature.agreement(of: .derEntitlements, in: directory) == .matches)
    #expect(signature.agreement(of: .requirements, in: directory) == .unhashed)
    let der = try #require(signature.payloadBytes(of: .derEntitlements))
    let value = DEREntitlements.value(parsing: der.span.bytes)
    #expect(value == .dictionary(["get-task-allow": .boolean(true)]))
  }

  @Test func `entitlements that were changed no longer match their hash`() throws {
    var builder = Self.program
    builder.signer?.tamperedEntitlement = 60
    let signature = try signature(in: builder.bytes()).signature
    let directory = try #require(signature.directories.first)
    #expect(signature.agreement(of: .entitlements, in: directory) == .differs)
    #expect(signature.agreement(of: .derEntitlements, in: directory) == .matches)
  }

  @Test func `every directory hashes the pages in its own way`() throws {
    var builder = Self.program
    builder.signer?.hashTypes = [1, 2]
    builder.signer?.version = 0x20200
    var file = builder.bytes()
    let (signature, image) = try signature(in: file)
    #expect(signature.directories.map(\.hashName) == ["sha1", "sha256"])
    for directory in signature.directories {
      #expect(
        try signature.changedPages(
          of: directory, in: MemorySource(file), slice: image.slice.range) == [])
    }
    file[5_000] ^= 1
    for directory in signature.directories {
      #expect(
        try signature.changedPages(
          of: directory, in: MemorySource(file), slice: image.slice.range) == [1])
    }
  }

  @Test func `cut anywhere or with any byte turned they are survived`() throws {
    let whole = Self.program.signer?.signature(of: [UInt8](repeating: 1, count: 9_000)) ?? []
    func read(_ bytes: [UInt8]) throws {
      guard let signature = CodeSignature(bytes) else { return }
      for directory in signature.directories {
        for slot in [CodeSignature.Slot.entitlements, .derEntitlements, .info, .signature] {
          _ = signature.agreement(of: slot, in: directory)
        }
        _ = try signature.changedPages(
          of: directory, in: MemorySource([1, 2, 3]), slice: 0..<3)
      }
    }
    for length in 0..<whole.count { try read(Array(whole.prefix(length))) }
    for offset in whole.indices {
      var damaged = whole
      damaged[offset] ^= 0xFF
      try read(damaged)
    }
  }
}

@Suite struct `DER` {
  @Test func `entitlements nest dictionaries, arrays and plain values`() {
    let bytes = DERBuilder.entitlements([
      ("application-identifier", DERBuilder.text("TEAM.org.example")),
      ("groups", DERBuilder.sequence(DERBuilder.text("one"), DERBuilder.text("two"))),
      ("number", DERBuilder.item(0x02, [0x01, 0x00])),
      (
        "inner",
        DERBuilder.item(0xB0, DERBuilder.sequence(DERBuilder.text("key"), DERBuilder.yes))
      ),
    ])
    let value = DEREntitlements.value(parsing: bytes.span.bytes)
    #expect(
      value
        == .dictionary([
          "application-identifier": .string("TEAM.org.example"),
          "groups": .array([.string("one"), .string("two")]), "number": .integer(256),
          "inner": .dictionary(["key": .boolean(true)]),
        ]))
  }

  @Test func `values without a stated length end at their mark`() throws {
    // Sequence, open: a text, a sequence, open, with an integer, both marks.
    let bytes: [UInt8] = [0x30, 0x80, 0x0C, 1, 0x61, 0x30, 0x80, 0x02, 1, 7, 0, 0, 0, 0, 0xFF]
    let found = bytes.span.bytes.derItem(at: 0)
    let item = try #require(found)
    #expect(item.end == 14)
    let inner = bytes.span.bytes.derItems(in: item.content)
    #expect(inner.map(\.identifier) == [0x0C, 0x30])
    #expect(inner.last?.content == 7..<10)
  }

  /// Lengths that say more than there is, in more bytes than a length has, or none at all.
  @Test(arguments: [
    [0x30, 0x05, 0x0C], [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
    [0x30, 0x88, 0, 0, 0, 0, 0, 0, 0, 1, 0], [0x30, 0xFF, 1], [0x30, 0x85, 0, 0, 0, 0, 1, 0],
    [0x30, 0x82, 1], [0x30], [0x1F, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0], [0x0C, 0x80, 0, 0],
  ])
  func `an overlong length is no value`(stored: [Int]) {
    let bytes = stored.map { UInt8($0) }
    let item = bytes.span.bytes.derItem(at: 0)
    #expect(item == nil)
    _ = DEREntitlements.value(parsing: bytes.span.bytes)
    _ = SignedData(parsing: bytes.span.bytes)
    _ = Certificate(parsing: bytes.span.bytes)
  }

  /// A length in more bytes than it needs is still that length.
  @Test(arguments: [[0x04, 0x81, 1, 7], [0x04, 0x82, 0, 1, 7], [0x04, 0x84, 0, 0, 0, 1, 7]])
  func `a length with zeros in front is read`(stored: [Int]) {
    let bytes = stored.map { UInt8($0) }
    let item = bytes.span.bytes.derItem(at: 0)
    #expect(item?.content == bytes.count - 1..<bytes.count)
  }

  @Test func `values that lie in each other's place end`() {
    // Each says that it reaches to the end: as many values as bytes, none inside itself.
    var bytes: [UInt8] = []
    for left in stride(from: 120, to: 0, by: -2) { bytes += [0x30, UInt8(left - 2)] }
    let items = bytes.span.bytes.derItems(in: 0..<bytes.count)
    #expect(items.count == 1)
    var depth = 0
    var range = 0..<bytes.count
    while let item = bytes.span.bytes.derItem(at: range.lowerBound, before: range.upperBound) {
      depth += 1
      range = item.content
    }
    #expect(depth == 60)
    _ = DEREntitlements.value(parsing: bytes.span.bytes)
  }

  @Test func `nesting without end is given up`() {
    var open: [UInt8] = []
    for _ in 0..<100_000 { open += [0x30, 0x80] }
    let item = open.span.bytes.derItem(at: 0)
    #expect(item == nil)
    var deep = DERBuilder.yes
    for _ in 0..<100 {
      deep = DERBuilder.item(0xB0, DERBuilder.sequence(DERBuilder.text("k"), deep))
    }
    _ = DEREntitlements.value(
      parsing: DERBuilder.item(0x70, DERBuilder.item(0x02, [1]) + deep).span.bytes)
  }

  @Test func `signed data gives back its content and whose certificates came with it`() throws {
    let certificate = DERBuilder.certificate(subject: "Apple Development: Somebody (TEAM)")
    let bytes = DERBuilder.signedData(Array("content".utf8), certificates: [certificate])
    let isRecognised = SignedData.recognises(bytes.span.bytes)
    #expect(isRecognised)
    let found = SignedData(parsing: bytes.span.bytes)
    let signed = try #require(found)
    #expect(signed.content == Array("content".utf8))
    #expect(signed.contentRange.map { Array(bytes[$0]) } == signed.content)
    let range = try #require(signed.certificates.first)
    let whole = Certificate(parsing: bytes.span.bytes.clamped(to: range))
    let parsed = try #require(whole)
    #expect(parsed.name == "Apple Development: Somebody (TEAM)")
    #expect(parsed.notAfter == "20270101000000Z")
    #expect(parsed.keyAlgorithm == "1.2.840.10045.2.1")
  }

  @Test func `signed data cut anywhere or turned is survived`() {
    let whole = DERBuilder.signedData(
      Array("content".utf8), certificates: [DERBuilder.certificate(subject: "Somebody")])
    for length in 0..<whole.count {
      let cut = Array(whole.prefix(length))
      _ = SignedData(parsing: cut.span.bytes)
    }
    for bit in 0..<whole.count * 8 {
      var damaged = whole
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let signed = SignedData(parsing: damaged.span.bytes) else { continue }
      for range in signed.certificates {
        _ = Certificate(parsing: damaged.span.bytes.clamped(to: range))
      }
    }
  }
}
