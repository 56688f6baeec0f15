/// An archive in the ustar format (POSIX.1-1988) without anything that differs from run to run: no
/// times, no owners. `tar -xf` unpacks it.
package enum Tar {
  package struct Member: Equatable, Sendable {
    package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  private static let block = 512

  /// The header of a member.
  ///
  ///     offset  size  field
  ///          0   100  name
  ///        100     8  mode, octal
  ///        108     8  owner, 116 group
  ///        124    12  size, octal
  ///        136    12  time of the last change
  ///        148     8  sum of the header's bytes, with blanks in its own place
  ///        156     1  type, "0" for a file
  ///        257     8  "ustar", NUL, "00"
  private static func header(_ name: String, size: Int) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: block)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
    }
    func octal(_ value: Int, _ digits: Int) -> String {
      let text = String(value, radix: 8)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    put(String(name.prefix(99)), at: 0)
    put("0000644", at: 100)
    put("0000000", at: 108)
    put("0000000", at: 116)
    put(octal(size, 11), at: 124)
    put(octal(0, 11), at: 136)
    put("        ", at: 148)
    put("0", at: 156)
    put("ustar\u{0}00", at: 257)
    put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\u{0} ", at: 148)
    return header
  }

  package static func bytes(of members: [Member]) -> [UInt8] {
    var bytes: [UInt8] = []
    for member in members {
      bytes += header(member.name, size: member.bytes.count) + member.bytes
      bytes += [UInt8](repeating: 0, count: padding(of: member.bytes.count))
    }
    return bytes + [UInt8](repeating: 0, count: 2 * block)
  }

  private static func padding(of size: Int) -> Int { (block - size % block) % block }

  /// What is not an archive as `bytes(of:)` writes it.
  package struct Damage: Error, Equatable {
    package var offset: Int
  }

  /// The members of an archive. Only what `bytes(of:)` writes is taken: a bundle is evidence, and must
  /// not be readable in two ways.
  package static func members(in bytes: [UInt8]) throws(Damage) -> [Member] {
    var members: [Member] = []
    var offset = 0
    while true {
      guard bytes.count - offset >= block else { throw Damage(offset: offset) }
      let header = bytes[offset..<offset + block]
      if header.allSatisfy({ $0 == 0 }) { break }
      let name = String(
        decoding: header.prefix { $0 != 0 }, as: UTF8.self)
      let digits = String(decoding: header[offset + 124..<offset + 135], as: UTF8.self)
      guard let size = Int(digits, radix: 8), size >= 0, !name.isEmpty,
        Array(header) == Self.header(name, size: size),
        bytes.count - offset - block >= size,
        !members.contains(where: { $0.name == name })
      else { throw Damage(offset: offset) }
      offset += block
      members.append(Member(name: name, bytes: Array(bytes[offset..<offset + size])))
      offset += size
      let gap = padding(of: size)
      guard bytes.count - offset >= gap, bytes[offset..<offset + gap].allSatisfy({ $0 == 0 }) else {
        throw Damage(offset: offset)
      }
      offset += gap
    }
    guard bytes.count == offset + 2 * block, bytes[offset...].allSatisfy({ $0 == 0 }) else {
      throw Damage(offset: offset)
    }
    return members
  }
}
