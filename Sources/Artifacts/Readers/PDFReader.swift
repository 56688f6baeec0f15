import Bytes
import Findings
import Formats

/// The compressed streams of a PDF file, found by their keyword and not by the cross-reference table,
/// so that replaced and orphaned objects are read as well (ISO 32000-1, §7.3.8 and §7.4).
package struct PDFReader: ArtifactReader {
  package let kind = "pdf"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    // Readers accept the header anywhere in the first 1,024 bytes (Annex H, note 13).
    for offset in 0..<min(1024, head.byteCount) where head[at: offset] == 0x25 {
      if head.hasBytes("%PDF-", at: offset) { return true }
      if offset == 0, !head.hasBytes("%!PS", at: 0) { return false }
    }
    return false
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    var walk = PDFWalk(input.source)
    do throws(ReadFailure) {
      try walk.run(into: &sink)
    } catch {
      walk.notes.add(
        .readFailed, "reading the PDF file failed (errno \(error.errno))", remedy: Remedy.failed,
        to: &sink)
    }
    walk.notes.finish(&sink)
  }
}

/// One pass over a PDF file's streams.
private struct PDFWalk: ~Copyable {
  private static let window = 256 << 10
  /// How far before `stream` its dictionary may start.
  private static let dictionaryReach = 4096
  private static let largestStreamCount = 1_000_000
  /// Largest stream that is decoded through several filters.
  private static let largestChained = 16 << 20

  let source: any ByteSource
  var notes = ReaderNotes()
  private var isEncrypted = false
  private var block: [UInt8] = []
  private var blockStart = 0
  private var streaming = StreamInflater(.zlib)

  init(_ source: any ByteSource) {
    self.source = source
  }

  mutating func run(into sink: inout some FragmentSink) throws(ReadFailure) {
    try lookForEncryption(into: &sink)
    var position = 0
    var count = 0
    while let keyword = try next("stream", from: position), !sink.isExhausted {
      position = keyword + 6
      let isEnd = try source.bytes(at: max(0, keyword - 3), count: 3).elementsEqual("end".utf8)
      guard !isEnd, let start = try dataStart(after: position) else { continue }
      count += 1
      guard count <= Self.largestStreamCount else {
        notes.add(
          .limitCount, "only the first \(Self.largestStreamCount) streams were read",
          remedy: Remedy.limit, to: &sink)
        return
      }
      let reach = max(0, keyword - Self.dictionaryReach)
      let before = try source.bytes(at: reach, count: keyword - reach)
      let dictionary = PDFStreamDictionary(endOf: before)
      guard let end = try read(dictionary, from: start, number: count, into: &sink) else { return }
      position = max(position, end)
    }
  }

  /// The trailer, or the dictionary of a cross-reference stream, says so (§7.6.1). Both usually stand at
  /// the end.
  private mutating func lookForEncryption(
    into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    var position = 0
    while let found = try next("/Encrypt", from: position) {
      position = found + 8
      // Other names start like it: /EncryptMetadata.
      guard let after = try source.bytes(at: position, count: 1).first, after <= 0x20 else {
        continue
      }
      isEncrypted = true
      notes.add(
        .formatEncrypted, "the PDF file is encrypted", remedy: Remedy.encrypted, to: &sink)
      return
    }
  }

  /// Reads one stream and says where its data ended; nothing when the sink takes no more.
  private mutating func read(
    _ dictionary: PDFStreamDictionary, from start: Int, number: Int,
    into sink: inout some FragmentSink
  ) throws(ReadFailure) -> Int? {
    let name = dictionary.object.map { "\($0)" } ?? "unnumbered-\(number)"
    let steps = ["object", name]
    switch dictionary.filters.first {
    case nil, .opaque: return start
    case .some where isEncrypted: return start
    case .flate where dictionary.filters.count == 1:
      guard sink.beginMember("object \(name)", at: Place(steps: steps, origin: .transformed)) else {
        return nil
      }
      let outcome = streaming.run(source, range: start..<source.byteCount, into: &sink)
      sink.endMember()
      if outcome.ending == .refused { return nil }
      if case .unreadable(let failure) = outcome.ending { throw failure }
      guard outcome.ending != .finished else { return start + outcome.consumed }
      let end = try next("endstream", from: start) ?? source.byteCount
      if try !isWhole(outcome, from: start, to: end) {
        note(name, outcome.produced, steps, into: &sink)
      }
      return min(end, start + outcome.consumed)
    case .flate, .ascii85, .asciiHex, .lzw, .runLength:
      return try chained(dictionary.filters, from: start, name: name, steps, into: &sink)
    }
  }

