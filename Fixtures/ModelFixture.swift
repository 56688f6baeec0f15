/// Compiled data models: keyed archives laid out as Core Data writes them (key names read from stores
/// of iOS: NSEntityDescription, NSAttributeDescription).
package enum ModelFixture {
  package struct Entity {
    var name: String
    var parent: String?
    var attributes: [Attribute]

    package init(_ name: String, parent: String? = nil, _ attributes: [Attribute]) {
      self.name = name
      self.parent = parent
      self.attributes = attributes
    }
  }

  package struct Attribute {
    var name: String
    /// NSAttributeType: 700 is text, 900 a date, 1000 binary.
    var type: Int64
    var isOptional: Bool
    var isIndexed: Bool
    var isTransient: Bool
    var transformer: String?

    package init(
      _ name: String, _ type: Int64, isOptional: Bool = false, isIndexed: Bool = false,
      isTransient: Bool = false, transformer: String? = nil
    ) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
      self.isIndexed = isIndexed
      self.isTransient = isTransient
      self.transformer = transformer
    }
  }

  /// The archive: an NSManagedObjectModel whose entities name one another by UID.
  package static func archive(_ entities: [Entity]) -> [UInt8] {
    var builder = KeyedArchiveBuilder()
    // Objects may name what stands behind them: UIDs of the entities are counted first. Each entity is
    // one object and its name another; the class description comes with the first.
    var uids: [String: Int] = [:]
    var names: [String: Int] = [:]
    for entity in entities { names[entity.name] = builder.string(entity.name) }
    // The class description takes one object before the first entity.
    let first = builder.nextObject + 1
    for (index, entity) in entities.enumerated() { uids[entity.name] = first + index }
    var numbers: [Int] = []
    for entity in entities {
      let number = builder.object("NSEntityDescription") { list in
        var pairs = [("NSEntityName", list.uid(names[entity.name] ?? 0))]
        if let parent = entity.parent.flatMap({ uids[$0] }) {
          pairs.append(("NSSuperentity", list.uid(parent)))
        }
        return pairs
      }
      numbers.append(number)
    }
    for entity in entities {
      for attribute in entity.attributes {
        add(attribute, of: uids[entity.name] ?? 0, to: &builder)
      }
    }
    let pairs = entities.indices.map { (names[entities[$0].name] ?? 0, numbers[$0]) }
    let all = builder.dictionary(pairs)
    let root = builder.object("NSManagedObjectModel") { list in
      [("NSEntities", list.uid(all))]
    }
    return builder.file(root: root)
  }

  private static func add(
    _ attribute: Attribute, of entity: Int, to builder: inout KeyedArchiveBuilder
  ) {
    let name = builder.string(attribute.name)
    let transformer = attribute.transformer.map { builder.string($0) }
    _ = builder.object("NSAttributeDescription") { list in
      var pairs = [
        ("NSPropertyName", list.uid(name)), ("NSAttributeType", list.integer(attribute.type)),
        ("NSEntity", list.uid(entity)), ("NSFlagsKey", list.integer(0)),
      ]
      if attribute.isOptional { pairs.append(("NSIsOptional", list.add([0x09]))) }
      if attribute.isIndexed { pairs.append(("NSIsIndexed", list.add([0x09]))) }
      if attribute.isTransient { pairs.append(("NSIsTransient", list.add([0x09]))) }
      if let transformer { pairs.append(("NSValueTransformerName", list.uid(transformer))) }
      return pairs
    }
  }
}
