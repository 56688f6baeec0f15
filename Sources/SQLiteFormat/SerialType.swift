import Bytes

/// The number before a value that says what it is and how long (SQLite file format, §2.1).
package struct SerialType: Equatable, Hashable, Sendable {
  package var rawValue: UInt64

  package init(_ rawValue: UInt64) {
    self.rawValue = rawValue
  }

  package enum Kind: Sendable {
    case null, integer, real, blob, text
    /// 10 and 11 never stand in a file.
    case reserved
  }

  package var kind: Kind {
    switch rawValue {
    case 0: .null
    case 1...6, 8, 9: .integer
    case 7: .real
    case 10, 11: .reserved
    default: rawValue & 1 == 0 ? .blob : .text
    }
  }

  /// Bytes of the value; nothing where it is longer than any database allows.
  package var byteCount: Int? {
    switch rawValue {
    case 0, 8, 9: 0
    case 1...4: Int(rawValue)
    case 5: 6
    case 6, 7: 8
    case 10, 11: nil
    default: rawValue > 0xffff_fffe ? nil : Int(rawValue - 12) / 2
    }
  }
}

/// A value of a record: its type and where it lies in the payload.
package struct RecordValue: Equatable, Sendable {
  package var type: SerialType
  package var offset: Int
  package var count: Int

  package init(type: SerialType, offset: Int, count: Int) {
    self.type = type
    self.offset = offset
    self.count = count
  }

  package var range: Range<Int> { offset..<offset + count }

  /// The integer that the value stands for, or nothing where it is not one or not there.
  package func integer(in payload: RawSpan) -> Int64? {
    switch type.rawValue {
    case 8: return 0
    case 9: return 1
    case 1...6:
      guard offset >= 0, count <= payload.byteCount - offset else { return nil }
      var value: Int64 = 0
      for index in 0..<count {
        guard let byte = payload[at: offset + index] else { return nil }
        value = index == 0 ? Int64(Int8(bitPattern: byte)) : value << 8 | Int64(byte)
      }
      return value
    default: return nil
    }
  }

  /// The number that the value stands for.
  package func real(in payload: RawSpan) -> Double? {
    guard type.rawValue == 7, let bits = try? payload.integer(at: offset, as: UInt64.self) else {
      return nil
    }
    return Double(bitPattern: bits)
  }

  /// The text that the value stands for, repaired where it is damaged.
  package func text(in payload: RawSpan, encoding: TextEncoding) -> String? {
    guard type.kind == .text, let bytes = try? payload.bytes(at: offset, count: count) else {
      return nil
    }
    switch encoding {
    case .utf8: return bytes.repairedText()
    case .utf16LittleEndian: return bytes.utf16Text(bigEndian: false)
    case .utf16BigEndian: return bytes.utf16Text(bigEndian: true)
    }
  }
}

extension RawSpan {
  /// The bytes read as UTF-16; unpaired surrogates become U+FFFD and an odd last byte is left out.
  package func utf16Text(bigEndian: Bool) -> String {
    var units: [UInt16] = []
    units.reserveCapacity(byteCount / 2)
    var offset = 0
    while byteCount - offset >= 2 {
      let unit = unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)
      units.append(bigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit))
      offset += 2
    }
    return String(decoding: units, as: UTF16.self)
  }
}
