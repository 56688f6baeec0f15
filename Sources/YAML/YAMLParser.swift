import CYAML

/// Reads one YAML document into nodes with libyaml's event parser. Anchors, aliases and tags are
/// refused: configuration has no use for them, and aliases can grow without bound.
package struct YAMLParser: ~Copyable {
  /// Nesting beyond this is refused.
  static let maximumDepth = 64

  private var parser = yaml_parser_t()

  private init() {}

  /// The document in `text`; an empty document is nothing.
  package static func parse(_ text: String) throws(YAMLError) -> YAMLNode? {
    var text = SurrogatePairs.joined(in: text)
    var result: Result<YAMLNode?, YAMLError> = .success(nil)
    text.withUTF8 { bytes in
      var reader = YAMLParser()
      yaml_parser_initialize(&reader.parser)
      yaml_parser_set_input_string(&reader.parser, bytes.baseAddress, bytes.count)
      do throws(YAMLError) {
        result = .success(try reader.document())
      } catch {
        result = .failure(error)
      }
      yaml_parser_delete(&reader.parser)
    }
    return try result.get()
  }

  private mutating func document() throws(YAMLError) -> YAMLNode? {
    var root: YAMLNode?
    while true {
      let event = try next()
      switch event.kind {
      case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT, YAML_DOCUMENT_END_EVENT:
        continue
      case YAML_STREAM_END_EVENT:
        return root
      default:
        guard root == nil else {
          throw YAMLError("only one document is allowed in a file", at: event.mark)
        }
        root = try node(from: event, depth: 0)
      }
    }
  }

  private mutating func node(from event: Event, depth: Int) throws(YAMLError) -> YAMLNode {
    guard depth < Self.maximumDepth else { throw YAMLError("nested too deeply", at: event.mark) }
    switch event.kind {
    case YAML_SCALAR_EVENT:
      return YAMLNode(value: .scalar(event.text, quoted: event.isQuoted), mark: event.mark)
    case YAML_SEQUENCE_START_EVENT:
      return YAMLNode(value: .sequence(try items(depth: depth)), mark: event.mark)
    case YAML_MAPPING_START_EVENT:
      return YAMLNode(value: .mapping(try entries(depth: depth)), mark: event.mark)
    case YAML_ALIAS_EVENT:
      throw YAMLError("aliases are not allowed", at: event.mark)
    default:
      throw YAMLError("a value is missing", at: event.mark)
    }
  }

  private mutating func items(depth: Int) throws(YAMLError) -> [YAMLNode] {
    var items: [YAMLNode] = []
    while true {
      let event = try next()
      if event.kind == YAML_SEQUENCE_END_EVENT { return items }
      items.append(try node(from: event, depth: depth + 1))
    }
  }

  private mutating func entries(depth: Int) throws(YAMLError) -> [YAMLNode.Entry] {
    var entries: [YAMLNode.Entry] = []
    while true {
      let key = try next()
      if key.kind == YAML_MAPPING_END_EVENT { return entries }
      guard key.kind == YAML_SCALAR_EVENT else {
        throw YAMLError("a key must be plain text", at: key.mark)
      }
      if entries.contains(where: { $0.key == key.text }) {
        throw YAMLError("a key stands here for the second time", at: key.mark)
      }
      let value = try node(from: try next(), depth: depth + 1)
      entries.append(YAMLNode.Entry(key: key.text, keyMark: key.mark, value: value))
    }
  }

  /// What this parser needs of a libyaml event.
  private struct Event {
    var kind: yaml_event_type_t
    var text = ""
    var isQuoted = false
    var mark: YAMLMark
  }

  private mutating func next() throws(YAMLError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(&parser, &event) == 1 else {
      let problem = parser.problem.map { String(cString: $0) } ?? "not YAML"
      throw YAMLError(problem, at: Self.mark(parser.problem_mark))
    }
    defer { yaml_event_delete(&event) }
    var result = Event(kind: event.type, mark: Self.mark(event.start_mark))
    if event.type == YAML_SCALAR_EVENT {
      let scalar = event.data.scalar
      result.text = String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      result.isQuoted = scalar.style != YAML_PLAIN_SCALAR_STYLE
    }
    return result
  }

  private static func mark(_ mark: yaml_mark_t) -> YAMLMark {
    YAMLMark(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}
