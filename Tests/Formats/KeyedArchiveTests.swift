import Bytes
import FixtureKit
import Formats
import Testing

@Suite struct `Keyed archive` {
  private func rows(_ bytes: [UInt8]) throws -> [String] {
    WalkedValues(try BinaryPropertyList(parsing: bytes.span.bytes).list, in: bytes).rows
  }

  @Test func `collections and strings are resolved to the path a person would write`() throws {
    var archive = KeyedArchiveBuilder()
    let token = archive.string("tok-1")
    let wrapped = archive.object("NSMutableString") { [("NS.string", $0.string("tok-2"))] }
    let account = archive.dictionary([(archive.string("token"), token)])
    let other = archive.dictionary([(archive.string("token"), wrapped)])
    let accounts = archive.array([account, other])
    let root = archive.dictionary([(archive.string("accounts"), accounts)])
    let rows = try rows(archive.file(root: root))
    #expect(rows.prefix(2) == ["root.accounts.0.token: tok-1", "root.accounts.1.token: tok-2"])
  }

  @Test func `wrapped values are shown as what they are`() throws {
    var archive = KeyedArchiveBuilder()
    let values = [
      archive.object("NSDate") { [("NS.time", $0.real(0))] },
      archive.object("NSData") { [("NS.data", $0.data([0xAB, 0xCD]))] },
      archive.object("NSUUID") { [("NS.uuidbytes", $0.data([UInt8](repeating: 7, count: 16)))] },
      archive.object("NSString") { [("NS.bytes", $0.data(Array("text".utf8)))] },
    ]
    let location = archive.string("https://a.example/?key=1")
    let address = archive.object("NSURL") {
      [("NS.base", $0.uid(0)), ("NS.relative", $0.uid(location))]
    }
    let root = archive.array(values + [address])
    let rows = try rows(archive.file(root: root))
    #expect(
      rows.prefix(5) == [
        "root.0: 2001-01-01T00:00:00Z", "root.1: abcd",
        "root.2: " + String(repeating: "07", count: 16), "root.3: 74657874",
        "root.4: https://a.example/?key=1",
      ])
  }

  @Test func `a class unknown here is a dictionary of its coded properties`() throws {
    var archive = KeyedArchiveBuilder()
    let pin = archive.string("4711")
    let root = archive.object("App.Account") { [("pin", $0.uid(pin)), ("age", $0.integer(42))] }
    let bytes = archive.file(root: root)
    #expect(try rows(bytes).prefix(2) == ["root.pin: 4711", "root.age: 42"])
    let list = try BinaryPropertyList(parsing: bytes.span.bytes).list
    let reading = KeyedArchive(list, in: bytes.span.bytes)
    let keyed = try #require(reading)
    let object = Int(keyed.objects[root])
    let name = keyed.className(of: object, in: list, file: bytes.span.bytes)
    #expect(name == "App.Account")
  }

  @Test func `an object that holds itself ends`() throws {
    var archive = KeyedArchiveBuilder()
    let inside = archive.string("inside")
    let own = archive.nextObject + 1
    let root = archive.array([own, inside, own])
    #expect(root == own)
    #expect(try rows(archive.file(root: root)).contains("root.1: inside"))
  }

  @Test func `a UID outside the objects leads nowhere`() throws {
    var archive = KeyedArchiveBuilder()
    let inside = archive.string("inside")
    let root = archive.array([60_000, inside])
    #expect(try rows(archive.file(root: root)).contains("root.1: inside"))
  }

  @Test func `dictionaries that share one long array stay affordable`() throws {
    var archive = KeyedArchiveBuilder()
    let member = archive.string("m")
    var shared: Int?
    let users = (0..<3000).map { _ in
      archive.object("NSArray") { list in
        let array = shared ?? list.array([Int](repeating: list.uid(member), count: 3000))
        shared = array
        return [("NS.objects", array)]
      }
    }
    let root = archive.array(users)
    let values = try BinaryPropertyList(parsing: archive.file(root: root).span.bytes).list
    let walked = WalkedValues(values, in: archive.file(root: root))
    #expect(walked.rows.first == "root.0.0: m")
    #expect(walked.visits < 200_000)
  }

  @Test func `an archive in XML is resolved like one in binary`() throws {
    let bytes = Array(
      """
      <?xml version="1.0"?><plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver\
      </string><key>$objects</key><array><string>$null</string><string>s3cret</string></array>\
      <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>\
      </dict></plist>
      """.utf8)
    let list = try XMLPropertyList(parsing: bytes.span.bytes).list
    #expect(WalkedValues(list, in: bytes).rows.first == "root: s3cret")
  }
}
