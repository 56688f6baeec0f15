import Artifacts
import Bytes
import RuleEngine

/// What a source is: its kind as reports name it, and the readers that know it.
struct Recognition {
  /// How much of the start of a source is looked at.
  static let headSize = 4_096

  var kind: String
  var readers: [any ArtifactReader]
  /// Whether it is text as it lies, so that places in it have lines.
  var isText: Bool

  /// - Parameter source: the source itself, for formats that do not show at its start; nothing where
  ///   it cannot be read at will.
  /// - Parameter asksMagic: whether libmagic may be asked for a name where nothing else knows one.
  init(
    of head: RawSpan, byteCount: Int, name: String, source: (any ByteSource)?, asksMagic: Bool
  ) {
    isText = Self.isText(head)
    // Some hundred bytes without a control character are text, and most files are.
    let isPlain = head.byteCount >= 512 && !head.hasControlCharacter
    let first = (isPlain ? Readers.forText : Readers.builtIn).first {
      $0.recognises(head, byteCount: byteCount, name: name)
    }
    readers = first.map { [$0] } ?? []
    // Scripts carry archives behind their last line.
    if let source, !isText || head.hasBytes("#!") {
      readers += Readers.builtIn.filter { reader in
        reader.kind != first?.kind && reader.recognisesElsewhere(in: source)
      }
    }
    if !isPlain, let first, first is CipherReader {
      // Ciphertext starts with any bytes, those of a short signature too.
      kind = first.kind
    } else if let known = Identify.kind(of: head, byteCount: byteCount) {
      // Text in 2-byte units is known for more than text only by a reader that decodes it.
      kind = known.kind == "text" && !isText ? first?.kind ?? known.kind : known.kind
    } else if let reader = readers.first {
      kind = reader.kind
    } else if asksMagic, let source, let known = try? Identify.kind(of: source) {
      kind = known.kind
    } else {
      kind = "data"
    }
  }

  /// Whether a source that starts so is text.
  static func isText(_ head: RawSpan) -> Bool { !Searcher.isBinary(head) }
}
