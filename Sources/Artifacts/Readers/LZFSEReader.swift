import Bytes
import Findings

/// Streams compressed with LZFSE or LZVN (lzfse.h: blocks `bvx2`, `bvx1`, `bvxn`, `bvx-`, end `bvx$`).
/// They are named, not read: no free decoder is packaged where this runs.
package struct LZFSEReader: ArtifactReader {
  package let kind = "lzfse"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    head.hasBytes("bvx2") || head.hasBytes("bvx1") || head.hasBytes("bvxn")
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    sink.diagnostic(
      .formatUnsupported, "compressed with LZFSE, which is not read",
      remedy: "decompress it on macOS (compression_tool -decode) and scan the result", steps: [])
  }
}
