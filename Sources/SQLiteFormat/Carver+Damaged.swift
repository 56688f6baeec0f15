import Bytes

extension Carver {
  /// How the four lost bytes of a cell were used: where the types that are left begin, and how many
  /// of the first ones are lost.
  private struct Loss {
    /// Bytes from the start of the cell to the header size or the first type that is left.
    var typesAt: Int
    var lostTypes: Int
    /// The header size is left and stands before the types.
    var hasHeaderSize: Bool
  }

  private static func losses(isTable: Bool) -> [Loss] {
    guard isTable else {
      // payload size (1), header size, two types | payload size (2), header size, one type
      return [
        Loss(typesAt: 4, lostTypes: 2, hasHeaderSize: false),
        Loss(typesAt: 4, lostTypes: 1, hasHeaderSize: false),
      ]
    }
    // Sizes of payload size and rowid together: 2, 3, 4, then more rowid bytes than were lost.
    return [
      Loss(typesAt: 4, lostTypes: 1, hasHeaderSize: false),
      // The first type took two bytes and its second one is left.
      Loss(typesAt: 5, lostTypes: 1, hasHeaderSize: false),
      Loss(typesAt: 4, lostTypes: 0, hasHeaderSize: false),
      Loss(typesAt: 4, lostTypes: 0, hasHeaderSize: true),
      Loss(typesAt: 5, lostTypes: 0, hasHeaderSize: true),
      Loss(typesAt: 6, lostTypes: 0, hasHeaderSize: true),
    ]
  }

  /// A record whose first four bytes were written over by a freeblock header.
  func damaged(in page: RawSpan, at offset: Int, end: Int, place: Place) -> CarvedRecord? {
    guard end - offset >= 5 else { return nil }
    var best: CarvedRecord?
    // The values of an index may be of any type: on a page of which nothing is known any bytes fit.
    for shape in shapes
    where place.tree == 0 ? !shape.isLoose || place.isTable == false : shape.tree == place.tree {
      if let isTable = place.isTable, shape.isIndex == isTable { continue }
      for loss in Self.losses(isTable: !shape.isIndex) {
        let found = rebuild(
          in: page, at: offset, end: end, shape: shape, loss: loss, onlySpilled: place.onlySpilled)
        for record in found where record.confidence > best?.confidence ?? 0 { best = record }
      }
    }
    return best
  }

  private func rebuild(
    in page: RawSpan, at offset: Int, end: Int, shape: RecordShape, loss: Loss, onlySpilled: Bool
  ) -> [CarvedRecord] {
    var place = offset + loss.typesAt
    var typesEnd = end
    if loss.hasHeaderSize {
      guard let header = page.length(at: place), header.value > header.count,
        header.value <= end - place
      else { return [] }
      typesEnd = place + header.value
      place += header.count
    }
    let wanted = shape.columns.count - loss.lostTypes
    guard wanted >= 0,
      mayHoldTypes(page, at: place, end: typesEnd, wanted, of: shape, loss, onlySpilled)
    else { return [] }
    var types: [SerialType] = []
    while types.count < wanted, let type = page.varint(at: place) {
      types.append(SerialType(type.value))
      place += type.count
    }
    guard !loss.hasHeaderSize || place == typesEnd, place <= end else { return [] }
    let candidates = lostTypes(
      loss.lostTypes, shape: shape, known: types, room: end - place)
    return candidates.compactMap { lost in
      guard !onlySpilled || spills(lost, types, in: page, body: place, end: end, shape: shape)
      else { return nil }
      return assemble(
        lost + types, in: page, cell: offset, body: place, end: end, shape: shape,
        lostTypes: loss.lostTypes)
    }
  }

