package import Bytes

/// The header of a write-ahead log (SQLite file format, §4.1).
///
///     offset  size  field
///          0     4  377f0682 little-endian checksums, 377f0683 big-endian
///          4     4  version, 3007000
///          8     4  page size
///         12     4  checkpoint sequence
///         16     8  salt-1, salt-2
///         24     8  checksum of the first 24 bytes
package struct LogHeader: Equatable, Sendable {
  package static let byteCount = 32
  package static let version: UInt32 = 3_007_000

  package var checksumsAreBigEndian: Bool
  package var version: UInt32
  package var pageSize: Int
  package var sequence: UInt32
  package var salts: Salts
  package var checksum: LogChecksum
  /// Whether the checksum fits the header.
  package var isSound: Bool

  package init(parsing log: RawSpan) throws(Truncated) {
    let magic: UInt32 = try log.integer(at: 0)
    checksumsAreBigEndian = magic & 1 != 0
    version = try log.integer(at: 4)
    let stored: UInt32 = try log.integer(at: 8)
    pageSize = Int(stored)
    sequence = try log.integer(at: 12)
    salts = Salts(one: try log.integer(at: 16), two: try log.integer(at: 20))
    checksum = LogChecksum(one: try log.integer(at: 24), two: try log.integer(at: 28))
    var computed = LogChecksum()
    computed.add(log.clamped(to: 0..<24), bigEndian: checksumsAreBigEndian)
    isSound = computed == checksum && Self.isMagic(magic)
  }

  /// Page sizes, the usual ones first.
  package static let pageSizes = [4096, 1024, 512, 2048, 8192, 16_384, 32_768, 65_536]

  /// The header of a log, or, where it is damaged, what the frames behind it say it was: those that follow
  /// one another bear the same salts.
  package init?(of log: any ByteSource) {
    let head = (try? log.bytes(at: 0, count: Self.byteCount)) ?? []
    let bytes = unsafe head.span.bytes
    guard var header = try? Self(parsing: bytes) else { return nil }
    if PageGeometry(pageSize: header.pageSize, reserved: 0) == nil
      || !Self.isMagic(bytes.word(at: 0))
    {
      func frame(_ offset: Int) -> FrameHeader? {
        let bytes =
          (try? log.bytes(at: Self.byteCount + offset, count: FrameHeader.byteCount)) ?? []
        return try? FrameHeader(parsing: unsafe bytes.span.bytes)
      }
      guard let first = frame(0), first.salts != Salts(one: 0, two: 0),
        let size = Self.pageSizes.first(where: {
          frame($0 + FrameHeader.byteCount)?.salts == first.salts
        })
      else { return nil }
      header.pageSize = size
      header.salts = first.salts
      header.isSound = false
    }
    self = header
  }

  package static func isMagic(_ word: UInt32) -> Bool { word & ~1 == 0x377f_0682 }
}

/// Both salts of a log: a frame belongs to the generation whose salts it bears (§4.1).
package struct Salts: Equatable, Hashable, Sendable {
  package var one: UInt32
  package var two: UInt32
}

/// The running checksum of a log, a Fibonacci-weighted sum of 32-bit words (§4.2).
package struct LogChecksum: Equatable, Sendable {
  package var one: UInt32 = 0
  package var two: UInt32 = 0

  package init() {}

  package init(one: UInt32, two: UInt32) {
    self.one = one
    self.two = two
  }

  /// Adds a multiple of 8 bytes.
  package mutating func add(_ bytes: RawSpan, bigEndian: Bool) {
    var first = one
    var second = two
    var offset = 0
    while bytes.byteCount - offset >= 8 {
      let left = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let right = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      first &+= (bigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
      second &+= (bigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
      offset += 8
    }
    one = first
    two = second
  }
}

/// The 24 bytes before each page of a log (§4.1).
///
///     offset  size  field
///          0     4  page number
///          4     4  size of the database in pages after a commit, 0 in other frames
///          8     8  salts
///         16     8  running checksum over the first 8 bytes and the page
package struct FrameHeader: Equatable, Sendable {
  package static let byteCount = 24

  package var page: UInt32
  package var commitSize: UInt32
  package var salts: Salts
  package var checksum: LogChecksum

  package init(parsing frame: RawSpan) throws(Truncated) {
    page = try frame.integer(at: 0)
    commitSize = try frame.integer(at: 4)
    salts = Salts(one: try frame.integer(at: 8), two: try frame.integer(at: 12))
    checksum = LogChecksum(one: try frame.integer(at: 16), two: try frame.integer(at: 20))
  }
}

/// What a frame of a log is worth.
package enum FrameState: UInt8, CaseIterable, Sendable {
  /// The current version of its page.
  case live
  /// A later committed frame of the same generation holds its page.
  case superseded
  /// No commit follows it.
  case uncommitted
  /// Left from before the log was started over: its salts are not the header's.
  case stale
  /// It bears the header's salts, but its checksum does not fit.
  case torn

  /// The name in reports.
  package var name: String {
    switch self {
    case .live: "live"
    case .superseded: "superseded"
    case .uncommitted: "uncommitted"
    case .stale: "stale"
    case .torn: "torn"
    }
  }
}
