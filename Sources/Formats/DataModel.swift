import Bytes

/// A data model of Core Data: what its entities are and what their attributes are stored as. It comes
/// from the editor's XML, from the compiled model, or from the copy that a store keeps of it.
package struct DataModel: Equatable, Sendable {
  package var entities: [Entity] = []
  /// Whether any part of it is synchronised through CloudKit.
  package var usesCloudKit = false
  /// There was more than is read.
  package var isCutOff = false

  package struct Entity: Equatable, Sendable {
    package var name: String
    package var className: String?
    /// Name of the entity it inherits from, whose table it shares.
    package var parent: String?
    package var isAbstract = false
    package var isSynced = false
    package var attributes: [Attribute] = []
    /// Bytes of the model that say so.
    package var range = 0..<0

    package init(name: String) {
      self.name = name
    }
  }

  package struct Attribute: Equatable, Sendable {
    package var name: String
    /// In the editor's words: `String`, `Date`, `Integer 64`, `Binary`, `Transformable`.
    package var type: String
    package var isOptional = false
    package var isIndexed = false
    package var isTransient = false
    package var isDerived = false
    /// Whether large values go to files beside the store; nothing where the model does not say.
    package var isExternal: Bool?
    package var isInSpotlight = false
    package var allowsCloudEncryption: Bool?
    package var transformer: String?
    package var valueClass: String?
    package var hasDefault = false
    package var range = 0..<0

    package init(name: String, type: String) {
      self.name = name
      self.type = type
    }
  }

  /// More attributes than this are not read.
  static let mostAttributes = 50_000

  package subscript(entity: String) -> Entity? { entities.first { $0.name == entity } }
}

extension DataModel {
  /// Whether `head` starts the XML of Xcode's model editor.
  package static func recognisesXML(_ head: RawSpan) -> Bool {
    let window = 0..<min(head.byteCount, 1024)
    guard let model = head.firstOffset(of: "<model ", in: window) else { return false }
    let rest = model..<min(head.byteCount, model + 1024)
    return head.firstOffset(of: "com.apple.IDECoreDataModeler.DataModel", in: rest) != nil
  }

  /// The model in the XML that the editor writes, `<name>.xcdatamodel/contents`.
  package init(parsingXML text: RawSpan) {
    var elements = XMLElements(text)
    var reader = EditorModel()
    while let tag = elements.next(), !reader.isFull { reader.take(tag) }
    self = reader.finish()
  }
}

/// The editor's XML being read, one tag after the other.
private struct EditorModel {
  private var model = DataModel()
  private var entity: DataModel.Entity?
  /// Names of indexed properties of the entity that is open.
  private var indexed: Set<String> = []
  /// Entities of a configuration that is synchronised, and whether such a one is open.
  private var synced: Set<String> = []
  private var isInSyncedConfiguration = false
  private var count = 0

  var isFull: Bool { count >= DataModel.mostAttributes }

  mutating func take(_ tag: XMLElements.Tag) {
    switch (tag.name, tag.kind) {
    case ("model", .opening), ("model", .empty):
      model.usesCloudKit = Self.isYes(tag["usedWithCloudKit"])
    case ("entity", .opening), ("entity", .empty):
      close()
      open(tag)
      if tag.kind == .empty { close() }
    case ("entity", .closing): close()
    case ("attribute", .opening), ("attribute", .empty): add(tag)
    case ("fetchIndexElement", .opening), ("fetchIndexElement", .empty):
      if let property = tag["property"] { indexed.insert(property) }
    case ("configuration", .opening):
      isInSyncedConfiguration = Self.isYes(tag["usedWithCloudKit"])
    case ("configuration", .closing): isInSyncedConfiguration = false
    case ("memberEntity", _):
      if isInSyncedConfiguration, let name = tag["name"] { synced.insert(name) }
    default: break
    }
  }

  private mutating func open(_ tag: XMLElements.Tag) {
    guard let name = tag["name"], model.entities.count < 20_000 else { return }
    var opened = DataModel.Entity(name: name)
    opened.className = tag["representedClassName"]
    opened.parent = tag["parentEntity"]
    opened.isAbstract = Self.isYes(tag["isAbstract"])
    opened.range = tag.range
    entity = opened
    indexed = []
  }

  private mutating func close() {
    guard var closed = entity else { return }
    entity = nil
    for index in closed.attributes.indices where indexed.contains(closed.attributes[index].name) {
      closed.attributes[index].isIndexed = true
    }
    model.entities.append(closed)
  }

  private mutating func add(_ tag: XMLElements.Tag) {
    // Attributes of composite types stand outside of entities and have no column of their own.
    guard entity != nil, let name = tag["name"] else { return }
    count += 1
    var attribute = DataModel.Attribute(name: name, type: tag["attributeType"] ?? "Undefined")
    attribute.isOptional = Self.isYes(tag["optional"])
    attribute.isIndexed = Self.isYes(tag["indexed"])
    attribute.isTransient = Self.isYes(tag["transient"])
    attribute.isDerived = Self.isYes(tag["derived"]) || tag["derivationExpression"] != nil
    attribute.isExternal = Self.isYes(tag["allowsExternalBinaryDataStorage"])
    attribute.isInSpotlight = Self.isYes(tag["spotlightIndexingEnabled"])
    attribute.allowsCloudEncryption = Self.isYes(tag["allowsCloudEncryption"])
    attribute.transformer = tag["valueTransformerName"]
    attribute.valueClass = tag["customClassName"]
    attribute.hasDefault = tag["defaultValueString"] != nil || tag["defaultDateTimeInterval"] != nil
    attribute.range = tag.range
    entity?.attributes.append(attribute)
  }

  mutating func finish() -> DataModel {
    close()
    for index in model.entities.indices {
      model.entities[index].isSynced =
        model.usesCloudKit || synced.contains(model.entities[index].name)
    }
    model.usesCloudKit = model.usesCloudKit || !synced.isEmpty
    model.isCutOff = isFull
    return model
  }

  private static func isYes(_ value: String?) -> Bool {
    value?.uppercased() == "YES" || value == "true" || value == "1"
  }
}
