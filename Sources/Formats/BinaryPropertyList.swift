import Bytes

/// Why bytes could not be read as a property list at all.
package enum PropertyListError: Error, Equatable, Sendable {
  /// Not in the format.
  case foreign
  /// A sibling of the format that is not known here: its version, as stored.
  case unsupported(version: String)
  /// Larger than what is read whole.
  case tooLarge
}

/// A binary property list, `bplist00` (CFBinaryPList.c; libplist, `src/bplist.c`).
///
///     header   8  "bplist00"
///     objects     marker byte (type, count), then content or references
///     table       offset of every object, `offsetSize` bytes each
///     trailer 32  6 unused, offsetSize, referenceSize, count, top object, offset of the table
package struct BinaryPropertyList: Sendable {
  package private(set) var list = PropertyList()
  private var referenceSize = 1
  /// Bytes that objects may still claim: in an honest file they share none.
  private var budget = 0

  package init(parsing file: RawSpan) throws(PropertyListError) {
    guard file.hasBytes("bplist"), file.byteCount >= 8 else { throw .foreign }
    guard file.byteCount <= PropertyList.sizeLimit else { throw .tooLarge }
    guard file.known(6) == 0x30 else {
      throw .unsupported(version: file.clamped(to: 6..<8).repairedText())
    }
    if let trailer = Trailer(parsing: file) {
      readObjects(of: file, by: trailer)
    } else {
      list.report(.badTrailer, at: max(file.byteCount - 32, 0))
      recoverObjects(of: file)
    }
  }

  /// The last 32 bytes.
  struct Trailer {
    var offsetSize: Int
    var referenceSize: Int
    var count: Int
    var top: Int
    var table: Int

    init?(parsing file: RawSpan) {
      let start = file.byteCount - 32
      guard start >= 8 else { return nil }
      offsetSize = Int(file.known(start + 6))
      referenceSize = Int(file.known(start + 7))
      guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
        let count = file.number(at: start + 8, size: 8),
        let top = file.number(at: start + 16, size: 8),
        let table = file.number(at: start + 24, size: 8), table >= 8, table <= start,
        count > 0, count <= (start - table) / offsetSize, top < count
      else { return nil }
      (self.count, self.top, self.table) = (count, top, table)
    }
  }
}

extension BinaryPropertyList {
  private mutating func readObjects(of file: RawSpan, by trailer: Trailer) {
    referenceSize = trailer.referenceSize
    budget = file.byteCount * 4
    let count = min(trailer.count, PropertyList.nodeLimit)
    if count < trailer.count { list.report(.tooMany, at: trailer.table) }
    list.nodes.reserveCapacity(count)
    list.root = trailer.top < count ? trailer.top : nil
    for index in 0..<count {
      let entry = trailer.table + index * trailer.offsetSize
      let offset = file.number(at: entry, size: trailer.offsetSize) ?? Int.max
      guard offset >= 8, offset < file.byteCount else {
        list.report(.badOffset, at: entry)
        list.nodes.append(PropertyList.Node(.null, range: entry..<entry))
        continue
      }
      let object = object(of: file, at: offset, count: count, isClipped: false)
      list.nodes.append(object ?? PropertyList.Node(.null, range: offset..<offset))
      budget -= object?.range.count ?? 1
      guard budget > 0 else {
        list.report(.overlap, at: offset)
        break
      }
    }
    checkKeys()
  }

  private mutating func checkKeys() {
    for node in list.nodes where node.kind == .dictionary {
      for index in stride(from: node.children.lowerBound, to: node.children.upperBound, by: 2) {
        let key = Int(list.children[index])
        guard key < list.nodes.count, list.nodes[key].kind.isContainer else { continue }
        return list.report(.badKey, at: node.range.lowerBound)
      }
    }
  }

  /// Reads objects one after the other, as every writer lays them out in table order. The size of
  /// references is lost with the trailer: the one that carries furthest is right.
  private mutating func recoverObjects(of file: RawSpan) {
    var best = self
    var reach = 8
    for size in [1, 2, 4, 3] {
      var attempt = self
      attempt.referenceSize = size
      let end = attempt.readInOrder(file)
      if end > reach { (best, reach) = (attempt, end) }
    }
    self = best
    list.root = list.nodes.isEmpty ? nil : 0
  }

  private mutating func readInOrder(_ file: RawSpan) -> Int {
    budget = file.byteCount * 4
    var offset = 8
    while offset < file.byteCount, list.nodes.count < PropertyList.nodeLimit,
      let object = object(of: file, at: offset, count: PropertyList.nodeLimit, isClipped: true)
    {
      list.nodes.append(object)
      offset = max(object.range.upperBound, offset + 1)
    }
    return offset
  }

