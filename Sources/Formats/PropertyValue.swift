import Bytes

/// A value of a property list or of entitlements as a small tree: for lists that rules ask about, which
/// are short. Depth, count and text are bounded when it is made.
package indirect enum PropertyValue: Equatable, Sendable {
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  /// Seconds since 2001.
  case date(Double)
  case string(String)
  case data([UInt8])
  case array([PropertyValue])
  case dictionary([String: PropertyValue])

  package static let depthLimit = 32
  package static let textLimit = 16_384

  package subscript(key: String) -> PropertyValue? {
    if case .dictionary(let values) = self { return values[key] }
    return nil
  }

  package var text: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  package var truth: Bool? {
    switch self {
    case .boolean(let value): value
    // Old tools wrote YES and NO, and numbers count as truths too.
    case .integer(let value): value != 0
    case .string(let text): ["yes", "true", "1"].contains(text.lowercased())
    default: nil
    }
  }

  package var members: [PropertyValue] {
    if case .array(let members) = self { return members }
    return []
  }

  package var entries: [String: PropertyValue] {
    if case .dictionary(let entries) = self { return entries }
    return [:]
  }

  /// A leaf as rules compare it; of a container nothing.
  package var plain: String? {
    switch self {
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .date(let seconds): ReferenceDate(seconds: seconds).text
    case .string(let text): text
    case .data, .array, .dictionary: nil
    }
  }

  /// The leaves as texts: of an array those of its members.
  package var texts: [String] {
    if case .array(let members) = self { return members.compactMap(\.plain) }
    return plain.map { [$0] } ?? []
  }

  /// What kind of value it is, in the words of property lists.
  package var kind: String {
    switch self {
    case .boolean: "boolean"
    case .integer: "integer"
    case .real: "real"
    case .date: "date"
    case .string: "string"
    case .data: "data"
    case .array: "array"
    case .dictionary: "dictionary"
    }
  }
}

extension PropertyList {
  /// The whole list as a tree; nothing where it has no root. Values past the bounds are left out.
  package func value(in file: RawSpan) -> PropertyValue? {
    var budget = 100_000
    return root.flatMap { value(of: $0, in: file, depth: PropertyValue.depthLimit, &budget) }
  }

  private func value(
    of node: Int, in file: RawSpan, depth: Int, _ budget: inout Int
  ) -> PropertyValue? {
    guard depth > 0, budget > 0, nodes.indices.contains(node) else { return nil }
    budget -= 1
    switch nodes[node].kind {
    case .null, .uid: return nil
    case .boolean: return .boolean(nodes[node].boolean)
    case .integer: return .integer(nodes[node].integer)
    case .real: return .real(nodes[node].real)
    case .date: return .date(nodes[node].real)
    case .string: return text(node, in: file, limit: PropertyValue.textLimit).map { .string($0) }
    case .data:
      return .data(decoded(node, in: file)?.bytes ?? file.clamped(to: nodes[node].content).copied())
    case .array, .set:
      return .array(
        children(of: node).compactMap {
          $0 == Self.missing ? nil : value(of: Int($0), in: file, depth: depth - 1, &budget)
        })
    case .dictionary:
      return .dictionary(entries(of: node, in: file, depth: depth, &budget))
    }
  }

  private func entries(
    of node: Int, in file: RawSpan, depth: Int, _ budget: inout Int
  ) -> [String: PropertyValue] {
    var entries: [String: PropertyValue] = [:]
    let pairs = Array(children(of: node))
    for index in stride(from: 0, to: pairs.count - 1, by: 2) {
      guard pairs[index] != Self.missing, pairs[index + 1] != Self.missing,
        let key = text(Int(pairs[index]), in: file, limit: 1024),
        let value = value(of: Int(pairs[index + 1]), in: file, depth: depth - 1, &budget)
      else { continue }
      entries[key] = value
    }
    return entries
  }
}
