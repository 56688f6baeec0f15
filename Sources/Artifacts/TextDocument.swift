import Bytes
import Findings
import Formats

/// A source held whole, in UTF-8 whatever it was stored in, that says of each of its ranges where in
/// the source it lies.
struct TextDocument {
  /// The bytes to parse.
  private(set) var bytes: [UInt8]
  /// How they came from the source, where that was in another encoding.
  private var map: OffsetMap?
  /// Whether they are text made from something that has no lines, whose values were copied as they lie.
  let isMade: Bool
  private var lineOffset = 0
  private var lineNumber = 1

  /// All of a source, or nothing and a diagnostic where it is larger than is read whole.
  init?(reading input: ReaderInput, as kind: String, into sink: inout some FragmentSink) {
    let count = input.source.byteCount
    guard count <= PropertyList.sizeLimit else {
      sink.diagnostic(
        .limitSize, "larger than the 32 MiB a \(kind) document is read to",
        remedy: "split it into smaller files; its bytes were searched as they lie", steps: [])
      return nil
    }
    isMade = false
    do throws(ReadFailure) {
      bytes = try input.source.bytes(at: 0, count: count)
    } catch {
      sink.reportFailure(error)
      return nil
    }
  }

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    isMade = false
  }

  /// Text made from values of another form.
  init(_ text: DecodedBytes) {
    bytes = text.bytes
    map = text.map
    isMade = true
  }

  /// Turns text in 2- or 4-byte units, or with a byte order mark, into plain UTF-8.
  mutating func becomeUTF8() {
    guard Self.mayBeWide(bytes.span.bytes),
      let signature = TextSignature(judging: bytes.span.bytes.clamped(to: 0..<4096)),
      signature.encoding.unitSize > 1
    else { return }
    let whole = bytes
    let stored = whole.span.bytes.clamped(to: signature.markSize..<whole.count)
    var decoded = signature.encoding.decode(stored).text
    decoded.moveSource(by: signature.markSize)
    bytes = decoded.bytes
    map = decoded.map
  }

  /// Whether a document may be in 2- or 4-byte units: the formats read whole start in ASCII, so that
  /// one of the first bytes is 0 or belongs to a mark.
  static func mayBeWide(_ head: RawSpan) -> Bool {
    guard let first = head[at: 0] else { return false }
    return first == 0 || first >= 0xFE || head[at: 1] == 0
  }

  /// Whether every value has to be handed on, since no raw search saw it in this form.
  var isTransformed: Bool { map != nil }

  /// Where the bytes come from as a whole.
  var mappedOrigin: Origin {
    map.map(Origin.mapped) ?? .pieces([Piece(offset: 0, source: 0, count: bytes.count)])
  }

  func sourceRange(of range: Range<Int>) -> Range<Int> {
    guard let map else { return range }
    guard let stored = map.range(of: range) else { return 0..<0 }
    return stored.offset..<stored.end
  }

  /// Where bytes that are copied as they lie come from.
  func origin(of range: Range<Int>) -> Origin {
    let stored = sourceRange(of: range)
    if isMade, stored.count == range.count {
      return .pieces([Piece(offset: 0, source: stored.lowerBound, count: stored.count)])
    }
    if map != nil {
      return .decoded(from: ByteRange(offset: stored.lowerBound, length: stored.count))
    }
    return .pieces([Piece(offset: 0, source: range.lowerBound, count: range.count)])
  }

  /// Where decoded bytes come from.
  func origin(of decoded: DecodedBytes, in range: Range<Int>) -> Origin {
    map == nil ? .mapped(decoded.map) : origin(ofText: range)
  }

  /// Where a text that was made from a value comes from.
  func origin(ofText range: Range<Int>) -> Origin {
    let stored = sourceRange(of: range)
    return .decoded(from: ByteRange(offset: stored.lowerBound, length: stored.count))
  }

  /// Line of an offset, counted on from the last one asked for.
  mutating func line(of offset: Int) -> Int {
    if offset < lineOffset { (lineOffset, lineNumber) = (0, 1) }
    lineNumber += bytes.span.bytes.count(of: 0x0A, in: lineOffset..<max(offset, lineOffset))
    lineOffset = offset
    return lineNumber
  }
}

extension FragmentSink {
  mutating func reportFailure(_ failure: ReadFailure) {
    diagnostic(
      .readFailed, "could not be read (errno \(failure.errno))",
      remedy: "check the disk or the permissions and scan again", steps: [])
  }
}
