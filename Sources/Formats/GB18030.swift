import Bytes
import Glibc

/// Whether bytes have the structure of GB18030 text and hold the characters people write with it.
struct GB18030Shape {
  private var characters = 0
  /// In the common part of GB 2312: level 1 characters and the rows of signs before them.
  private var common = 0
  private var isBroken = false

  var isText: Bool { !isBroken && characters >= 2 && common * 10 >= characters * 9 }

  init(of head: RawSpan) {
    var offset = 0
    while offset < head.byteCount {
      let lead = head.known(offset)
      guard lead >= 0x80 else {
        offset += 1
        continue
      }
      guard let size = GB18030.size(of: head, at: offset) else {
        // A character cut by the end of the head is no flaw.
        isBroken = head.byteCount - offset >= 4 || lead == 0x80 || lead == 0xFF
        return
      }
      characters += 1
      let trail = head.known(offset + 1)
      if (0xB0...0xD7).contains(lead) || (0xA1...0xA3).contains(lead), trail >= 0xA1 { common += 1 }
      offset += size
    }
  }
}

/// The Chinese national encoding GB 18030, by tables taken from the C library when first needed.
enum GB18030 {
  /// Size of the multi-byte character at `offset`, or nothing where its bytes are none or are cut.
  @inline(__always)
  static func size(of text: RawSpan, at offset: Int) -> Int? {
    guard text.byteCount - offset >= 2, (0x81...0xFE).contains(text.known(offset)) else {
      return nil
    }
    let second = text.known(offset + 1)
    if (0x40...0xFE).contains(second), second != 0x7F { return 2 }
    guard (0x30...0x39).contains(second), text.byteCount - offset >= 4,
      (0x81...0xFE).contains(text.known(offset + 2)),
      (0x30...0x39).contains(text.known(offset + 3))
    else { return nil }
    return 4
  }

  /// The character of `size` bytes at `offset`.
  static func scalar(of text: RawSpan, at offset: Int, size: Int) -> Unicode.Scalar {
    let row = Int(text.known(offset)) - 0x81
    let second = Int(text.known(offset + 1))
    if size == 2 { return twoByte[row * 192 + second - 0x40] }
    let low = Int(text.known(offset + 2)) - 0x81
    let index = ((row * 10 + second - 0x30) * 126 + low) * 10 + Int(text.known(offset + 3)) - 0x30
    // From 0x90308130 on the code points above U+FFFF follow in order.
    if index >= 189_000 {
      return Unicode.Scalar(UInt32(index - 189_000) + 0x1_0000) ?? .replacement
    }
    return index < fourByte.count ? fourByte[index] : .replacement
  }

  /// Whether the C library knows the encoding.
  static let isAvailable = twoByte.contains { $0 != .replacement }

  private static let twoByte: [Unicode.Scalar] = table(count: 126 * 192) { index in
    [UInt8(index / 192 + 0x81), UInt8(min(index % 192 + 0x40, 0xFF))]
  }

  /// Up to 0x8431A439, the last one of the basic plane.
  private static let fourByte: [Unicode.Scalar] = table(count: 39_420) { index in
    [
      UInt8(index / 12_600 + 0x81), UInt8(index / 1260 % 10 + 0x30),
      UInt8(index / 10 % 126 + 0x81), UInt8(index % 10 + 0x30),
    ]
  }

  private static func table(
    count: Int, code: (Int) -> [UInt8]
  ) -> [Unicode.Scalar] {
    var table = [Unicode.Scalar](repeating: .replacement, count: count)
    guard let converter = unsafe iconv_open("UTF-32LE", "GB18030"),
      Int(bitPattern: converter) != -1
    else { return table }
    defer { unsafe _ = iconv_close(converter) }
    for index in 0..<count {
      var stored = code(index).map { CChar(bitPattern: $0) }
      var output = [CChar](repeating: 0, count: 8)
      let rest = unsafe stored.withUnsafeMutableBufferPointer { input in
        unsafe output.withUnsafeMutableBufferPointer { result in
          var from = input.baseAddress
          var fromCount = input.count
          var to = result.baseAddress
          var toCount = result.count
          _ = unsafe iconv(converter, nil, nil, nil, nil)
          _ = unsafe iconv(converter, &from, &fromCount, &to, &toCount)
          return toCount
        }
      }
      guard rest == 4 else { continue }
      let value = output.prefix(4).reversed().reduce(0 as UInt32) {
        $0 << 8 | UInt32(UInt8(bitPattern: $1))
      }
      table[index] = Unicode.Scalar(value) ?? .replacement
    }
    return table
  }
}
