import Bytes

/// One value of DER or BER (X.690 §8.1): where its tag, content and end lie. It holds offsets only, so
/// that nothing nested or endless can be built in memory.
package struct DERItem: Equatable, Sendable {
  /// First byte of the tag: class in the high two bits, constructed in the third.
  package var identifier: UInt8
  package var number: UInt32
  package var start: Int
  package var content: Range<Int>
  /// Behind the content and, where the length was left open, behind its end mark.
  package var end: Int

  package var isConstructed: Bool { identifier & 0x20 != 0 }
  package var range: Range<Int> { start..<end }

  package static let boolean: UInt8 = 0x01
  package static let integer: UInt8 = 0x02
  package static let bitString: UInt8 = 0x03
  package static let octetString: UInt8 = 0x04
  package static let objectIdentifier: UInt8 = 0x06
  package static let utf8String: UInt8 = 0x0C
  package static let sequence: UInt8 = 0x30
  package static let set: UInt8 = 0x31
}

extension RawSpan {
  /// How deep values without a stated length may nest.
  private static var openDepthLimit: Int { 32 }

  /// The value that starts at `offset` and ends before `limit`.
  package func derItem(at offset: Int, before limit: Int? = nil) -> DERItem? {
    let limit = Swift.min(limit ?? byteCount, byteCount)
    guard let (item, isOpen) = derHead(at: offset, before: limit) else { return nil }
    guard isOpen else { return item }
    guard item.isConstructed, let end = endOfOpenItem(from: item.content.lowerBound, before: limit)
    else { return nil }
    var closed = item
    closed.content = item.content.lowerBound..<end - 2
    closed.end = end
    return closed
  }

  /// The values inside another, in order; what is damaged ends the list.
  package func derItems(in range: Range<Int>, limit: Int = 100_000) -> [DERItem] {
    var items: [DERItem] = []
    var offset = range.lowerBound
    while offset < range.upperBound, items.count < limit,
      let item = derItem(at: offset, before: range.upperBound)
    {
      items.append(item)
      offset = item.end
    }
    return items
  }

  /// Tag and length; an open length has its content up to `limit`.
  private func derHead(at start: Int, before limit: Int) -> (item: DERItem, isOpen: Bool)? {
    var offset = start
    guard start >= 0, start < limit, let identifier = self[at: offset] else { return nil }
    offset += 1
    var number = UInt32(identifier & 0x1F)
    if number == 0x1F {
      number = 0
      var more = true
      while more {
        guard offset < limit, let byte = self[at: offset], number < 1 << 21 else { return nil }
        number = number << 7 | UInt32(byte & 0x7F)
        more = byte & 0x80 != 0
        offset += 1
      }
    }
    guard offset < limit, let first = self[at: offset] else { return nil }
    offset += 1
    var length = Int(first)
    if first == 0x80 {
      length = limit - offset
    } else if first > 0x80 {
      let count = Int(first & 0x7F)
      guard count <= 4, limit - offset >= count else { return nil }
      length = 0
      for _ in 0..<count {
        length = length << 8 | Int(self[at: offset] ?? 0)
        offset += 1
      }
    }
    guard length <= limit - offset else { return nil }
    let item = DERItem(
      identifier: identifier, number: number, start: start, content: offset..<offset + length,
      end: offset + length)
    return (item, first == 0x80)
  }

  /// Where the end mark (two zero bytes) of a value with an open length ends.
  private func endOfOpenItem(from start: Int, before limit: Int) -> Int? {
    var offset = start
    var depth = 1
    while offset < limit {
      if self[at: offset] == 0, self[at: offset + 1] == 0 {
        offset += 2
        depth -= 1
        if depth == 0 { return offset <= limit ? offset : nil }
        continue
      }
      guard let (item, isOpen) = derHead(at: offset, before: limit) else { return nil }
      if isOpen {
        depth += 1
        guard depth <= Self.openDepthLimit else { return nil }
        offset = item.content.lowerBound
      } else {
        offset = item.end
      }
    }
    return nil
  }

  /// The content of an octet string, joined where it was written in pieces (X.690 §8.7.3).
  package func derOctets(of item: DERItem, depth: Int = 8) -> [UInt8] {
    guard item.isConstructed else { return clamped(to: item.content).copied() }
    guard depth > 0 else { return [] }
    return derItems(in: item.content).flatMap { derOctets(of: $0, depth: depth - 1) }
  }

  /// An object identifier in dotted form.
  package func derObjectIdentifier(of item: DERItem) -> String? {
    guard item.identifier == DERItem.objectIdentifier, !item.content.isEmpty else { return nil }
    var arcs: [UInt64] = []
    var value: UInt64 = 0
    for offset in item.content {
      guard let byte = self[at: offset], value < 1 << 56 else { return nil }
      value = value << 7 | UInt64(byte & 0x7F)
      guard byte & 0x80 == 0 else { continue }
      if arcs.isEmpty {
        let first = Swift.min(value / 40, 2)
        arcs = [first, value - first * 40]
      } else {
        arcs.append(value)
      }
      value = 0
    }
    return arcs.map(String.init).joined(separator: ".")
  }

  /// A small integer.
  package func derInteger(of item: DERItem) -> Int64? {
    guard (1...8).contains(item.content.count), let first = self[at: item.content.lowerBound] else {
      return nil
    }
    var value: Int64 = first & 0x80 == 0 ? 0 : -1
    for offset in item.content { value = value << 8 | Int64(self[at: offset] ?? 0) }
    return value
  }
}
