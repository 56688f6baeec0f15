import Bytes
import Artifacts

/// What a source is: its kind as reports name it, and the reader that knows it.
struct Identification {
  /// How much of the start of a source is looked at.
  static let headSize = 4_096

  var kind: String
  var reader: (any ArtifactReader)?
  var isText: Bool

  init(of head: RawSpan, byteCount: Int, name: String, source: (any ByteSource)?) {
    kind = "data"
    isText = false
    reader = nil
  }
}
