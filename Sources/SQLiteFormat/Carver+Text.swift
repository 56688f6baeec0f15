import Bytes

extension Carver {
  /// Whether every text of the record reads as text, as far as it lies in the page.
  func textIsClean(
    _ record: Record, _ page: RawSpan, payloadOffset: Int, end: Int
  ) -> Bool {
    for value in record.values where value.type.kind == .text && value.count > 0 {
      let lower = payloadOffset + value.offset
      guard lower < end else { continue }
      let upper = min(lower + value.count, end)
      let isWhole = upper == lower + value.count
      if !isText(page.clamped(to: lower..<upper), isWhole: isWhole) { return false }
    }
    return true
  }

  /// Text has no control characters but tab and line ends, and is well formed in its encoding.
  private func isText(_ bytes: RawSpan, isWhole: Bool) -> Bool {
    switch encoding {
    case .utf8: isUTF8(bytes, isWhole: isWhole)
    case .utf16LittleEndian: isUTF16(bytes, isWhole: isWhole, highByte: 1)
    case .utf16BigEndian: isUTF16(bytes, isWhole: isWhole, highByte: 0)
    }
  }

  private func isUTF8(_ bytes: RawSpan, isWhole: Bool) -> Bool {
    var offset = 0
    while let first = bytes[at: offset] {
      if first < 0x80 {
        if first < 0x20, first != 9, first != 10, first != 13 { return false }
        offset += 1
        continue
      }
      let count = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : 2
      guard first >= 0xc2, first < 0xf8 else { return false }
      for index in 1..<count {
        guard let next = bytes[at: offset + index] else { return !isWhole }
        if next & 0xc0 != 0x80 { return false }
      }
      offset += count
    }
    return true
  }

  private func isUTF16(_ bytes: RawSpan, isWhole: Bool, highByte: Int) -> Bool {
    if isWhole, bytes.byteCount % 2 != 0 { return false }
    var offset = 0
    while offset + 1 < bytes.byteCount {
      let high = bytes[at: offset + highByte] ?? 0
      let low = bytes[at: offset + 1 - highByte] ?? 0
      if high == 0, low < 0x20, low != 9, low != 10, low != 13 { return false }
      offset += 2
    }
    return true
  }
}
