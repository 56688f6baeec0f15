import Bytes
import Formats

/// What a walk over a property list visits, as text by path, for tests to compare.
struct WalkedValues {
  /// `path: text` of every value that is no key.
  private(set) var rows: [String] = []
  private(set) var keys: [String] = []
  private(set) var unreachable = 0
  private(set) var visits = 0
  private(set) var isDeep = false

  init(_ list: PropertyList, in bytes: [UInt8]) {
    let file = bytes.span.bytes
    var walk = PropertyListWalk(list, in: file)
    while let visit = walk.next(in: file) {
      visits += 1
      if !visit.isReachable { unreachable += 1 }
      let node = list.nodes[visit.node]
      // Whatever a walk visits has to be inside the file.
      precondition(node.range.upperBound <= bytes.count)
      let text = Self.text(of: visit, node, list, file)
      if visit.isKey {
        keys.append(text)
      } else if visits < 2000 {
        rows.append(walk.steps(in: file).dropFirst().joined(separator: ".") + ": " + text)
      }
      if visits < 2000 { _ = walk.neighbours(in: file) }
    }
    isDeep = walk.isDeep
  }

  private static func text(
    of visit: PropertyListWalk.Visit, _ node: PropertyList.Node, _ list: PropertyList,
    _ file: RawSpan
  ) -> String {
    switch node.kind {
    case .string:
      return list.decoded(visit.node, in: file)?.text
        ?? file.clamped(to: node.content).repairedText()
    case .data:
      let bytes = list.decoded(visit.node, in: file)?.bytes
      return (bytes ?? file.clamped(to: node.content).copied()).hexadecimal
    case .integer: return String(node.integer)
    case .real where visit.rendering == .date, .date:
      return ReferenceDate(seconds: node.real).text ?? "?"
    case .real: return String(node.real)
    case .boolean: return String(node.boolean)
    case .uid: return "uid \(node.uid)"
    case .null, .array, .set, .dictionary: return "\(node.kind)"
    }
  }
}
