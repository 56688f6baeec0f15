import Bytes

extension DataModel {
  /// The model in a keyed archive whose root is an NSManagedObjectModel: a compiled `.mom`, or the
  /// decompressed content of a store's Z_MODELCACHE.
  ///
  /// Descriptions are taken wherever they stand among the objects, by class: how the dictionaries
  /// between them are encoded differs from version to version.
  package init?(_ list: PropertyList, in file: RawSpan) {
    guard let archive = KeyedArchive(list, in: file) else { return nil }
    let reader = ArchivedModel(list: list, archive: archive)
    guard reader.isModel(in: file) else { return nil }
    self.init()
    var places: [Int: Int] = [:]
    var attributes: [Int] = []
    var indexed: [Int: Set<String>] = [:]
    for object in archive.objects where object != PropertyList.missing {
      let node = Int(object)
      guard let name = archive.className(of: node, in: list, file: file) else { continue }
      if name.hasSuffix("AttributeDescription") {
        attributes.append(node)
      } else if name == "NSEntityDescription", entities.count < 20_000,
        let entity = reader.entity(node, in: file)
      {
        places[node] = entities.count
        entities.append(entity)
      } else if name == "NSFetchIndexElementDescription" {
        reader.noteIndex(node, in: file, &indexed)
      }
    }
    isCutOff = attributes.count > Self.mostAttributes
    for node in attributes.prefix(Self.mostAttributes) {
      guard var attribute = reader.attribute(node, in: file),
        let owner = reader.object(node, "NSEntity", in: file), let place = places[owner]
      else { continue }
      if indexed[owner]?.contains(attribute.name) == true { attribute.isIndexed = true }
      entities[place].attributes.append(attribute)
    }
    dropInherited()
  }

  /// A sub-entity's description repeats what it inherits.
  private mutating func dropInherited() {
    let own = Dictionary(
      entities.map { ($0.name, Set($0.attributes.map(\.name))) },
      uniquingKeysWith: { one, _ in one })
    for index in entities.indices {
      guard let parent = entities[index].parent, let known = own[parent] else { continue }
      entities[index].attributes.removeAll { known.contains($0.name) }
    }
  }
}

/// Reads the descriptions of an archived model.
private struct ArchivedModel {
  let list: PropertyList
  let archive: KeyedArchive

  func isModel(in file: RawSpan) -> Bool {
    guard let root = list.value(of: archive.top, under: "root", in: file),
      let object = archive.target(of: root, in: list)
    else { return false }
    return archive.className(of: object, in: list, file: file) == "NSManagedObjectModel"
  }

  func entity(_ node: Int, in file: RawSpan) -> DataModel.Entity? {
    guard let name = text(node, "NSEntityName", in: file) else { return nil }
    var entity = DataModel.Entity(name: name)
    entity.className = text(node, "NSClassNameForEntity", in: file)
    entity.isAbstract = truth(node, "NSIsAbstract", in: file)
    entity.range = list.nodes[node].range
    if let parent = object(node, "NSSuperentity", in: file), parent != node {
      entity.parent = text(parent, "NSEntityName", in: file)
    }
    return entity
  }

  func attribute(_ node: Int, in file: RawSpan) -> DataModel.Attribute? {
    guard let name = text(node, "NSPropertyName", in: file) else { return nil }
    let code = integer(node, "NSAttributeType", in: file) ?? 0
    var attribute = DataModel.Attribute(name: name, type: Self.typeName(code))
    attribute.isOptional = truth(node, "NSIsOptional", in: file)
    attribute.isIndexed = truth(node, "NSIsIndexed", in: file)
    attribute.isTransient = truth(node, "NSIsTransient", in: file)
    attribute.isInSpotlight = truth(node, "NSIndexedBySpotlight", in: file)
    attribute.isDerived =
      archive.className(of: node, in: list, file: file) == "NSDerivedAttributeDescription"
    attribute.transformer = text(node, "NSValueTransformerName", in: file)
    attribute.valueClass = text(node, "NSAttributeValueClassName", in: file)
    attribute.hasDefault = object(node, "NSDefaultValue", in: file) != nil
    // What the bits of the flags mean is not documented; none set means nothing special.
    if integer(node, "NSFlagsKey", in: file) == 0 { attribute.isExternal = false }
    attribute.range = list.nodes[node].range
    return attribute
  }

  /// An index on properties, which stands apart from their descriptions since iOS 11.
  func noteIndex(_ node: Int, in file: RawSpan, _ indexed: inout [Int: Set<String>]) {
    guard let name = text(node, "NSPropertyName", in: file),
      let index = object(node, "NSFetchIndexDescription", in: file),
      let owner = object(index, "NSEntity", in: file)
    else { return }
    indexed[owner, default: []].insert(name)
  }

  func object(_ node: Int, _ key: StaticString, in file: RawSpan) -> Int? {
    list.value(of: node, under: key, in: file).flatMap { archive.target(of: $0, in: list) }
  }

  private func text(_ node: Int, _ key: StaticString, in file: RawSpan) -> String? {
    guard var value = object(node, key, in: file) else { return nil }
    if let (inner, _) = archive.content(of: value, in: list, file: file) { value = inner }
    guard list.nodes[value].kind == .string else { return nil }
    let text = list.text(value, in: file, limit: 512)
    return text?.isEmpty == false ? text : nil
  }

  private func integer(_ node: Int, _ key: StaticString, in file: RawSpan) -> Int64? {
    guard let value = object(node, key, in: file), list.nodes[value].kind == .integer else {
      return nil
    }
    return list.nodes[value].integer
  }

  private func truth(_ node: Int, _ key: StaticString, in file: RawSpan) -> Bool {
    guard let value = object(node, key, in: file) else { return false }
    switch list.nodes[value].kind {
    case .boolean: return list.nodes[value].boolean
    case .integer: return list.nodes[value].integer != 0
    default: return false
    }
  }

  /// NSAttributeType in the editor's words (NSAttributeDescription.h).
  private static func typeName(_ code: Int64) -> String {
    switch code {
    case 100: "Integer 16"
    case 200: "Integer 32"
    case 300: "Integer 64"
    case 400: "Decimal"
    case 500: "Double"
    case 600: "Float"
    case 700: "String"
    case 800: "Boolean"
    case 900: "Date"
    case 1000: "Binary"
    case 1100: "UUID"
    case 1200: "URI"
    case 1800: "Transformable"
    case 2000: "ObjectID"
    case 2100: "Composite"
    default: "Undefined"
    }
  }
}
