import Bytes

/// What the header of a tar member says of it (tar(5)).
///
///     offset  size  field
///          0   100  name
///        124    12  size, in octal, or in base 256 where the first bit is set
///        156     1  type
///        157   100  name of what a link points to
///        257     6  "ustar"; followed by a space where GNU tar wrote it
///        345   155  what stands before the name (POSIX)
///        482     1  whether a map of holes goes on in the next block (GNU, type S)
package struct TarEntry: Equatable, Sendable {
  package var name: [UInt8]
  package var link: [UInt8]
  package var size: Int
  package var type: UInt8
  package var hasMoreMap: Bool

  /// Nothing where the bytes are no header or its size is no number.
  package init?(parsing header: RawSpan) {
    guard TarHeader.isHeader(header), let type = header[at: 156],
      let size = Self.number(in: header, at: 124, count: 12)
    else { return nil }
    self.type = type
    self.size = size
    name = Self.text(in: header, at: 0, count: 100)
    link = Self.text(in: header, at: 157, count: 100)
    let isPOSIX = header.hasBytes("ustar\0", at: 257)
    let prefix = isPOSIX ? Self.text(in: header, at: 345, count: 155) : []
    if !prefix.isEmpty { name = prefix + [0x2F] + name }
    hasMoreMap = type == UInt8(ascii: "S") && header[at: 482] != 0
  }

  /// Whether data follows: links, devices and directories have none, whatever their size says.
  package var hasData: Bool { !(UInt8(ascii: "1")...UInt8(ascii: "6")).contains(type) }

  private static func text(in bytes: RawSpan, at start: Int, count: Int) -> [UInt8] {
    var text: [UInt8] = []
    for offset in start..<start + count {
      guard let byte = bytes[at: offset], byte != 0 else { break }
      text.append(byte)
    }
    return text
  }

  private static func number(in bytes: RawSpan, at start: Int, count: Int) -> Int? {
    guard let first = bytes[at: start] else { return nil }
    guard first & 0x80 != 0 else {
      // Devices and links may leave it blank.
      return TarHeader.octal(in: bytes, at: start, count: count) ?? 0
    }
    var value = Int(first & 0x3F)
    guard first & 0x40 == 0 else { return nil }
    for offset in start + 1..<start + count {
      guard let byte = bytes[at: offset], value >> 53 == 0 else { return nil }
      value = value << 8 | Int(byte)
    }
    return value
  }

  /// The records of a pax header: `length key=value`, the length in decimal and of the whole record.
  package static func records(in text: [UInt8]) -> [(key: String, value: [UInt8])] {
    var records: [(key: String, value: [UInt8])] = []
    var start = 0
    while start < text.count, let blank = text[start...].firstIndex(of: 0x20),
      let length = Int(String(decoding: text[start..<blank], as: UTF8.self)),
      length > blank - start + 1, length <= text.count - start,
      let equals = text[blank..<start + length].firstIndex(of: 0x3D)
    {
      let value = text[equals + 1..<start + length - 1]
      records.append(
        (String(decoding: text[blank + 1..<equals], as: UTF8.self), Array(value)))
      start += length
    }
    return records
  }
}
