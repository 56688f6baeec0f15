import Bytes
import Findings

extension PropertyList {
  /// The content of a string or data value decoded, with offsets of the file; nothing where the bytes
  /// of the file are the content.
  package func decoded(_ node: Int, in file: RawSpan) -> DecodedBytes? {
    guard nodes.indices.contains(node) else { return nil }
    let content = nodes[node].content
    let stored = file.clamped(to: content)
    var result: DecodedBytes
    switch nodes[node].storage {
    case .asStored, .written: return nil
    case .utf16BigEndian: result = TextEncoding.utf16BigEndian.decode(stored).text
    case .markup: result = MarkupText.decode(stored)
    case .quoted: result = OpenStepString.decode(stored)
    case .base64: result = Base64Text.decode(stored).decoded
    case .hexadecimal: result = HexadecimalText.decode(stored)
    }
    result.map = result.map.shifted(by: content.lowerBound)
    return result
  }

  /// At most `limit` bytes of a string, for names; nothing for other values.
  package func text(_ node: Int, in file: RawSpan, limit: Int = 256) -> String? {
    guard nodes.indices.contains(node), nodes[node].kind == .string else { return nil }
    var short = nodes[node].content
    // No stored form takes more than 12 bytes for one byte of text.
    let cut = nodes[node].storage == .asStored ? limit : limit * 12
    if short.count > cut { short = short.lowerBound..<short.lowerBound + cut }
    let stored = file.clamped(to: short)
    switch nodes[node].storage {
    case .asStored: return stored.repairedText()
    case .utf16BigEndian:
      let units = stored.clamped(to: 0..<min(stored.byteCount, limit * 2))
      return TextEncoding.utf16BigEndian.decode(units).text.text
    case .markup:
      return String(decoding: MarkupText.decode(stored).bytes.prefix(limit), as: UTF8.self)
    case .quoted:
      return String(decoding: OpenStepString.decode(stored).bytes.prefix(limit), as: UTF8.self)
    case .base64, .hexadecimal, .written: return nil
    }
  }

  /// Whether a string is exactly `literal`; literals in formats' own names are never escaped.
  func isText(_ node: Int, _ literal: StaticString, in file: RawSpan) -> Bool {
    guard nodes.indices.contains(node), nodes[node].kind == .string,
      nodes[node].storage == .asStored
    else { return false }
    let content = nodes[node].content
    return content.count == literal.utf8CodeUnitCount
      && file.hasBytes(literal, at: content.lowerBound)
  }

  /// The value of a dictionary under `key`.
  func value(of node: Int, under key: StaticString, in file: RawSpan) -> Int? {
    guard nodes.indices.contains(node), nodes[node].kind == .dictionary else { return nil }
    let pairs = children(of: node)
    var index = pairs.startIndex
    while index + 1 < pairs.endIndex {
      if isText(Int(pairs[index]), key, in: file), pairs[index + 1] != Self.missing {
        return Int(pairs[index + 1])
      }
      index += 2
    }
    return nil
  }

  /// Which nodes the root leads to, as they are stored.
  func reachable() -> [Bool] {
    var reached = [Bool](repeating: false, count: nodes.count)
    var waiting = root.map { [$0] } ?? []
    while let node = waiting.popLast() {
      guard nodes.indices.contains(node), !reached[node] else { continue }
      reached[node] = true
      for child in children(of: node) where child != Self.missing {
        waiting.append(Int(child))
      }
    }
    return reached
  }
}
