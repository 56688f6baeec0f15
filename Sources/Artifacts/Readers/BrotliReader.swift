import Bytes
import CBrotli
import Findings
import Formats

/// Brotli streams (RFC 7932). They have no signature, and random bytes often decode for a while: the
/// name must suggest it and the head must decode.
package struct BrotliReader: ArtifactReader {
  package let kind = "brotli"
  package var isBinary: Bool { true }

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    guard name.lowercased().hasSuffix(".br"), head.byteCount > 0 else { return false }
    var produced = 0
    let decoder = BrotliDecoder()
    let ending = head.withUnsafeBytes { bytes in
      decoder.decode(bytes) { part in
        produced += part.count
        return produced < 1 << 20
      }
    }
    switch ending {
    case .finished(let left): return left == 0
    case .wantsMore: return head.byteCount < byteCount && produced > 0
    case .refused: return true
    case .damaged: return false
    }
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    let name = ContentName.inside(input.name)
    let steps = MemberName.steps(name)
    var context = Context()
    context.member = name
    guard
      sink.beginMember(name, at: Place(steps: steps, context: context, origin: .transformed))
    else { return }
    let ending = Self.decode(input.source, into: &sink)
    sink.endMember()
    switch ending {
    case .finished(left: 0), .refused: return
    case .finished, .wantsMore, .damaged:
      sink.diagnostic(
        .formatDamaged, "the brotli stream is damaged or cut off", remedy: Remedy.damaged,
        steps: steps)
    }
  }

  private static func decode(
    _ source: any ByteSource, into sink: inout some FragmentSink
  ) -> BrotliDecoder.Ending {
    let decoder = BrotliDecoder()
    var offset = 0
    while offset < source.byteCount {
      guard let block = try? source.bytes(at: offset, count: 128 << 10), !block.isEmpty else {
        return .damaged
      }
      offset += block.count
      let ending = block.withUnsafeBytes { bytes in
        decoder.decode(bytes) { part in sink.append(part.bytes) && !sink.isExhausted }
      }
      switch ending {
      case .wantsMore: continue
      case .finished(let left): return .finished(left: left + source.byteCount - offset)
      case .damaged, .refused: return ending
      }
    }
    return .wantsMore
  }
}

/// The library's decoder, fed piece by piece.
private struct BrotliDecoder: ~Copyable {
  enum Ending: Equatable {
    /// The stream ended and so many bytes were left.
    case finished(left: Int)
    case wantsMore
    case damaged
    case refused
  }

  private let state = BrotliDecoderCreateInstance(nil, nil, nil)

  deinit {
    BrotliDecoderDestroyInstance(state)
  }

  func decode(_ bytes: UnsafeRawBufferPointer, take: (UnsafeRawBufferPointer) -> Bool) -> Ending {
    guard let state else { return .damaged }
    var next = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var left = bytes.count
    while true {
      var room = 0
      let result = BrotliDecoderDecompressStream(state, &left, &next, &room, nil, nil)
      while BrotliDecoderHasMoreOutput(state) != 0 {
        var count = 0
        guard let part = BrotliDecoderTakeOutput(state, &count), count > 0 else { break }
        guard take(UnsafeRawBufferPointer(start: part, count: count)) else { return .refused }
      }
      switch result {
      case BROTLI_DECODER_RESULT_SUCCESS: return .finished(left: left)
      case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return .wantsMore
      case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue
      default: return .damaged
      }
    }
  }
}
