import Bytes

/// Entitlements in the DER form of newer code signatures: `[APPLICATION 16] { INTEGER 1, dictionary }`.
/// A dictionary is `[16]` (or, in older signatures, a SET) of sequences of key and value.
package enum DEREntitlements {
  private static let application16: UInt8 = 0x70
  private static let dictionary: UInt8 = 0xB0

  /// The entitlements as a dictionary; nothing where the bytes are no such form.
  package static func value(parsing bytes: RawSpan) -> PropertyValue? {
    var budget = 10_000
    guard let outer = bytes.derItem(at: 0) else { return nil }
    if outer.identifier == DERItem.set || outer.identifier == dictionary {
      return value(of: outer, in: bytes, depth: PropertyValue.depthLimit, &budget)
    }
    guard outer.identifier == application16, outer.end == bytes.byteCount else { return nil }
    let items = bytes.derItems(in: outer.content, limit: 3)
    guard items.count == 2, bytes.derInteger(of: items[0]) == 1 else { return nil }
    return value(of: items[1], in: bytes, depth: PropertyValue.depthLimit, &budget)
  }

  private static func value(
    of item: DERItem, in bytes: RawSpan, depth: Int, _ budget: inout Int
  ) -> PropertyValue? {
    guard depth > 0, budget > 0 else { return nil }
    budget -= 1
    let content = bytes.clamped(to: item.content)
    switch item.identifier {
    case DERItem.boolean: return .boolean(content[at: 0] != 0)
    case DERItem.integer: return bytes.derInteger(of: item).map { .integer($0) }
    case DERItem.utf8String:
      return .string(content.clamped(to: 0..<PropertyValue.textLimit).repairedText())
    case DERItem.octetString: return .data(content.copied())
    case DERItem.sequence:
      return .array(
        bytes.derItems(in: item.content, limit: budget).compactMap {
          value(of: $0, in: bytes, depth: depth - 1, &budget)
        })
    case dictionary, DERItem.set:
      var entries: [String: PropertyValue] = [:]
      for pair in bytes.derItems(in: item.content, limit: budget) {
        let parts = bytes.derItems(in: pair.content, limit: 3)
        guard pair.identifier == DERItem.sequence, parts.count == 2,
          parts[0].identifier == DERItem.utf8String,
          let value = value(of: parts[1], in: bytes, depth: depth - 1, &budget)
        else { return nil }
        entries[bytes.clamped(to: parts[0].content).repairedText()] = value
      }
      return .dictionary(entries)
    default: return nil
    }
  }
}
