package import Bytes
import Formats

/// What a zip archive's directory says of one member.
package struct ZipMember: Equatable, Sendable {
  package var name: String
  package var method: String
  package var compressedSize: Int
  package var size: Int
  package var isEncrypted: Bool
  package var isDirectory: Bool
  package var isSymbolicLink: Bool
  /// Where its local header should be.
  package var offset: Int

  /// The members that the central directory names, at most `limit`; nothing where there is none.
  package static func members(
    of source: any ByteSource, limit: Int
  ) throws(ReadFailure) -> [ZipMember]? {
    guard let end = try ZipEnd(in: source) else { return nil }
    var members: [ZipMember] = []
    var position = end.directory.lowerBound
    let longest = ZipEntry.centralSize + 3 * 65_535
    while members.count < limit, position < end.directory.upperBound {
      let bytes = try source.bytes(
        at: position, count: min(longest, end.directory.upperBound - position))
      var next = 0
      // A block holds many entries: the last may be cut off and is read again with the next block.
      while members.count < limit, let entry = try? ZipEntry(central: bytes.span.bytes, at: next) {
        next += entry.headerSize
        members.append(ZipMember(entry, shift: end.shift))
      }
      guard next > 0 else { break }
      position += next
    }
    return members
  }

  private init(_ entry: ZipEntry, shift: Int) {
    name =
      ZipExtraFields.text(ZipExtraFields.unicodePath, in: entry.extra)
      ?? MemberName.text(entry.name)
    method = entry.method.name
    compressedSize = entry.compressedSize
    size = entry.uncompressedSize
    isEncrypted = entry.isEncrypted
    isDirectory = entry.isDirectory
    isSymbolicLink = entry.isSymbolicLink
    offset = (entry.localOffset ?? 0).addingReportingOverflow(shift).partialValue
  }
}
