import Bytes
import FixtureKit
import Formats
import Testing

@Suite(.enabled(if: SharedCorpus.isPresent, "the shared corpus is not beside the package"))
struct `Property lists of other projects` {
  /// Files whose table says how many items the outermost collection has.
  private static let counted: [(path: String, count: Int)] = ["libplist", "plaso"].flatMap { name in
    SharedCorpus.truth(of: name).compactMap { row -> (path: String, count: Int)? in
      guard
        let start = row.truth.firstRange(of: "dict, ") ?? row.truth.firstRange(of: "dict with "),
        let count = Int(row.truth[start.upperBound...].prefix { $0.isNumber })
      else { return nil }
      return (name + "/" + row.file, count)
    }
  }

  private func list(_ bytes: [UInt8]) throws -> PropertyList {
    if bytes.span.bytes.hasBytes("bplist") {
      return try BinaryPropertyList(parsing: bytes.span.bytes).list
    }
    return try XMLPropertyList(parsing: bytes.span.bytes).list
  }

  @Test(arguments: counted)
  func `a list has the items its table says`(path: String, count: Int) throws {
    let bytes = SharedCorpus.bytes(of: path)
    let list = try list(bytes)
    let root = try #require(list.root)
    #expect(list.nodes[root].kind == .dictionary)
    #expect(list.children(of: root).count == count * 2)
    #expect(list.damage.isEmpty)
    _ = WalkedValues(list, in: bytes)
  }

  @Test func `files that other parsers reject are read as far as they go`() throws {
    for path in ["libplist/malformed_dict.bplist", "plaso/plist_truncated.plist"] {
      let bytes = SharedCorpus.bytes(of: path)
      let list = try list(bytes)
      #expect(!list.damage.isEmpty)
      _ = WalkedValues(list, in: bytes)
    }
  }

  @Test func `character references, a year 0 and old-style lists are read`() throws {
    let entities = SharedCorpus.bytes(of: "libplist/entities.plist")
    let rows = WalkedValues(try list(entities), in: entities).rows
    #expect(rows.contains("some test entitites.copyright: ©"))
    #expect(rows.contains("one byte entity.one byte entity with text before & after: a@z"))
    let zero = SharedCorpus.bytes(of: "plaso/plist_com.apple.security.KCN.plist")
    #expect(try list(zero).damage.isEmpty)
    let old = SharedCorpus.bytes(of: "libplist/o2.ostep")
    let read = try OpenStepPropertyList(parsing: old.span.bytes).list
    let values = WalkedValues(read, in: old).rows
    #expect(values.contains("Some UTF8 strings.1: 日本語"))
    #expect(values.contains("Some String with Unicode entity: Yeah check this: \u{1234} !!!"))
    #expect(read.damage.isEmpty)
  }

  @Test func `a keyed archive of another project resolves`() throws {
    let bytes = SharedCorpus.bytes(of: "plaso/plist_NSKeyedArchiver.plist")
    let list = try list(bytes)
    let archive = KeyedArchive(list, in: bytes.span.bytes)
    #expect(archive != nil)
    let rows = WalkedValues(list, in: bytes).rows
    #expect(!rows.isEmpty)
    #expect(rows.allSatisfy { !$0.hasPrefix("$objects") })
  }
}