  /// Whether a stream that has no last block was read to its end all the same: nothing is in it, or it ends
  /// as zlib flushes what is not finished, which is how Acrobat writes what it adds to a form.
  private func isWhole(
    _ outcome: StreamOutcome, from start: Int, to end: Int
  ) throws(ReadFailure) -> Bool {
    var tail = try source.bytes(at: max(start, end - 6), count: min(6, end - start))
    while let last = tail.last, last == 0x0A || last == 0x0D || last == 0x20 { tail.removeLast() }
    let count = end - start - (min(6, end - start) - tail.count)
    guard !tail.isEmpty else { return true }
    return tail.suffix(4).elementsEqual([0, 0, 0xFF, 0xFF]) && outcome.consumed >= count
  }

  private mutating func note(
    _ name: String, _ produced: Int, _ steps: [String], into sink: inout some FragmentSink
  ) {
    notes.add(
      .formatDamaged, "the stream of object \(name) is damaged after \(produced) bytes",
      remedy: Remedy.damaged, steps: steps, to: &sink)
  }

  /// Decodes a stream through several filters, in memory.
  private mutating func chained(
    _ filters: [PDFStreamDictionary.Filter], from start: Int, name: String, _ steps: [String],
    into sink: inout some FragmentSink
  ) throws(ReadFailure) -> Int? {
    let end = try next("endstream", from: start) ?? source.byteCount
    guard end - start <= Self.largestChained else {
      notes.add(
        .limitSize, "object \(name) was not decoded: its stream is too large", remedy: Remedy.limit,
        steps: steps, to: &sink)
      return end
    }
    var bytes = try source.bytes(at: start, count: end - start)
    for filter in filters {
      switch filter {
      case .ascii85: bytes = ASCIICodec.decode85(bytes)
      case .asciiHex: bytes = ASCIICodec.decodeHex(bytes)
      case .flate:
        guard let plain = inflated(bytes, .zlib, limit: Self.largestChained) else {
          note(name, 0, steps, into: &sink)
          return end
        }
        bytes = plain.content
      case .lzw:
        let plain = PDFStreamCodec.decodeLZW(bytes.span.bytes, limit: Self.largestChained)
        guard let plain else {
          note(name, 0, steps, into: &sink)
          return end
        }
        bytes = plain
      case .runLength:
        bytes = PDFStreamCodec.decodeRuns(bytes.span.bytes, limit: Self.largestChained)
      case .opaque: return end
      }
    }
    sink.nested(bytes, name: "object \(name)", at: Place(steps: steps, origin: .transformed))
    return end
  }

  /// Where the data starts: behind the line end that must follow the keyword (§7.3.8.1).
  private func dataStart(after position: Int) throws(ReadFailure) -> Int? {
    let bytes = try source.bytes(at: position, count: 2)
    if bytes == [0x0D, 0x0A] { return position + 2 }
    guard let first = bytes.first, first == 0x0A || first == 0x0D else { return nil }
    return position + 1
  }

  /// Offset of the next occurrence of a keyword; each stretch is read once while the search goes on.
  private mutating func next(
    _ keyword: StaticString, from first: Int
  ) throws(ReadFailure) -> Int? {
    let overlap = keyword.utf8CodeUnitCount - 1
    var position = first
    while position < source.byteCount - overlap {
      if position < blockStart || position >= blockStart + block.count - overlap {
        block = try source.bytes(at: position, count: Self.window)
        blockStart = position
        guard block.count > overlap else { return nil }
      }
      let bytes = block.span.bytes
      let initial = keyword.utf8CodeUnitCount > 0 ? keyword.utf8Start.pointee : 0
      for index in position - blockStart..<block.count - overlap where block[index] == initial {
        if bytes.hasBytes(keyword, at: index) { return blockStart + index }
      }
      position = blockStart + block.count - overlap
    }
    return nil
  }
}
