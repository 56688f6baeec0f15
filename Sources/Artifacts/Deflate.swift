import Bytes
import CDeflate
import CZlib

/// How DEFLATE data (RFC 1951) is wrapped, by the number zlib wants for it.
enum DeflateFraming: Int32 {
  case raw = -15
  /// RFC 1950.
  case zlib = 15
  /// RFC 1952.
  case gzip = 31
}

/// How a compressed stream came to its end.
enum StreamEnding: Equatable {
  case finished
  /// The source ended first.
  case truncated
  case damaged
  /// The sink refused more.
  case refused
  /// The source could not be read.
  case unreadable(ReadFailure)
}

/// What decompressing one stream came to.
struct StreamOutcome: Equatable {
  var ending: StreamEnding
  var consumed: Int
  var produced: Int
  /// CRC-32 of what was produced.
  var crc: UInt32
}

/// Decompresses data of known size in one go, by libdeflate: more than twice as fast as piece by piece.
struct WholeInflater: ~Copyable {
  /// Largest result that is worth holding in memory at once.
  static let limit = 16 << 20
  /// DEFLATE cannot expand by more (1032:1).
  static let largestRatio = 1032

  enum Outcome: Equatable {
    case finished(consumed: Int, produced: Int)
    /// The result does not fit what it was said to need.
    case larger
    case damaged
  }

  private let decompressor = libdeflate_alloc_decompressor()

  /// Whether a claimed size can be true of data of this size, and fits in memory.
  static func isPlausible(_ size: Int, from compressed: Int) -> Bool {
    size <= limit && compressed <= limit && size <= (compressed + 1) * largestRatio
  }

  func inflate(
    _ data: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Outcome {
    guard let decompressor, let start = data.baseAddress else { return .damaged }
    var consumed = 0
    var produced = 0
    let result = libdeflate_deflate_decompress_ex(
      decompressor, start, data.count, output.baseAddress, output.count, &consumed, &produced)
    switch result {
    case LIBDEFLATE_SUCCESS: return .finished(consumed: consumed, produced: produced)
    case LIBDEFLATE_INSUFFICIENT_SPACE: return .larger
    default: return .damaged
    }
  }

  deinit {
    libdeflate_free_decompressor(decompressor)
  }
}

/// The CRC-32 of bytes that continue those `crc` was computed of (ISO 3309).
func crc32(_ bytes: UnsafeRawBufferPointer, after crc: UInt32 = 0) -> UInt32 {
  guard let start = bytes.baseAddress else { return crc }
  return libdeflate_crc32(crc, start, bytes.count)
}

/// Decompresses data piece by piece, by zlib: for what is too large to hold, of unknown size, or damaged.
struct StreamInflater: ~Copyable {
  /// Bytes read at first, so that a short or damaged stream costs little, and later.
  private static let firstInputSize = 4 << 10
  private static let inputSize = 128 << 10
  private static let outputSize = 256 << 10

  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var input = Scratch()
  private var output = Scratch()
  private let isReady: Bool

  init(_ framing: DeflateFraming) {
    stream.initialize(to: z_stream())
    isReady =
      inflateInit2_(
        stream, framing.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
  }

  deinit {
    if isReady { inflateEnd(stream) }
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Decompresses the stream at the start of `range` and hands its bytes to `take` until that
  /// answers false.
  mutating func run(
    _ source: any ByteSource, range: Range<Int>, take: (UnsafeRawBufferPointer) -> Bool
  ) -> StreamOutcome {
    var outcome = StreamOutcome(ending: .truncated, consumed: 0, produced: 0, crc: 0)
    guard isReady, inflateReset(stream) == Z_OK else {
      outcome.ending = .damaged
      return outcome
    }
    let output = output.reserve(Self.outputSize)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let size = offset == range.lowerBound ? Self.firstInputSize : Self.inputSize
      let wanted = min(size, range.upperBound - offset)
      let room = input.reserve(wanted)
      var filled = 0
      do throws(ReadFailure) {
        filled = try source.read(at: offset, into: room)
      } catch {
        outcome.ending = .unreadable(error)
        return outcome
      }
      guard filled > 0 else { return outcome }
      offset += filled
      stream.pointee.next_in = room.baseAddress?.assumingMemoryBound(to: Bytef.self)
      stream.pointee.avail_in = uInt(filled)
      if let ending = drain(into: output, outcome: &outcome, take: take) {
        outcome.consumed = offset - range.lowerBound - Int(stream.pointee.avail_in)
        outcome.ending = ending
        return outcome
      }
    }
    outcome.consumed = offset - range.lowerBound
    return outcome
  }

  /// Decompresses the stream at the start of `range` into the member that was begun last.
  mutating func run(
    _ source: any ByteSource, range: Range<Int>, into sink: inout some FragmentSink
  ) -> StreamOutcome {
    run(source, range: range) { bytes in sink.append(bytes.bytes) && !sink.isExhausted }
  }

  /// Decompresses what was read; answers how the stream ended, or nothing while it wants more.
  private func drain(
    into output: UnsafeMutableRawBufferPointer, outcome: inout StreamOutcome,
    take: (UnsafeRawBufferPointer) -> Bool
  ) -> StreamEnding? {
    while true {
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
      stream.pointee.avail_out = uInt(output.count)
      let result = inflate(stream, Z_NO_FLUSH)
      let made = output.count - Int(stream.pointee.avail_out)
      if made > 0 {
        let bytes = UnsafeRawBufferPointer(rebasing: output[..<made])
        outcome.produced += made
        outcome.crc = crc32(bytes, after: outcome.crc)
        guard take(bytes) else { return .refused }
      }
      switch result {
      case Z_STREAM_END: return .finished
      case Z_OK: if stream.pointee.avail_in == 0, made < output.count { return nil }
      case Z_BUF_ERROR: return nil
      default: return .damaged
      }
    }
  }
}

/// The content of a DEFLATE stream that ends inside `data`, at most `limit` bytes of it; nothing where
/// it does not end cleanly. For values whose structure says that they are compressed, and to test whether
/// unknown bytes are.
package func inflateRaw(_ data: [UInt8], limit: Int = 16 << 20) -> [UInt8]? {
  inflated(data, .raw, limit: limit)?.content
}

/// As `inflateRaw`, for any framing, with the number of bytes that the stream took.
func inflated(
  _ data: [UInt8], _ framing: DeflateFraming, limit: Int
) -> (content: [UInt8], consumed: Int)? {
  var content: [UInt8] = []
  var inflater = StreamInflater(framing)
  let outcome = inflater.run(MemorySource(data), range: 0..<data.count) { bytes in
    guard bytes.count <= limit - content.count else { return false }
    content.append(contentsOf: bytes)
    return true
  }
  return outcome.ending == .finished ? (content, outcome.consumed) : nil
}
