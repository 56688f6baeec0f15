import Bytes
import Findings

/// Base64 as property lists carry it: the standard or the URL alphabet, cut into lines (RFC 4648).
package enum Base64Text {
  /// The decoded bytes. White space is skipped; any other foreign byte ends the text, `isComplete`
  /// says whether it was reached.
  package static func decode(_ text: RawSpan) -> (decoded: DecodedBytes, isComplete: Bool) {
    var result = DecodedBytes()
    var values: InlineArray<4, UInt8> = [0, 0, 0, 0]
    var count = 0
    var start = 0
    var offset = 0
    while offset < text.byteCount {
      let byte = text.known(offset)
      let value = table[Int(byte)]
      guard value < 64 else {
        if isBlank(byte) || byte == 0 {
          offset += 1
          continue
        }
        break
      }
      if count == 0 { start = offset }
      values[count] = value
      count += 1
      offset += 1
      guard count == 4 else { continue }
      result.bytes.append(values[0] << 2 | values[1] >> 4)
      result.bytes.append(values[1] << 4 | values[2] >> 2)
      result.bytes.append(values[2] << 6 | values[3])
      result.map.append(unit: 3, source: start, sourceUnit: offset - start)
      count = 0
    }
    if count >= 2 {
      result.append(values[0] << 2 | values[1] >> 4, from: start..<offset)
      if count == 3 { result.append(values[1] << 4 | values[2] >> 2, from: start..<offset) }
    }
    while offset < text.byteCount, text.known(offset) == 0x3D || isBlank(text.known(offset)) {
      offset += 1
    }
    return (result, offset == text.byteCount)
  }

  private static let table: [UInt8] = {
    var table = [UInt8](repeating: 255, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    for (value, byte) in alphabet.enumerated() { table[Int(byte)] = UInt8(value) }
    table[0x2D] = 62
    table[0x5F] = 63
    return table
  }()
}

/// Hexadecimal digits as OpenStep property lists carry data, with white space between.
package enum HexadecimalText {
  /// The decoded bytes, up to the first foreign byte.
  package static func decode(_ text: RawSpan) -> DecodedBytes {
    var result = DecodedBytes()
    var high: (value: UInt8, offset: Int)?
    for offset in 0..<text.byteCount {
      let byte = text.known(offset)
      guard let value = hexadecimalValue(byte) else {
        if isBlank(byte) { continue }
        break
      }
      if let first = high {
        result.append(first.value << 4 | value, from: first.offset..<offset + 1)
        high = nil
      } else {
        high = (value, offset)
      }
    }
    return result
  }
}