  /// Whether as many types of the table as wanted stand somewhere: a look without memory of its own,
  /// since this is asked of every byte of free space. Where only spilled records are wanted their values
  /// must be longer than a page keeps.
  private func mayHoldTypes(
    _ page: RawSpan, at offset: Int, end: Int, _ wanted: Int, of shape: RecordShape, _ loss: Loss,
    _ onlySpilled: Bool
  ) -> Bool {
    var place = offset
    var known = 0
    for index in 0..<wanted {
      guard place < end, let type = page.varint(at: place) else { return false }
      let column = loss.lostTypes + index
      let serial = SerialType(type.value)
      guard let size = serial.byteCount, column != shape.rowidAlias || type.value == 0,
        RecordShape.fit(serial, shape.columns[column]) > 0
      else { return false }
      known &+= min(size, 1 << 32)
      place += type.count
    }
    return !onlySpilled || known > geometry.minLocal
  }

  /// Whether a record of these types goes on in an overflow page that can be one.
  private func spills(
    _ lost: [SerialType], _ types: [SerialType], in page: RawSpan, body: Int, end: Int,
    shape: RecordShape
  ) -> Bool {
    var (header, count) = (1, 0)
    for part in [lost, types] {
      for type in part {
        header += Self.varintSize(type.rawValue)
        count &+= min(type.byteCount ?? 0, 1 << 32)
      }
    }
    let payload = header + count
    let local = geometry.localCount(of: payload, isTable: !shape.isIndex)
    let next = body - header + local
    return local < payload && next + 4 <= end && mayOverflow(payload, to: page.word(at: next))
  }

  /// What the lost first types may have been: NULL for a rowid alias, otherwise what the affinity
  /// stores, of a size that fills the freeblock.
  private func lostTypes(
    _ count: Int, shape: RecordShape, known: [SerialType], room: Int
  ) -> [[SerialType]] {
    guard count > 0 else { return [[]] }
    let rest = known.reduce(0) { $0 &+ min($1.byteCount ?? 0, 1 << 32) }
    let first = count == 1 ? candidates(shape, 0, room: room - rest) : nil
    if let first { return first.map { [$0] } }
    var pairs: [[SerialType]] = []
    for one in candidates(shape, 0, room: nil) {
      let left = room - rest - (one.byteCount ?? 0)
      for other in candidates(shape, 1, room: left) { pairs.append([one, other]) }
    }
    return pairs
  }

  private func candidates(_ shape: RecordShape, _ column: Int, room: Int?) -> [SerialType] {
    guard column < shape.columns.count else { return [] }
    if column == shape.rowidAlias { return [SerialType(0)] }
    var types: [SerialType] = []
    let affinity = shape.columns[column]
    if affinity != .text {
      types += [1, 2, 3, 4, 5, 6, 8, 9].map(SerialType.init)
    }
    if affinity == .real || affinity == .numeric || affinity == .blob {
      types.append(SerialType(7))
    }
    if let room, room > 0, affinity == .text || affinity == .blob || affinity == .numeric {
      types.append(SerialType(13 + 2 * UInt64(room)))
      if affinity != .numeric { types.append(SerialType(12 + 2 * UInt64(room))) }
    }
    types.append(SerialType(0))
    return types
  }

