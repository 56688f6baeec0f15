import Bytes
import SQLiteFormat

/// A database the name of whose format is damaged, read as if it were whole.
struct MendedSource: ByteSource {
  private static let magic = Array("SQLite format 3\0".utf8)

  private let source: any ByteSource

  /// The source itself where it is sound, or damaged beyond this.
  static func mending(_ source: any ByteSource) -> any ByteSource {
    guard let head = try? source.bytes(at: 0, count: DatabaseHeader.byteCount),
      DatabaseHeader.isNearly(head.span.bytes)
    else { return source }
    return MendedSource(source: source)
  }

  var byteCount: Int { source.byteCount }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadFailure) -> Int {
    let count = try source.read(at: offset, into: buffer)
    var place = offset
    while place >= 0, place < Self.magic.count, place - offset < count {
      buffer[place - offset] = Self.magic[place]
      place += 1
    }
    return count
  }
}
