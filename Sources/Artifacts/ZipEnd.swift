import Bytes
import Formats

/// Where the end record of a zip archive was found and where its central directory really lies.
///
/// Bytes in front of the archive (a self-extractor, a picture) shift every offset in it; bytes behind it
/// move the record away from the end.
struct ZipEnd {
  var record: ZipEndRecord
  /// Offset of the end record.
  var offset: Int
  var directory: Range<Int>
  /// What to add to an offset that the archive states.
  var shift: Int

  /// First offset behind the archive and its comment.
  var end: Int { offset + ZipEndRecord.size + record.commentLength }

  /// Sizes of the stretch at the end that is searched: the longest comment, then what people append.
  static let tailSizes = [(65_535 + 22 + 76), 1 << 20]
  /// What is searched to tell whether a file of another kind also is an archive: every such file pays for
  /// it, and archives behind programs and pictures seldom have comments.
  static let shortTail = [4096]
  private static let largestCandidateCount = 256

  /// The last end record whose central directory is where it says.
  init?(in source: any ByteSource, tails: [Int] = tailSizes) throws(ReadFailure) {
    var searched = 0
    for size in tails where searched < source.byteCount {
      let start = max(0, source.byteCount - size)
      let tail = try source.bytes(at: start, count: size)
      if let found = try Self.search(tail, at: start, in: source) {
        self = found
        return
      }
      searched = tail.count
    }
    return nil
  }

  /// Whether a member lies where the directory says, of the first there are: of an archive that is divided,
  /// or of which only the end is here, none does.
  func hasMember(in source: any ByteSource) -> Bool {
    let size = min(directory.count, Self.directoryHead)
    guard let bytes = try? source.bytes(at: directory.lowerBound, count: size) else { return false }
    var next = 0
    for _ in 0..<Self.mostAsked {
      guard let entry = try? ZipEntry(central: bytes.span.bytes, at: next) else { return false }
      next += entry.headerSize
      let (header, overflow) = (entry.localOffset ?? 0).addingReportingOverflow(shift)
      if !overflow, header >= 0, header < source.byteCount,
        let start = try? source.bytes(at: header, count: 4), start == ZipEntry.localSignature
      {
        return true
      }
    }
    return false
  }

  private static let directoryHead = 16 << 10
  private static let mostAsked = 64

  private static func search(
    _ tail: [UInt8], at start: Int, in source: any ByteSource
  ) throws(ReadFailure) -> ZipEnd? {
    var candidates = 0
    var index = tail.count - ZipEndRecord.size
    while index >= 0, candidates < largestCandidateCount {
      defer { index -= 1 }
      guard tail[index] == 0x50, tail.span.bytes.hasBytes(ZipEndRecord.signature, at: index),
        let bytes = try? tail.span.bytes.bytes(at: index, count: ZipEndRecord.size),
        let record = try? ZipEndRecord(parsing: bytes)
      else { continue }
      candidates += 1
      if let end = try locate(record, at: start + index, in: source) { return end }
    }
    return nil
  }

  private static func locate(
    _ stored: ZipEndRecord, at offset: Int, in source: any ByteSource
  ) throws(ReadFailure) -> ZipEnd? {
    var record = stored
    var limit = offset
    if record.needsZip64, let wide = try zip64(before: offset, in: source),
      (try? record.widen(with: wide.bytes.span.bytes)) == true
    {
      limit = wide.offset
    }
    guard record.commentLength <= source.byteCount - offset - ZipEndRecord.size else { return nil }
    if record.directorySize == 0 {
      guard record.entryCount == 0, record.directoryOffset <= limit else { return nil }
      return ZipEnd(
        record: record, offset: offset, directory: limit..<limit,
        shift: limit - record.directoryOffset)
    }
    guard record.directorySize <= limit, record.directoryOffset <= limit else { return nil }
    for start in [limit - record.directorySize, record.directoryOffset] {
      let signature = try source.bytes(at: start, count: 4)
      guard signature == ZipEntry.centralSignature else { continue }
      let end = min(limit, start + record.directorySize)
      return ZipEnd(
        record: record, offset: offset, directory: start..<end,
        shift: max(0, start - record.directoryOffset))
    }
    return nil
  }

  private init(record: ZipEndRecord, offset: Int, directory: Range<Int>, shift: Int) {
    self.record = record
    self.offset = offset
    self.directory = directory
    self.shift = shift
  }

  /// The zip64 end record: where its locator says, else right before the locator.
  private static func zip64(
    before offset: Int, in source: any ByteSource
  ) throws(ReadFailure) -> (bytes: [UInt8], offset: Int)? {
    let locator = offset - ZipEndRecord.zip64LocatorSize
    guard locator >= 0 else { return nil }
    let bytes = try source.bytes(at: locator, count: ZipEndRecord.zip64LocatorSize)
    guard let stated = ZipEndRecord.zip64Offset(inLocator: bytes.span.bytes) else { return nil }
    for start in [stated, locator - ZipEndRecord.zip64Size] where start >= 0 && start < locator {
      let record = try source.bytes(at: start, count: ZipEndRecord.zip64Size)
      if record.span.bytes.hasBytes([0x50, 0x4B, 6, 6]) { return (record, start) }
    }
    return nil
  }
}
