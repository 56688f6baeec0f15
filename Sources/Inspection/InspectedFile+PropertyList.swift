import Artifacts
import Bytes
import Formats

extension InspectedFile {
  private static var mostValues: Int { 100_000 }

  /// A property list: every value's path and type, the value itself masked.
  func propertyListSections() -> [Inspection.Section] {
    guard let (list, bytes) = PropertyListReader.list(of: source) else { return [] }
    let file = bytes.span.bytes
    var section = Inspection.Section("values", "Values")
    var walk = PropertyListWalk(list, in: file)
    var table = Inspection.Table(
      .init("path", "path"), .init("type", "type"), .init("size", "size", isNumber: true),
      .init("value", "value"))
    var unreachable = 0
    while let visit = walk.next(in: file) {
      guard !visit.isKey else { continue }
      if !visit.isReachable { unreachable += 1 }
      guard table.rows.count < Self.mostValues else {
        table.omitted += 1
        continue
      }
      let steps = walk.steps(in: file)
      let path = steps.first == "key" ? Array(steps.dropFirst()) : steps
      let node = list.nodes[visit.node]
      table.rows.append([
        path.isEmpty ? .word("(root)") : .text(path.joined(separator: "/")),
        .word(Self.type(node, visit.rendering)), Self.size(node),
        Self.content(visit.node, of: list, in: file),
      ])
    }
    table.shown = 60
    let archive = KeyedArchive(list, in: file)
    section.add("format", "format", .word(Self.format(file)))
    section.add("nodes", "values and containers", .number(list.nodes.count))
    if let archive {
      section.add("archive", "keyed archive", .flag(true))
      section.add("objects", "archived objects", .number(archive.objects.count))
    }
    if unreachable > 0 {
      section.add("unreachable", "values that nothing leads to", .number(unreachable))
    }
    section.table = table
    var sections = [section]
    if let archive { sections += archiveSections(archive, list, file) }
    return sections
  }

  private static func format(_ file: RawSpan) -> String {
    if file.hasBytes("bplist") { return "binary" }
    return XMLPropertyList.recognises(file) ? "XML" : "OpenStep"
  }

  private static func type(
    _ node: PropertyList.Node, _ rendering: KeyedArchive.Rendering
  ) -> String {
    switch rendering {
    case .date: "date"
    case .uuid: "uuid"
    case .text, .asStored: node.kind.rawName
    }
  }

  private static func size(_ node: PropertyList.Node) -> Inspection.Value {
    node.kind == .string || node.kind == .data ? .size(node.content.count) : .missing
  }

  /// Truths are types of their own in a property list; everything else is content.
  private static func content(
    _ index: Int, of list: PropertyList, in file: RawSpan
  ) -> Inspection.Value {
    let node = list.nodes[index]
    switch node.kind {
    case .boolean: return .flag(node.boolean)
    case .integer: return .content(Array("\(node.integer)".utf8))
    case .real, .date: return .content(Array("\(node.real)".utf8))
    case .uid: return .number(Int(clamping: node.uid))
    case .string, .data:
      guard node.content.count <= 1 << 20 else { return .missing }
      if let decoded = list.decoded(index, in: file) { return .content(decoded.bytes) }
      return .content(file.clamped(to: node.content).copied())
    case .null, .array, .set, .dictionary: return .missing
    }
  }

  /// Classes of a keyed archive; of a data model its entities and their properties.
  private func archiveSections(
    _ archive: KeyedArchive, _ list: PropertyList, _ file: RawSpan
  ) -> [Inspection.Section] {
    var counts: [String: Int] = [:]
    var model = Inspection.Section("model", "Data model")
    var table = Inspection.Table(
      .init("kind", "kind"), .init("name", "name"), .init("type", "type"),
      .init("isOptional", "optional"))
    for object in archive.objects.prefix(Self.mostValues) where object != PropertyList.missing {
      guard let name = archive.className(of: Int(object), in: list, file: file) else { continue }
      if counts.count < 10_000 || counts[name] != nil { counts[name, default: 0] += 1 }
      guard
        name == "NSEntityDescription" || name.hasSuffix("AttributeDescription")
          || name.hasSuffix("RelationshipDescription")
      else { continue }
      let properties = Properties(of: Int(object), archive, list, file)
      let isEntity = name == "NSEntityDescription"
      table.rows.append([
        .word(
          isEntity
            ? "entity" : name.hasSuffix("AttributeDescription") ? "attribute" : "relationship"),
        .init(properties.text("NSEntityName") ?? properties.text("NSPropertyName")),
        .init(word: properties.integer("NSAttributeType").map(Self.attributeType)),
        properties.flag("NSIsOptional").map { .flag($0) } ?? .missing,
      ])
    }
    table.shown = 60
    if !table.rows.isEmpty { model.table = table }
    var classes = Inspection.Section("classes", "Archived classes")
    var names = Inspection.Table(
      .init("class", "class"), .init("objects", "objects", isNumber: true))
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
      names.rows.append([.text(name), .number(count)])
    }
    classes.table = names
    return [classes, model]
  }

  /// NSAttributeType (CoreData/NSAttributeDescription.h).
  private static func attributeType(_ number: Int64) -> String {
    switch number {
    case 100: "integer 16"
    case 200: "integer 32"
    case 300: "integer 64"
    case 400: "decimal"
    case 500: "double"
    case 600: "float"
    case 700: "string"
    case 800: "boolean"
    case 900: "date"
    case 1000: "binary"
    case 1100: "uuid"
    case 1200: "uri"
    case 1800: "transformable"
    default: "type \(number)"
    }
  }
}

/// The coded properties of an archived object, by name.
private struct Properties {
  private let list: PropertyList
  private var nodes: [String: Int] = [:]
  private var texts: [String: String] = [:]

  init(of object: Int, _ archive: KeyedArchive, _ list: PropertyList, _ file: RawSpan) {
    self.list = list
    let pairs = Array(list.children(of: object).prefix(256))
    for index in stride(from: 0, to: pairs.count - 1, by: 2) {
      guard let key = list.text(Int(pairs[index]), in: file),
        let value = archive.target(of: Int(pairs[index + 1]), in: list)
      else { continue }
      nodes[key] = value
      texts[key] = list.text(value, in: file)
    }
  }

  func text(_ key: String) -> String? { texts[key] }

  func integer(_ key: String) -> Int64? {
    nodes[key].flatMap { list.nodes[$0].kind == .integer ? list.nodes[$0].integer : nil }
  }

  func flag(_ key: String) -> Bool? {
    nodes[key].flatMap { list.nodes[$0].kind == .boolean ? list.nodes[$0].boolean : nil }
  }
}

extension PropertyList.Kind {
  /// The word for it.
  fileprivate var rawName: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .integer: "integer"
    case .real: "real"
    case .date: "date"
    case .data: "data"
    case .string: "string"
    case .uid: "uid"
    case .array: "array"
    case .set: "set"
    case .dictionary: "dictionary"
    }
  }
}
