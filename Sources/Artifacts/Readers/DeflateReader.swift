import Bytes
import Findings
import Formats

/// Single DEFLATE streams without a signature worth the name: zlib's (RFC 1950) and raw ones (RFC 1951).
///
/// Both are recognised by decompressing the head: random bytes do not survive it.
package struct DeflateReader: ArtifactReader {
  package let kind: String
  package var isBinary: Bool { true }
  private let framing: DeflateFraming

  package static let zlib = DeflateReader(kind: "zlib", framing: .zlib)
  package static let raw = DeflateReader(kind: "deflate", framing: .raw)

  /// Shorter raw data is too likely to decompress by chance.
  private static let smallestRaw = 32

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    guard framing == .zlib ? Self.hasZlibHeader(head) : Self.mayBeRaw(head) else { return false }
    let isWhole = head.byteCount >= byteCount
    var produced = 0
    var inflater = StreamInflater(framing)
    let outcome = inflater.run(MemorySource(head.copied()), range: 0..<head.byteCount) { bytes in
      produced += bytes.count
      return produced < 1 << 20
    }
    switch outcome.ending {
    case .finished:
      return produced > 0 && (framing == .zlib || (isWhole && outcome.consumed == head.byteCount))
    case .refused: return true
    case .truncated: return !isWhole && produced >= head.byteCount / 2
    case .damaged, .unreadable: return false
    }
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    let name = ContentName.inside(input.name)
    var context = Context()
    context.member = name
    let steps = MemberName.steps(name)
    guard
      sink.beginMember(name, at: Place(steps: steps, context: context, origin: .transformed))
    else { return }
    var inflater = StreamInflater(framing)
    let outcome = inflater.run(input.source, range: 0..<input.source.byteCount, into: &sink)
    sink.endMember()
    switch outcome.ending {
    case .refused: return
    case .finished:
      let left = input.source.byteCount - outcome.consumed
      // Raw data that stops early was taken for DEFLATE by chance; a zlib checksum is proof.
      guard left > 0, framing == .zlib else { return }
      // What follows may be another stream: many caches write one behind the other.
      input.source.giveTrailing(from: outcome.consumed, into: &sink)
    case .truncated, .damaged:
      guard framing == .zlib else { return }
      sink.diagnostic(
        .formatDamaged, "the zlib data is damaged or cut off after \(outcome.produced) bytes",
        remedy: Remedy.damaged, steps: steps)
    case .unreadable(let failure):
      sink.diagnostic(
        .readFailed, "reading the compressed data failed (errno \(failure.errno))",
        remedy: Remedy.failed, steps: steps)
    }
  }

  /// Method 8, a window of at most 32 KiB, no preset dictionary, a header divisible by 31 (§2.2).
  private static func hasZlibHeader(_ head: RawSpan) -> Bool {
    guard let value = try? head.integer(at: 0, as: UInt16.self) else { return false }
    return value % 31 == 0 && value >> 8 & 15 == 8 && value >> 12 <= 7 && value & 0x20 == 0
      && head.byteCount >= 8
  }

  /// Whether the first block header can be one (§3.2.3), and the bytes are not plain text.
  private static func mayBeRaw(_ head: RawSpan) -> Bool {
    guard head.byteCount >= smallestRaw, let first = head[at: 0] else { return false }
    switch first >> 1 & 3 {
    case 0:
      guard let length = try? head.littleEndianInteger(at: 1, as: UInt16.self),
        let complement = try? head.littleEndianInteger(at: 3, as: UInt16.self)
      else { return false }
      return length == ~complement
    case 2:
      // More than 286 literal or 30 distance codes are invalid.
      guard let second = head[at: 1], first >> 3 <= 29, second & 31 <= 29 else { return false }
    case 3: return false
    default: break
    }
    for index in 0..<smallestRaw {
      if let byte = head[at: index], byte >= 0x80 || byte < 9 { return true }
    }
    return false
  }
}
