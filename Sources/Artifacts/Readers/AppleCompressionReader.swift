import Bytes
import Findings
import Formats

/// Streams of Apple's compression library: LZFSE with its LZVN and raw blocks, LZ4 blocks, and `pbzx`, the
/// chunks of xz that installer payloads come in.
package struct AppleCompressionReader: ArtifactReader {
  package let kind = "apple-compression"
  package var isBinary: Bool { true }
  /// Largest stream, and largest content, that is held at once.
  private static let limit = 32 << 20

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    Self.method(of: head) != nil
  }

  private enum Method: String {
    case lzfse = "LZFSE"
    case lz4 = "LZ4"
    case pbzx
  }

  private static func method(of head: RawSpan) -> Method? {
    guard head.byteCount >= 12 else { return nil }
    for magic: StaticString in ["bvx1", "bvx2", "bvxn", "bvx-"] where head.hasBytes(magic) {
      return .lzfse
    }
    if head.hasBytes("pbzx") { return .pbzx }
    return head.hasBytes("bv41") || head.hasBytes("bv4-") ? .lz4 : nil
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let head = try? input.source.bytes(at: 0, count: 16),
      let method = Self.method(of: head.span.bytes)
    else { return }
    let name = ContentName.inside(input.name)
    var context = Context()
    context.member = name
    let place = Place(steps: MemberName.steps(name), context: context, origin: .transformed)
    guard sink.beginMember(name, at: place) else { return }
    let problem =
      method == .pbzx
      ? chunks(input.source, into: &sink) : whole(input.source, method, into: &sink)
    sink.endMember()
    guard let problem else { return }
    sink.diagnostic(
      problem, "the \(method.rawValue) stream was not read to its end",
      remedy: Self.remedy(for: problem), steps: place.steps)
  }

  private static func remedy(for problem: Diagnostic.Code) -> String {
    switch problem {
    case .formatDamaged: Remedy.damaged
    case .limitMemory: Remedy.memory
    default: Remedy.limit
    }
  }

  /// Decodes a stream that is held in memory.
  private func whole(
    _ source: any ByteSource, _ method: Method, into sink: inout some FragmentSink
  ) -> Diagnostic.Code? {
    guard let bytes = try? source.bytes(at: 0, count: Self.limit) else { return .readFailed }
    if method == .lz4 {
      let decoded = AppleLZ4.decode(bytes.span.bytes, limit: Self.limit)
      _ = sink.append(decoded.content.span.bytes)
      return decoded.isSound ? nil : .formatDamaged
    }
    let decoded = LZFSE.decode(bytes, limit: Self.limit)
    _ = sink.append(decoded.content.span.bytes)
    switch decoded.ending {
    case .finished: return nil
    case .limited: return .limitSize
    case .unsupported: return .formatUnsupported
    case .damaged: return bytes.count < source.byteCount ? .limitSize : .formatDamaged
    }
  }

  /// Decodes the chunks of a pbzx stream one after the other: flags and size, 8 bytes each, then xz or, where
  /// that would not be smaller, the bytes themselves. Bit 24 of the flags says that there is another.
  private func chunks(
    _ source: any ByteSource, into sink: inout some FragmentSink
  ) -> Diagnostic.Code? {
    var offset = 4
    var flags = number(source, at: offset) ?? 0
    offset += 8
    while flags & 1 << 24 != 0, !sink.isExhausted {
      guard let next = number(source, at: offset), let size = number(source, at: offset + 8),
        let size = Int(exactly: size), size > 0, offset <= source.byteCount - 16,
        size <= source.byteCount - offset - 16, size <= Self.limit
      else { return .formatDamaged }
      flags = next
      offset += 16
      let chunk = SplicedSource(head: [], source: source, range: offset..<offset + size)
      guard let magic = try? chunk.bytes(at: 0, count: 6) else { return .readFailed }
      if magic == [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0] {
        guard
          let archive = LibArchive(chunk, prepare: FilterReader.Filter.xz.prepare), archive.open(),
          case .entry = archive.next()
        else { return .formatDamaged }
        switch archive.copyEntry(into: &sink) {
        case .complete, .sparse: break
        case .refused: return nil
        case .damaged: return archive.memoryProblem == nil ? .formatDamaged : .limitMemory
        }
      } else {
        guard let bytes = try? chunk.bytes(at: 0, count: size) else { return .readFailed }
        guard sink.append(bytes.span.bytes) else { return nil }
      }
      offset += size
    }
    return nil
  }

  private func number(_ source: any ByteSource, at offset: Int) -> UInt64? {
    guard let bytes = try? source.bytes(at: offset, count: 8) else { return nil }
    return try? bytes.span.bytes.integer(at: 0, as: UInt64.self)
  }
}