  /// The object at `offset`; a clipped one may end early.
  private mutating func object(
    of file: RawSpan, at offset: Int, count: Int, isClipped: Bool
  ) -> PropertyList.Node? {
    let marker = file.known(offset)
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0: return constant(of: file, at: offset, low)
    case 0x1: return number(of: file, at: offset, size: 1 << low, kind: .integer)
    case 0x2: return number(of: file, at: offset, size: 1 << low, kind: .real)
    case 0x3: return number(of: file, at: offset, size: 1 << low, kind: .date)
    case 0x8: return number(of: file, at: offset, size: low + 1, kind: .uid)
    case 0x4: return content(of: file, at: offset, .data, unit: 1, isClipped)
    case 0x5, 0x7: return content(of: file, at: offset, .string, unit: 1, isClipped)
    case 0x6: return content(of: file, at: offset, .string, unit: 2, isClipped)
    case 0xA: return container(of: file, at: offset, .array, count: count, isClipped)
    case 0xB, 0xC: return container(of: file, at: offset, .set, count: count, isClipped)
    case 0xD: return container(of: file, at: offset, .dictionary, count: count, isClipped)
    default:
      list.report(.badMarker, at: offset)
      return nil
    }
  }

  private mutating func constant(of file: RawSpan, at offset: Int, _ low: Int) -> PropertyList.Node?
  {
    let range = offset..<offset + 1
    switch low {
    case 0x0, 0xF: return PropertyList.Node(.null, range: range)
    case 0x8, 0x9: return PropertyList.Node(.boolean, range: range, bits: UInt64(low & 1))
    case 0xE where file.byteCount - offset >= 17:  // A UUID, in the format's later versions.
      return PropertyList.Node(
        .data, storage: .asStored, range: offset..<offset + 17, content: offset + 1..<offset + 17)
    default:
      list.report(.badMarker, at: offset)
      return nil
    }
  }

  private mutating func number(
    of file: RawSpan, at offset: Int, size: Int, kind: PropertyList.Kind
  ) -> PropertyList.Node? {
    guard size <= 16, file.byteCount - offset > size else {
      list.report(size > 16 ? .badMarker : .truncated, at: offset)
      return nil
    }
    let range = offset..<offset + 1 + size
    // Of 16 bytes the low 8 hold the value; what is more is left to the raw search.
    let bits = file.bits(at: offset + 1 + max(size - 8, 0), size: min(size, 8))
    switch (kind, size) {
    case (.real, 4), (.date, 4):
      let value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
      return PropertyList.Node(kind, range: range, bits: value.bitPattern)
    case (.real, 8), (.date, 8), (.integer, _), (.uid, _):
      return PropertyList.Node(kind, range: range, bits: bits)
    default:
      list.report(.badMarker, at: offset)
      return nil
    }
  }

  private mutating func content(
    of file: RawSpan, at offset: Int, _ kind: PropertyList.Kind, unit: Int, _ isClipped: Bool
  ) -> PropertyList.Node? {
    guard let (count, start) = count(of: file, at: offset) else { return nil }
    let room = (file.byteCount - start) / unit
    if count > room { list.report(.truncated, at: offset) }
    guard count <= room || isClipped else { return nil }
    let end = start + min(count, room) * unit
    return PropertyList.Node(
      kind, storage: unit == 2 ? .utf16BigEndian : .asStored, range: offset..<end,
      content: start..<end)
  }

  private mutating func container(
    of file: RawSpan, at offset: Int, _ kind: PropertyList.Kind, count limit: Int, _ isClipped: Bool
  ) -> PropertyList.Node? {
    guard let (stored, start) = count(of: file, at: offset) else { return nil }
    let isDictionary = kind == .dictionary
    let room = (file.byteCount - start) / referenceSize / (isDictionary ? 2 : 1)
    if stored > room { list.report(.truncated, at: offset) }
    guard stored <= room || isClipped else { return nil }
    let count = min(stored, room)
    let first = list.children.count
    guard count <= PropertyList.nodeLimit * 2 - first else {
      list.report(.tooMany, at: offset)
      return PropertyList.Node(kind, range: offset..<start)
    }
    for index in 0..<count {
      addReference(of: file, at: start + index * referenceSize, limit)
      if isDictionary { addReference(of: file, at: start + (count + index) * referenceSize, limit) }
    }
    let end = start + count * referenceSize * (isDictionary ? 2 : 1)
    var node = PropertyList.Node(kind, range: offset..<end)
    node.setChildren(first..<list.children.count)
    return node
  }

  private mutating func addReference(of file: RawSpan, at offset: Int, _ limit: Int) {
    let reference = file.number(at: offset, size: referenceSize) ?? Int.max
    if reference >= limit { list.report(.badReference, at: offset) }
    list.children.append(reference < limit ? UInt32(clamping: reference) : PropertyList.missing)
  }

  /// The count in the marker, or in the integer object behind it, and where the content starts.
  private mutating func count(of file: RawSpan, at offset: Int) -> (Int, Int)? {
    let low = Int(file.known(offset) & 0x0F)
    guard low == 0x0F else { return (low, offset + 1) }
    guard let marker = file[at: offset + 1], marker >> 4 == 1, marker & 0x0F <= 3,
      let count = file.number(at: offset + 2, size: 1 << Int(marker & 0x0F))
    else {
      list.report(.truncated, at: offset)
      return nil
    }
    return (count, offset + 2 + 1 << Int(marker & 0x0F))
  }
}

extension RawSpan {
  /// Up to 8 big-endian bytes the caller has checked.
  func bits(at offset: Int, size: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<size { value = value << 8 | UInt64(known(offset + index)) }
    return value
  }

  /// An unsigned big-endian number of 1 to 8 bytes, or nothing past the end or above `Int.max`.
  func number(at offset: Int, size: Int) -> Int? {
    guard offset >= 0, offset <= byteCount, byteCount - offset >= size else { return nil }
    return Int(exactly: bits(at: offset, size: size))
  }
}
