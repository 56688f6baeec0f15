import Bytes
import Findings
import Formats

/// Streams of Apple's compression library: LZ4 blocks are decoded; LZFSE, LZVN and the chunked `pbzx` are
/// known for what they are and reported as not read.
package struct AppleCompressionReader: ArtifactReader {
  package let kind = "apple-compression"
  private static let limit = 64 << 20

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    Self.method(of: head) != nil
  }

  private static func method(of head: RawSpan) -> String? {
    guard head.byteCount >= 12 else { return nil }
    if head.hasBytes("bvx1") || head.hasBytes("bvx2") || head.hasBytes("bvx-") { return "LZFSE" }
    if head.hasBytes("bvxn") { return "LZVN" }
    if head.hasBytes("pbzx") { return "pbzx" }
    if head.hasBytes("bv41") || head.hasBytes("bv4-") { return "LZ4" }
    return nil
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let head = try? input.source.bytes(at: 0, count: 16),
      let method = Self.method(of: head.span.bytes)
    else { return }
    guard method == "LZ4" else {
      sink.diagnostic(
        .formatUnsupported, "data compressed with \(method) was not decompressed",
        remedy: "decompress it on a Mac (compression_tool, or unxip for pbzx) and scan the result",
        steps: [])
      return
    }
    guard let bytes = try? input.source.bytes(at: 0, count: Self.limit) else { return }
    let decoded = AppleLZ4.decode(bytes.span.bytes, limit: Self.limit)
    let name = ContentName.inside(input.name)
    var context = Context()
    context.member = name
    let place = Place(steps: MemberName.steps(name), context: context, origin: .transformed)
    if sink.beginMember(name, at: place) {
      _ = sink.append(decoded.content.span.bytes)
      sink.endMember()
    }
    if !decoded.isSound {
      sink.diagnostic(
        .formatDamaged, "the LZ4 stream is damaged after \(decoded.content.count) bytes",
        remedy: Remedy.damaged, steps: MemberName.steps(name))
    }
  }
}
