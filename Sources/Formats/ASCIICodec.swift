/// The text encodings of binary data in PDF and PostScript (ISO 32000-1, §7.4.2 and §7.4.3). What is not
/// part of the alphabet ends or is skipped as the document says; damage ends the decoding.
package enum ASCIICodec {
  /// Base 85: five characters for four bytes, `z` for four zeros, `~` at the end.
  package static func decode85(_ text: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var group: [UInt64] = []
    func flush() {
      guard group.count > 1 else { return }
      let count = group.count
      while group.count < 5 { group.append(84) }
      let value = group.reduce(0) { $0 * 85 + $1 }
      for index in 0..<count - 1 {
        decoded.append(UInt8(truncatingIfNeeded: value >> UInt64(24 - 8 * index)))
      }
      group.removeAll(keepingCapacity: true)
    }
    for byte in text {
      switch byte {
      case 0x21...0x75:
        group.append(UInt64(byte - 0x21))
        if group.count == 5 { flush() }
      case 0x7A where group.isEmpty: decoded += [0, 0, 0, 0]
      case 0, 9, 10, 12, 13, 32: continue
      default:
        flush()
        return decoded
      }
    }
    flush()
    return decoded
  }

  /// Hexadecimal digits, `>` at the end; an odd last digit counts as its upper half.
  package static func decodeHex(_ text: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var upper: UInt8?
    for byte in text {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      case 0, 9, 10, 12, 13, 32: continue
      default:
        if let upper { decoded.append(upper << 4) }
        return decoded
      }
      if let half = upper {
        decoded.append(half << 4 | digit)
        upper = nil
      } else {
        upper = digit
      }
    }
    if let upper { decoded.append(upper << 4) }
    return decoded
  }
}
