import Bytes
import Glibc

/// A national character set of one or more bytes a character, read by the C library's tables: what mail,
/// contact cards and documents of word processors name beside their text.
@safe
final class CodePage {
  private let converter: iconv_t
  /// What single bytes stand for, filled as they come: 0 not asked yet, 1 no character of its own.
  private var single = [UInt32](repeating: 0, count: 256)
  private static let noCharacter: UInt32 = 1
  /// Bytes of the longest character (GB 18030).
  private static let longest = 4

  /// A set by the name that mail gives it (the list of IANA); nothing where the name is none or the
  /// library has no table.
  ///
  /// Sets that change their state in the middle of a text (ISO 2022) are left out: a character of theirs
  /// cannot be read by itself.
  init?(named name: some StringProtocol) {
    let known = name.lowercased()
    guard !known.isEmpty, known.utf8.count <= 24,
      known.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == 0x2D || $0 == 0x5F }),
      !known.hasPrefix("utf"), !known.hasPrefix("iso-2022"), !known.hasPrefix("hz"),
      !known.hasPrefix("ucs")
    else { return nil }
    // Who writes GB 2312 or GBK means what they were extended to.
    let isChinese = ["gb2312", "gbk", "cp936", "x-gbk", "gb_2312-80"].contains(known)
    let opened = unsafe iconv_open("UTF-32LE", isChinese ? "gb18030" : known)
    guard let opened = unsafe opened, Int(bitPattern: opened) != -1 else { return nil }
    unsafe converter = opened
  }

  /// The code page of Windows with this number.
  convenience init?(windows number: Int) {
    switch number {
    case 437, 850, 852, 855, 857, 858, 860...866, 869, 874, 932, 936, 949, 950, 1250...1258, 1361:
      self.init(named: number == 932 ? "cp932" : "cp\(number)")
    case 10_000: self.init(named: "macintosh")
    case 28_591...28_605: self.init(named: "iso-8859-\(number - 28_590)")
    case 54_936: self.init(named: "gb18030")
    default: return nil
    }
  }

  deinit { _ = unsafe iconv_close(converter) }

  /// The character that starts at `offset` and how many bytes it has; nothing where there is none.
  func character(of bytes: RawSpan, at offset: Int) -> (scalar: Unicode.Scalar, size: Int)? {
    guard let first = bytes[at: offset] else { return nil }
    if single[Int(first)] == 0 {
      single[Int(first)] = convert([first])?.value ?? Self.noCharacter
    }
    if single[Int(first)] != Self.noCharacter, let scalar = Unicode.Scalar(single[Int(first)]) {
      return (scalar, 1)
    }
    for size in 2...Self.longest {
      guard offset + size <= bytes.byteCount else { return nil }
      let stored = bytes.clamped(to: offset..<offset + size).copied()
      if let scalar = convert(stored) { return (scalar, size) }
    }
    return nil
  }

  /// Adds what `text` spells, each character from `source` bytes that stand for one of it.
  func decode(_ text: RawSpan, into result: inout DecodedBytes, source: (Int) -> Range<Int>) {
    var offset = 0
    while offset < text.byteCount {
      let (scalar, size) = character(of: text, at: offset) ?? (.replacement, 1)
      let start = source(offset).lowerBound
      result.append(scalar, from: start..<max(start, source(offset + size - 1).upperBound))
      offset += size
    }
  }

  /// The one character that all of `stored` stands for.
  private func convert(_ stored: [UInt8]) -> Unicode.Scalar? {
    _ = unsafe iconv(converter, nil, nil, nil, nil)
    var input = stored.map { CChar(bitPattern: $0) }
    var output: (UInt32, UInt32) = (0, 0)
    var remaining = input.count
    var left = MemoryLayout.size(ofValue: output)
    let failed = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe withUnsafeMutableBytes(of: &output) { output in
        var from = input.baseAddress
        var to = unsafe output.baseAddress?.assumingMemoryBound(to: CChar.self)
        return unsafe iconv(converter, &from, &remaining, &to, &left) == -1
      }
    }
    guard !failed, remaining == 0, left == 4, output.0 > 1 else { return nil }
    return Unicode.Scalar(UInt32(littleEndian: output.0))
  }
}