  /// Puts the record together and judges it: by the fit of its types, by whether it fills the block,
  /// and by whether its texts read as text.
  private func assemble(
    _ types: [SerialType], in page: RawSpan, cell: Int, body: Int, end: Int, shape: RecordShape,
    lostTypes: Int
  ) -> CarvedRecord? {
    let headerCount = 1 + types.reduce(0) { $0 + Self.varintSize($1.rawValue) }
    var values: [RecordValue] = []
    var offset = headerCount
    for type in types {
      guard let count = type.byteCount, count <= 0x7fff_ffff - offset else { return nil }
      values.append(RecordValue(type: type, offset: offset, count: count))
      offset += count
    }
    let payloadCount = offset
    guard payloadCount > headerCount, Self.saysSomething(values) else { return nil }
    var confidence = shape.fit(values)
    guard confidence > 0 else { return nil }
    let payloadOffset = body - headerCount
    let localCount = geometry.localCount(of: payloadCount, isTable: !shape.isIndex)
    var cellEnd = payloadOffset + localCount
    var overflow: UInt32 = 0
    if localCount < payloadCount {
      overflow = page.word(at: cellEnd)
      if cellEnd + 4 <= end, !mayOverflow(payloadCount, to: overflow) { return nil }
      cellEnd += 4
    }
    let isCutOff = cellEnd > end
    if isCutOff {
      confidence *= lostTypes == 0 ? 0.5 : 0.2
      guard values.contains(where: { $0.count > 0 && payloadOffset + $0.offset + $0.count <= end })
      else { return nil }
    } else if cellEnd != end {
      let goesOn = continues(at: cellEnd, in: page, end: end, shape: shape)
      confidence *= goesOn ? 0.97 : lostTypes == 0 ? 0.8 : 0.6
    }
    for value in values where value.type.rawValue == 7 {
      // Bytes that are no number read as one of an absurd size.
      let moved = RecordValue(type: value.type, offset: payloadOffset + value.offset, count: 8)
      if let real = moved.real(in: page), real != 0, !(1e-30...1e30).contains(abs(real)) {
        confidence *= 0.7
      }
    }
    for (index, type) in types.prefix(lostTypes).enumerated() where index < shape.seen.count {
      if !shape.seen[index].isEmpty, !shape.seen[index].contains(type.rawValue),
        type.rawValue < 12 || shape.seen[index].allSatisfy({ $0 < 12 })
      {
        confidence *= 0.8
      }
    }
    confidence *= 0.9
    let record = Record(headerCount: headerCount, values: values, byteCount: payloadCount)
    guard confidence > 0.08,
      // Zeros between headers of freeblocks that were joined are what secure_delete leaves.
      geometry.leftover(page, in: body..<min(cellEnd, end), limit: 1) > 0,
      textIsClean(
        record, page, payloadOffset: payloadOffset, end: min(payloadOffset + localCount, end))
    else { return nil }
    return CarvedRecord(
      range: cell..<min(cellEnd, end), payloadOffset: payloadOffset, payloadCount: payloadCount,
      localCount: localCount, overflow: isCutOff ? 0 : overflow, rowid: nil, record: record,
      tree: shape.tree, confidence: confidence, isCutOff: isCutOff)
  }

  /// A few small numbers fit almost any bytes: a record counts when it has a text, or enough bytes.
  private static func saysSomething(_ values: [RecordValue]) -> Bool {
    let texts = values.contains { $0.type.rawValue >= 12 && $0.count >= 2 }
    return texts || values.count { $0.count > 0 } >= 2 && values.reduce(0) { $0 + $1.count } >= 4
  }

  /// Whether another cell starts where one ends: freed neighbours lie in one freeblock.
  private func continues(
    at offset: Int, in page: RawSpan, end: Int, shape: RecordShape
  ) -> Bool {
    guard end - offset >= 5 else { return true }
    let place = Place(
      offset..<end, isFreeblock: true, isTable: !shape.isIndex, tree: shape.tree)
    if intact(in: page, at: offset, end: end, place: place) != nil { return true }
    // Its first four bytes may be lost too: then the types behind them must fit.
    for lost in 0...1 {
      var values: [RecordValue] = []
      var position = offset + 4
      while values.count < shape.columns.count - lost, position < end,
        let type = page.varint(at: position), let count = SerialType(type.value).byteCount
      {
        values.append(RecordValue(type: SerialType(type.value), offset: 0, count: count))
        position += type.count
      }
      guard values.count == shape.columns.count - lost else { continue }
      let fits = values.enumerated().allSatisfy { index, value in
        RecordShape.fit(value.type, shape.columns[index + lost]) > 0.5
      }
      let count = values.reduce(0) { $0 &+ min($1.count, 1 << 20) }
      if fits, count > 0, count <= end - position { return true }
    }
    return false
  }

  static func varintSize(_ value: UInt64) -> Int {
    var size = 1
    var rest = value >> 7
    while rest != 0, size < 9 {
      size += 1
      rest >>= 7
    }
    return size
  }
}
