/// What the reader of disk images tells of one, record after record: each is a kind, a size and so many
/// bytes, integers in little-endian order. It is a program of its own, since the library that knows file
/// systems brings a second SQLite with it (STORE.md §1.6), and so that an image that ends it ends nothing
/// else.
package enum ImageRecord: Equatable, Sendable {
  case file(ImageFile)
  /// Some of the file that was told of last, whose pieces do not say where it lies.
  case content([UInt8])
  /// All of its content was told.
  case endOfFile
  /// Bytes of the image that no file has.
  case unallocated([Range<UInt64>])
  case problem(ImageProblem)
  /// Everything was told.
  case end

  /// Larger ones are none of the reader's.
  package static let mostBytes = 4 << 20

  package var encoded: [UInt8] {
    var body: [UInt8] = []
    let kind: Kind
    switch self {
    case .file(let file):
      kind = .file
      file.encode(into: &body)
    case .content(let bytes):
      kind = .content
      body = bytes
    case .endOfFile: kind = .endOfFile
    case .unallocated(let ranges):
      kind = .unallocated
      for range in ranges {
        body.append(integer: range.lowerBound)
        body.append(integer: range.upperBound)
      }
    case .problem(let problem):
      kind = .problem
      problem.encode(into: &body)
    case .end: kind = .end
    }
    var bytes = [kind.rawValue]
    bytes.append(integer: UInt32(body.count))
    return bytes + body
  }

  private enum Kind: UInt8 {
    case file = 1
    case content, endOfFile, unallocated, problem, end
  }

  /// Size of what stands before every body.
  package static let headSize = 5

  /// Size of the body that a head of five bytes announces; nothing where it is too large.
  package static func bodySize(head: [UInt8]) -> Int? {
    var reading = RecordReading(head.dropFirst())
    guard let size = reading.integer(UInt32.self), size <= mostBytes else { return nil }
    return Int(size)
  }

  /// The record of a head and its body; nothing where they are none.
  package init?(head: [UInt8], body: [UInt8]) {
    guard let first = head.first, let kind = Kind(rawValue: first) else { return nil }
    var reading = RecordReading(body[...])
    switch kind {
    case .file:
      guard let file = ImageFile(&reading) else { return nil }
      self = .file(file)
    case .content: self = .content(body)
    case .endOfFile: self = .endOfFile
    case .unallocated:
      var ranges: [Range<UInt64>] = []
      while let start = reading.integer(UInt64.self), let end = reading.integer(UInt64.self) {
        guard start <= end else { return nil }
        ranges.append(start..<end)
      }
      self = .unallocated(ranges)
    case .problem:
      guard let problem = ImageProblem(&reading) else { return nil }
      self = .problem(problem)
    case .end: self = .end
    }
  }
}

/// A file, or another stream of one, of a file system in an image.
package struct ImageFile: Equatable, Sendable {
  /// Names of the volume, where there are several, and of the folders, as the file system has them.
  package var path: [UInt8]
  package var volume: String
  package var byteCount: UInt64
  /// Its name or its metadata are no longer in use: what is read of it may be another's by now.
  package var isDeleted: Bool
  /// Where its bytes lie in the image; the rest of it is zeros. Empty where they lie otherwise than they are
  /// read: their content follows.
  package var pieces: [Piece]
  /// Bytes of its last block behind its end.
  package var slack: Range<UInt64>

  package struct Piece: Equatable, Sendable {
    package var offset: UInt64
    package var source: UInt64
    package var count: UInt64

    package init(offset: UInt64, source: UInt64, count: UInt64) {
      (self.offset, self.source, self.count) = (offset, source, count)
    }
  }

  package init(
    path: [UInt8], volume: String, byteCount: UInt64, isDeleted: Bool, pieces: [Piece],
    slack: Range<UInt64>
  ) {
    (self.path, self.volume, self.byteCount) = (path, volume, byteCount)
    (self.isDeleted, self.pieces, self.slack) = (isDeleted, pieces, slack)
  }

  fileprivate func encode(into bytes: inout [UInt8]) {
    bytes.append(isDeleted ? 1 : 0)
    bytes.append(integer: byteCount)
    bytes.append(integer: slack.lowerBound)
    bytes.append(integer: slack.upperBound)
    bytes.append(text: Array(volume.utf8))
    bytes.append(text: path)
    for piece in pieces {
      bytes.append(integer: piece.offset)
      bytes.append(integer: piece.source)
      bytes.append(integer: piece.count)
    }
  }

  fileprivate init?(_ reading: inout RecordReading) {
    guard let flag = reading.integer(UInt8.self), let count = reading.integer(UInt64.self),
      let slackStart = reading.integer(UInt64.self), let slackEnd = reading.integer(UInt64.self),
      slackStart <= slackEnd, let volume = reading.text(), let path = reading.text()
    else { return nil }
    var pieces: [Piece] = []
    while let offset = reading.integer(UInt64.self), let source = reading.integer(UInt64.self),
      let count = reading.integer(UInt64.self)
    {
      pieces.append(Piece(offset: offset, source: source, count: count))
    }
    self.init(
      path: path, volume: String(decoding: volume, as: UTF8.self), byteCount: count,
      isDeleted: flag == 1, pieces: pieces, slack: slackStart..<slackEnd)
  }
}

/// What could not be read of an image.
package struct ImageProblem: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// No file system that is known: an empty partition, swap, or another system's.
    case unknown
    case encrypted
    case damaged
  }

  package var kind: Kind
  package var volume: String
  /// Where the volume starts in the image.
  package var offset: UInt64
  package var path: [UInt8]
  package var message: String

  package init(
    _ kind: Kind, volume: String, offset: UInt64 = 0, path: [UInt8] = [], message: String
  ) {
    (self.kind, self.volume, self.offset) = (kind, volume, offset)
    (self.path, self.message) = (path, message)
  }

  fileprivate func encode(into bytes: inout [UInt8]) {
    bytes.append(kind.rawValue)
    bytes.append(integer: offset)
    bytes.append(text: Array(volume.utf8))
    bytes.append(text: path)
    bytes.append(text: Array(message.utf8))
  }

  fileprivate init?(_ reading: inout RecordReading) {
    guard let kind = reading.integer(UInt8.self).flatMap(Kind.init(rawValue:)),
      let offset = reading.integer(UInt64.self), let volume = reading.text(),
      let path = reading.text(), let message = reading.text()
    else { return nil }
    self.init(
      kind, volume: String(decoding: volume, as: UTF8.self), offset: offset, path: path,
      message: String(decoding: message, as: UTF8.self))
  }
}

/// The rest of a body that is being read.
private struct RecordReading {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  mutating func integer<Integer: FixedWidthInteger>(_: Integer.Type) -> Integer? {
    let size = Integer.bitWidth / 8
    guard rest.count >= size else { return nil }
    var value: Integer = 0
    for (index, byte) in rest.prefix(size).enumerated() {
      value |= Integer(truncatingIfNeeded: UInt64(byte)) << (8 * index)
    }
    rest = rest.dropFirst(size)
    return value
  }

  mutating func text() -> [UInt8]? {
    guard let size = integer(UInt32.self), rest.count >= size else { return nil }
    defer { rest = rest.dropFirst(Int(size)) }
    return Array(rest.prefix(Int(size)))
  }
}

extension [UInt8] {
  fileprivate mutating func append(integer: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: integer.littleEndian) { append(contentsOf: $0) }
  }

  fileprivate mutating func append(text: [UInt8]) {
    append(integer: UInt32(text.count))
    append(contentsOf: text)
  }
}
