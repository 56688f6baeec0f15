import Bytes
import FixtureKit
import Formats
import Testing

@Suite struct `Data models` {
  static let editor = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" usedWithCloudKit="NO">
        <!-- an <attribute name="ghost" attributeType="String"/> in a comment -->
        <entity name="Person" representedClassName="Person" syncable="YES">
            <attribute name="birthTime" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="note" attributeType="String" spotlightIndexingEnabled="YES" defaultValueString="a &lt; b"/>
            <attribute name="portrait" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="draft" optional="YES" transient="YES" attributeType="String"/>
            <attribute name="tags" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
            <attribute name="secret" attributeType="Binary" allowsCloudEncryption="YES"/>
            <relationship name="friend" destinationEntity="Person"/>
            <fetchIndex name="byTime"><fetchIndexElement property="birthTime" type="Binary"/></fetchIndex>
        </entity>
        <entity name="Child" parentEntity="Person" isAbstract="YES"/>
        <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="Person"/></configuration>
    </model>
    """

  @Test func `of the editor say what every attribute is stored as`() throws {
    let text = Array(Self.editor.utf8)
    let isModel = DataModel.recognisesXML(text.span.bytes)
    #expect(isModel)
    let model = DataModel(parsingXML: text.span.bytes)
    #expect(model.entities.map(\.name) == ["Person", "Child"])
    let person = try #require(model["Person"])
    #expect(
      person.attributes.map(\.name) == ["birthTime", "note", "portrait", "draft", "tags", "secret"])
    #expect(person.isSynced && model.usesCloudKit)
    #expect(model["Child"]?.parent == "Person")
    #expect(model["Child"]?.isAbstract == true)
    #expect(model["Child"]?.isSynced == false)
    let birth = person.attributes[0]
    #expect(birth.type == "Date" && birth.isOptional && birth.isIndexed)
    #expect(
      Self.editor.utf8.dropFirst(birth.range.lowerBound).starts(
        with: "<attribute name=\"birth".utf8))
    #expect(person.attributes[1].isInSpotlight && person.attributes[1].hasDefault)
    #expect(person.attributes[2].isExternal == true)
    #expect(person.attributes[3].isTransient)
    #expect(person.attributes[4].transformer == "NSSecureUnarchiveFromData")
    #expect(person.attributes[5].allowsCloudEncryption == true)
    #expect(person.attributes[0].allowsCloudEncryption == false)
  }

  @Test func `compiled say the same as far as they are archived`() throws {
    let archive = ModelFixture.archive([
      .init(
        "Person",
        [
          .init("birthTime", 900, isOptional: true, isIndexed: true), .init("note", 700),
          .init("draft", 700, isTransient: true),
          .init("tags", 1800, transformer: "NSSecureUnarchiveFromData"),
        ]),
      .init("Child", parent: "Person", [.init("note", 700), .init("school", 700)]),
    ])
    let list = try BinaryPropertyList(parsing: archive.span.bytes).list
    let read = DataModel(list, in: archive.span.bytes)
    let model = try #require(read)
    #expect(model.entities.map(\.name) == ["Person", "Child"])
    let person = try #require(model["Person"])
    #expect(person.attributes.map(\.type) == ["Date", "String", "String", "Transformable"])
    #expect(person.attributes.map(\.isOptional) == [true, false, false, false])
    #expect(person.attributes.map(\.isIndexed) == [true, false, false, false])
    #expect(person.attributes[2].isTransient)
    #expect(person.attributes[3].transformer == "NSSecureUnarchiveFromData")
    // What is inherited is told once.
    #expect(model["Child"]?.attributes.map(\.name) == ["school"])
    #expect(model["Child"]?.parent == "Person")
  }

  @Test(arguments: 0..<40)
  func `cut short anywhere are read as far as they go`(part: Int) {
    let xml = Array(Self.editor.utf8)
    let cut = Array(xml[..<(xml.count * part / 40)])
    let model = DataModel(parsingXML: cut.span.bytes)
    #expect(model.entities.count <= 2)
    let archive = ModelFixture.archive([.init("Person", [.init("note", 700)])])
    let short = Array(archive[..<(archive.count * part / 40)])
    guard let list = try? BinaryPropertyList(parsing: short.span.bytes).list else { return }
    _ = DataModel(list, in: short.span.bytes)
  }

  @Test func `with parents in a circle end`() throws {
    let archive = ModelFixture.archive([
      .init("A", parent: "B", [.init("x", 700)]), .init("B", parent: "A", [.init("y", 700)]),
    ])
    let list = try BinaryPropertyList(parsing: archive.span.bytes).list
    let model = DataModel(list, in: archive.span.bytes)
    #expect(model?.entities.count == 2)
  }

  @Test func `are no other keyed archives`() throws {
    var builder = KeyedArchiveBuilder()
    let text = builder.string("hello")
    let archive = builder.file(root: text)
    let list = try BinaryPropertyList(parsing: archive.span.bytes).list
    let model = DataModel(list, in: archive.span.bytes)
    #expect(model == nil)
  }
}

@Suite struct `XML tags` {
  private func tags(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var elements = XMLElements(bytes.span.bytes)
    var found: [String] = []
    while let tag = elements.next() {
      let attributes = tag.attributes.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
      found.append("\(tag.kind) \(tag.name) \(attributes)")
    }
    return found
  }

  @Test func `hold attributes with any sign inside`() {
    #expect(
      tags("<a x='1 > 2' y = \"&quot;q&quot;\" flag><!-- <b> --><c/></a>") == [
        "opening a x=1 > 2,y=\"q\"", "empty c ", "closing a ",
      ])
  }

  @Test(arguments: ["<", "<a", "<a b", "<a b=", "<a b='", "<a <b>", "<!--", "<![CDATA[ <x>", "<?x"])
  func `that never end are survived`(text: String) {
    #expect(tags(text).count <= 2)
  }
}
