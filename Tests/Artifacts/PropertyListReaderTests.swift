import Artifacts
import Bytes
import Findings
import FixtureKit
import Testing

@Suite struct `Property list reader` {
  private func read(_ bytes: [UInt8], touched: TouchMap = .everything) -> FragmentRecord {
    FragmentRecord.reading(bytes, with: PropertyListReader(), touched: touched)
  }

  @Test func `another language that starts like a list is no damaged list`() {
    let text = """
      {
        description = "a program";

        # What it is built from.
        inputs = { nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable"; };
        outputs = { self, nixpkgs }: { token = "4711-0815"; };
      }
      """
    let record = read(Array(text.utf8))
    #expect(record.diagnostics.isEmpty)
    #expect(record.fragments.contains { $0.text == "a program" })
    let named = FragmentRecord.reading(
      Array(text.utf8), with: PropertyListReader(), name: "Info.plist")
    #expect(named.diagnostics.map(\.code) == [.formatDamaged])
  }

  @Test func `a value comes with its path, key, neighbours and bytes`() throws {
    var list = PropertyListBuilder()
    let entry = list.dictionary([
      ("name", list.string("encryption_key")), ("value", list.string("00ff00ff")),
    ])
    let top = list.dictionaryOf(("entries", list.array([entry])))
    let bytes = list.file(top: top)
    let record = read(bytes)
    let value = try #require(record.fragment("00ff00ff"))
    #expect(value.path == "key/entries/0/value")
    #expect(value.place.context.key == "value")
    #expect(value.place.context.neighbours.contains("encryption_key"))
    #expect(value.source(of: "ff00", in: bytes) == Array("ff00".utf8))
    #expect(record.diagnostics.isEmpty)
  }

  @Test func `what the raw search saw and did not mark is not handed on again`() {
    var list = PropertyListBuilder()
    let top = list.dictionary([
      ("plain", list.string("seen already")), ("wide", list.string("密码")),
      ("phone", list.integer(13_800_138_000)), ("born", list.date(0)), ("small", list.integer(7)),
      ("blob", list.data([1, 2, 3])),
    ])
    let bytes = list.file(top: top)
    let record = read(bytes, touched: TouchMap(byteCount: bytes.count))
    #expect(
      record.fragments.map(\.text)
        == ["密码", "13800138000", "2001-01-01T00:00:00Z", "\u{1}\u{2}\u{3}"])
    #expect(record.fragments.map(\.name) == [nil, nil, nil, "blob"])
  }

  @Test func `UTF-16 strings are mapped to their bytes`() throws {
    var list = PropertyListBuilder()
    let top = list.string("密码 secret")
    let bytes = list.file(top: top)
    let fragment = try #require(read(bytes).fragment("密码 secret"))
    #expect(fragment.source(of: "s", in: bytes) == [0, 0x73])
    #expect(fragment.source(of: "码", in: bytes) == [0x78, 0x01])
  }

  @Test func `archived objects are resolved and their data handed on as files`() throws {
    var archive = KeyedArchiveBuilder()
    let payload = archive.object("NSData") { [("NS.data", $0.data(Array("inner file".utf8)))] }
    let identifier = archive.object("NSUUID") {
      [("NS.uuidbytes", $0.data((0..<16).map { UInt8($0) }))]
    }
    let root = archive.dictionary([
      (archive.string("payload"), payload), (archive.string("id"), identifier),
    ])
    let record = read(archive.file(root: root))
    let inner = try #require(record.fragment("inner file"))
    #expect(inner.name == "payload")
    #expect(inner.path == "key/root/payload")
    let uuid = try #require(record.fragment("00010203-0405-0607-0809-0A0B0C0D0E0F"))
    #expect(uuid.path == "key/root/id")
  }

  @Test func `base64 of an XML list is decoded through its line breaks`() throws {
    let text = "<plist><dict><key>k</key><data>\n\tc2Vj\n\tcmV0\n</data></dict></plist>"
    let fragment = try #require(read(Array(text.utf8)).fragment("secret"))
    #expect(fragment.name == "k")
    #expect(fragment.source(of: "ret", in: Array(text.utf8)) == Array("cmV0".utf8))
  }

  @Test func `an XML list in UTF-16 is read`() throws {
    let text =
      "<?xml version=\"1.0\"?><plist><dict><key>k</key><string>value</string></dict></plist>"
    let wide: [UInt8] = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let bytes = [0xFF, 0xFE] + wide
    #expect(FragmentRecord.reader(of: bytes)?.kind == "plist")
    let fragment = try #require(read(bytes).fragment("value"))
    #expect(fragment.path == "key/k")
    let source = try #require(fragment.source(of: "value", in: bytes))
    #expect(source == [0x76, 0, 0x61, 0, 0x6C, 0, 0x75, 0, 0x65, 0])
  }

  @Test func `JSON kept in a string is a file of its own`() throws {
    var list = PropertyListBuilder()
    let top = list.dictionary([("state", list.string(#"{"token": "abc", "n": [1, 2]}"#))])
    #expect(read(list.file(top: top)).fragments.contains { $0.name == "state" })
  }

  @Test func `an object that nothing refers to is slack`() throws {
    var list = PropertyListBuilder()
    _ = list.string("left behind")
    let top = list.dictionaryOf(("k", list.string("v")))
    let bytes = list.file(top: top)
    let fragment = try #require(read(bytes).fragment("left behind"))
    #expect(fragment.place.liveness == .slack)
    #expect(fragment.place.steps == ["offset", "8"])
  }

  @Test func `damage, unknown versions and depth are diagnostics`() {
    #expect(
      read(Array("bplist17".utf8) + [1, 2, 3]).diagnostics.map(\.code) == [.formatUnsupported])
    #expect(
      read(Array("bplist00".utf8) + [0x53, 0x61]).diagnostics.contains { $0.code == .formatDamaged }
    )
    var list = PropertyListBuilder()
    var below = list.string("x")
    for _ in 0..<500 { below = list.array([below]) }
    #expect(read(list.file(top: below)).diagnostics.map(\.code) == [.limitDepth])
    let large = [UInt8](repeating: 0x20, count: (32 << 20) + 1)
    #expect(read(Array("bplist00".utf8) + large).diagnostics.map(\.code) == [.limitSize])
  }
}
