/// A small file that is always readable: two copies of its content, written one after the other.
///
///     offset  size  field, of each copy of 4096 bytes
///          0     8  sequence number; the higher whole copy counts
///          8  4056  body, zero-filled
///       4064    32  BLAKE2b-256 of what stands before
///
/// The checksum finds a torn write and nothing else: that a body is genuine is the business of what
/// is sealed in it.
package enum TwoCopies {
  package static let copyCount = 4096
  package static let bodyCount = copyCount - 8 - Primitives.digestCount
  package static let fileCount = 2 * copyCount

  /// A copy that is whole.
  package struct Copy: Equatable, Sendable {
    /// Where it stands: 0 or 1.
    package var place: Int
    package var sequence: UInt64
    package var body: [UInt8]

    package init(place: Int, sequence: UInt64, body: [UInt8]) {
      self.place = place
      self.sequence = sequence
      self.body = body
    }
  }

  /// The bytes of one copy.
  package static func encode(sequence: UInt64, body: [UInt8]) -> [UInt8] {
    precondition(body.count <= bodyCount)
    var copy: [UInt8] = []
    copy.reserveCapacity(copyCount)
    copy.append(littleEndian: sequence)
    copy.append(contentsOf: body)
    copy.append(contentsOf: [UInt8](repeating: 0, count: bodyCount - body.count))
    copy.append(contentsOf: Primitives.digest(copy))
    return copy
  }

  /// The copies of `file` that are whole, newest first.
  package static func decode(_ file: [UInt8]) -> [Copy] {
    (0...1).compactMap { place in
      let start = place * copyCount
      guard file.count >= start + copyCount else { return nil }
      let content = file[start..<start + copyCount - Primitives.digestCount]
      let stored = file[start + copyCount - Primitives.digestCount..<start + copyCount]
      guard Primitives.digest(content).elementsEqual(stored) else { return nil }
      return Copy(
        place: place, sequence: Array(content).littleEndian(at: 0),
        body: Array(content.dropFirst(8)))
    }
    .sorted { $0.sequence > $1.sequence }
  }
}
