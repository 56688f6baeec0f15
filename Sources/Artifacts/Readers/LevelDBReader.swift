package import Bytes
import Findings
import Formats

/// Tables of LevelDB, in which browsers, Firestore and apps made of web pages keep what they store. Blocks that
/// are not compressed were searched as they lie; this unpacks the others.
package struct LevelDBReader: ArtifactReader {
  package let kind = "leveldb"
  /// Blocks are some KiB; one that holds a single large value is as large as that.
  private static let largestBlock = 64 << 20

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool { false }

  /// A table has its mark at its end.
  package func recognisesElsewhere(in source: any ByteSource) -> Bool {
    Self.footer(of: source) != nil
  }

  private static func footer(of source: any ByteSource) -> [UInt8]? {
    let size = LevelDBTable.footerSize
    guard source.byteCount > size,
      let footer = try? source.bytes(at: source.byteCount - size, count: size),
      LevelDBTable.isFooter(footer.span.bytes)
    else { return nil }
    return footer
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let footer = Self.footer(of: input.source) else { return }
    var notes = ReaderNotes()
    defer { notes.finish(&sink) }
    guard let handle = LevelDBTable.index(of: footer.span.bytes),
      let index = Self.block(handle, of: input.source).content
    else {
      notes.add(
        .formatDamaged, "the index of the LevelDB table cannot be read", remedy: Remedy.damaged,
        to: &sink)
      return
    }
    let (blocks, isSound) = LevelDBTable.blocks(of: index.span.bytes)
    if !isSound {
      notes.add(
        .formatDamaged, "the index of the LevelDB table ends before its data does",
        remedy: Remedy.damaged, to: &sink)
    }
    var end = 0
    for handle in blocks {
      if sink.isExhausted { return }
      // Blocks follow one another: an index that goes back would have them unpacked again and again.
      guard handle.offset >= end else { continue }
      end = handle.offset + handle.count
      read(handle, of: input.source, &notes, into: &sink)
    }
  }

  private func read(
    _ handle: LevelDBTable.Handle, of source: any ByteSource, _ notes: inout ReaderNotes,
    into sink: inout some FragmentSink
  ) {
    let steps = ["block", String(handle.offset)]
    let range = ByteRange(offset: handle.offset, length: handle.count)
    let (content, problem) = Self.block(handle, of: source, skipsPlain: true)
    if let content {
      sink.nested(
        content, name: "", at: Place(steps: steps, origin: .decoded(from: range)))
    }
    switch problem {
    case nil: break
    case .formatUnsupported:
      notes.add(
        .formatUnsupported, "a block of the LevelDB table is compressed in a way that is not read",
        remedy: Remedy.unsupported, steps: steps, to: &sink)
    case let code?:
      notes.add(
        code, "a block of the LevelDB table cannot be unpacked to its end", remedy: Remedy.damaged,
        steps: steps, to: &sink)
    }
  }

  /// The content of a block and what kept it from being read whole.
  private static func block(
    _ handle: LevelDBTable.Handle, of source: any ByteSource, skipsPlain: Bool = false
  ) -> (content: [UInt8]?, problem: Diagnostic.Code?) {
    guard handle.count <= largestBlock else { return (nil, .limitSize) }
    guard
      let bytes = try? source.bytes(
        at: handle.offset, count: handle.count + LevelDBTable.trailerSize),
      bytes.count == handle.count + LevelDBTable.trailerSize
    else { return (nil, .formatDamaged) }
    switch bytes[handle.count] {
    case 0: return (skipsPlain ? nil : Array(bytes.prefix(handle.count)), nil)
    case 1:
      let block = bytes.span.bytes.clamped(to: 0..<handle.count)
      let (content, isSound) = Snappy.decode(block, limit: largestBlock)
      return (content, isSound ? nil : .formatDamaged)
    default: return (nil, .formatUnsupported)
    }
  }
}
