import Bytes
import Findings
import Formats

/// States what a data model says: its entities, and of each attribute what it is stored as.
struct ModelFacts {
  /// Which form of the model it is: `model` (the editor's), `compiled`, or `store` (a database's copy).
  var source: String
  /// Whether it is the version in use, where there are several.
  var isCurrent = true
  /// The place of a part of the model, by its bytes.
  var place: (Range<Int>) -> Place
  /// Table and column of an attribute, where the model stands in its store.
  var column: (_ entity: String, _ attribute: String) -> (table: String, column: String)? = {
    _, _ in nil
  }

  func state(_ model: DataModel, into sink: inout some FragmentSink) {
    for entity in model.entities {
      if sink.isExhausted { return }
      var values = ["source": [source], "abstract": [Self.text(entity.isAbstract)]]
      values["class"] = entity.className.map { [$0] }
      values["parent"] = entity.parent.map { [$0] }
      values["synced"] = [Self.text(entity.isSynced)]
      values["current"] = [Self.text(isCurrent)]
      sink.state(Fact(.entity, entity.name, values: values, at: self.place(of: entity)))
      let sealed = Set(
        entity.attributes.filter { Self.storage($0.type) == "blob" }.map(\.name))
      for attribute in entity.attributes {
        state(attribute, of: entity, sealed, into: &sink)
      }
    }
    if model.isCutOff {
      sink.diagnostic(
        .limitCount, "the data model has more attributes than are read",
        remedy: "split it, or look at the rest by hand", steps: [])
    }
  }

  private func place(of entity: DataModel.Entity) -> Place {
    var place = self.place(entity.range)
    place.context.entity = entity.name
    return place
  }

  private func state(
    _ attribute: DataModel.Attribute, of entity: DataModel.Entity, _ sealed: Set<String>,
    into sink: inout some FragmentSink
  ) {
    var values = [
      "source": [source], "entity": [entity.name], "type": [attribute.type],
      "storage": [Self.storage(attribute.type)], "optional": [Self.text(attribute.isOptional)],
      "indexed": [Self.text(attribute.isIndexed)], "transient": [Self.text(attribute.isTransient)],
      "derived": [Self.text(attribute.isDerived)],
      "spotlight": [Self.text(attribute.isInSpotlight)], "synced": [Self.text(entity.isSynced)],
      "default": [Self.text(attribute.hasDefault)], "current": [Self.text(isCurrent)],
    ]
    values["external"] = attribute.isExternal.map { [Self.text($0)] }
    values["cloud-encryption"] = attribute.allowsCloudEncryption.map { [Self.text($0)] }
    values["transformer"] = attribute.transformer.map { [$0] }
    values["class"] = attribute.valueClass.map { [$0] }
    if Self.encryptedForms(of: attribute.name).contains(where: sealed.contains) {
      values["encrypted-form"] = ["true"]
    }
    var place = self.place(attribute.range)
    place.context.entity = entity.name
    place.context.attribute = attribute.name
    if let (table, column) = column(entity.name, attribute.name) {
      place.context.table = table
      place.context.column = column
      values["table"] = [table]
    }
    sink.state(Fact(.attribute, attribute.name, values: values, at: place))
  }

  /// `latitudeEncrypted` as bytes beside `latitude`: an entity that can keep its values either way.
  private static func encryptedForms(of name: String) -> [String] {
    let capital = name.prefix(1).uppercased() + name.dropFirst()
    return [name + "Encrypted", "encrypted" + capital, name + "Ciphertext"]
  }

  static func text(_ truth: Bool) -> String { truth ? "true" : "false" }

  /// What a value of a type is in storage, in the words that columns of databases share.
  static func storage(_ type: String) -> String {
    switch type {
    case "String", "URI": "text"
    case "Date": "date"
    case "Boolean": "boolean"
    case "Binary", "Binary Data": "blob"
    case "Transformable": "transformable"
    case "UUID": "uuid"
    case "Double", "Float", "Decimal": "real"
    case "Integer 16", "Integer 32", "Integer 64": "integer"
    case "Composite": "composite"
    default: "undefined"
    }
  }
}
