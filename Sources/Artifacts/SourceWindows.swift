import Bytes
import Formats

/// A source read piece by piece, each starting where the last one was read to.
struct SourceWindows {
  /// Bytes a piece has at most.
  static let size = 1 << 20

  private let source: any ByteSource
  private let size: Int
  private(set) var offset: Int
  /// Line at the offset, from 1.
  private(set) var line = 1
  /// Whether the piece loaded last ends the source.
  private(set) var isLast = false

  init(_ source: any ByteSource, from offset: Int = 0, size: Int = SourceWindows.size) {
    self.source = source
    self.size = size
    self.offset = offset
  }

  /// The next piece, or nothing at the end.
  mutating func load() throws(ReadFailure) -> [UInt8]? {
    guard offset < source.byteCount else { return nil }
    let bytes = try source.bytes(at: offset, count: size)
    isLast = bytes.count < size || offset + bytes.count >= source.byteCount
    return bytes.isEmpty ? nil : bytes
  }

  /// Goes on behind `count` bytes of `piece`.
  mutating func advance(past count: Int, of piece: [UInt8]) {
    line += piece.span.bytes.count(of: 0x0A, in: 0..<count)
    offset += max(count, 1)
  }

  /// Bytes of a piece that are whole lines; all of it at the end or where no line ends.
  func wholeLines(of piece: [UInt8]) -> Int {
    if isLast { return piece.count }
    return piece.lastIndex(of: 0x0A).map { $0 + 1 } ?? piece.count
  }
}
