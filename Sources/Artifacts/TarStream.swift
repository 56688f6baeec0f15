import Bytes
import Findings
import Formats

/// A tar archive whose bytes come in order and are too many to keep, as they do out of a compressed stream:
/// its members are handed on as they come.
package struct TarStream {
  /// The longest name, or set of pax records, that is kept.
  private static let longestText = 1 << 20

  /// What becomes of an entry's data.
  private enum Use {
    case member, dropped
    case text(type: UInt8)
  }

  /// What headers said of the entry that follows them.
  private struct Announced {
    var name: [UInt8]?
    var link: [UInt8]?
    var size: Int?
  }

  /// Bytes of a block that is not complete yet.
  private var block: [UInt8] = []
  private var offset = 0
  private var use = Use.dropped
  /// Bytes of the entry's data that have not come yet, and of what fills its last block.
  private var left = 0
  private var padding = 0
  private var text: [UInt8] = []
  private var announced = Announced()
  /// The entry whose header goes on in more blocks.
  private var unfinished: TarEntry?
  private var count = 0
  private var namesOutside = 0
  /// Whether the mark at the end was seen.
  private var isEnded = false
  private var isStopped = false
  private var notes = ReaderNotes()

  package init() {
    block.reserveCapacity(TarHeader.size)
  }

  /// Takes the next bytes of the archive.
  package mutating func append(_ bytes: RawSpan, into sink: inout some FragmentSink) {
    var rest = bytes
    while !rest.isEmpty, !isStopped {
      let taken: Int
      if left > 0 {
        taken = takeData(rest, into: &sink)
      } else if padding > 0 {
        taken = min(padding, rest.byteCount)
        padding -= taken
      } else {
        taken = min(TarHeader.size - block.count, rest.byteCount)
        rest.clamped(to: 0..<taken).withUnsafeBytes { block.append(contentsOf: $0) }
      }
      offset += taken
      rest = rest.clamped(to: taken..<rest.byteCount)
      if block.count == TarHeader.size { takeBlock(into: &sink) }
    }
  }

  /// Says that no more will come.
  package mutating func finish(into sink: inout some FragmentSink) {
    sink.endMember()
    if !isStopped, left > 0 || unfinished != nil || !block.isEmpty && !isEnded {
      damaged("the tar archive is cut off in member \(count)", into: &sink)
    }
    if namesOutside > 0 {
      notes.add(
        .formatDamaged, "member names that lead out of the tar archive: \(namesOutside)",
        remedy: "do not extract it with a tool that follows such names; its members were searched",
        to: &sink)
    }
    notes.finish(&sink)
  }

  private mutating func takeData(_ bytes: RawSpan, into sink: inout some FragmentSink) -> Int {
    let part = bytes.clamped(to: 0..<min(left, bytes.byteCount))
    left -= part.byteCount
    switch use {
    case .dropped: break
    case .text: part.withUnsafeBytes { text.append(contentsOf: $0) }
    case .member: isStopped = !sink.append(part)
    }
    if left == 0 { endEntry(into: &sink) }
    return part.byteCount
  }

  private mutating func endEntry(into sink: inout some FragmentSink) {
    switch use {
    case .dropped: break
    case .member: sink.endMember()
    case .text(let type):
      announce(type)
      text = []
    }
    use = .dropped
  }

  /// Keeps what a header that belongs to the next entry says of it.
  private mutating func announce(_ type: UInt8) {
    switch type {
    case UInt8(ascii: "L"): announced.name = Array(text.prefix { $0 != 0 })
    case UInt8(ascii: "K"): announced.link = Array(text.prefix { $0 != 0 })
    default:
      for (key, value) in TarEntry.records(in: text) {
        switch key {
        case "path", "GNU.sparse.name": announced.name = value
        case "linkpath": announced.link = value
        case "size": announced.size = Int(String(decoding: value, as: UTF8.self))
        default: break
        }
      }
    }
  }

  private mutating func takeBlock(into sink: inout some FragmentSink) {
    defer { block.removeAll(keepingCapacity: true) }
    if let entry = unfinished {
      unfinished = block[504] == 0 ? nil : entry
      if unfinished == nil { begin(entry, into: &sink) }
      return
    }
    guard block.contains(where: { $0 != 0 }) else {
      isEnded = true
      return
    }
    guard let entry = TarEntry(parsing: block.span.bytes) else {
      // What follows the end is no part of the archive, unless it is another one.
      if !isEnded {
        damaged("the tar archive has no header behind member \(count)", into: &sink)
      }
      isStopped = true
      return
    }
    isEnded = false
    if entry.hasMoreMap { unfinished = entry } else { begin(entry, into: &sink) }
  }

  private mutating func begin(_ entry: TarEntry, into sink: inout some FragmentSink) {
    var entry = entry
    switch entry.type {
    case UInt8(ascii: "L"), UInt8(ascii: "K"), UInt8(ascii: "x"):
      use = entry.size <= Self.longestText ? .text(type: entry.type) : .dropped
    case UInt8(ascii: "g"), UInt8(ascii: "V"), UInt8(ascii: "M"): use = .dropped
    default:
      entry.name = announced.name ?? entry.name
      entry.link = announced.link ?? entry.link
      if entry.hasData { entry.size = announced.size ?? entry.size } else { entry.size = 0 }
      announced = Announced()
      count += 1
      beginMember(entry, into: &sink)
    }
    left = max(0, entry.size)
    padding = (TarHeader.size - left % TarHeader.size) % TarHeader.size
    if left == 0 { endEntry(into: &sink) }
  }

  private mutating func beginMember(_ entry: TarEntry, into sink: inout some FragmentSink) {
    let name = MemberName.text(entry.name)
    var context = Context()
    context.member = name
    let steps = MemberName.steps(name)
    if MemberName.leadsOutside(name) { namesOutside += 1 }
    if entry.type == UInt8(ascii: "1") || entry.type == UInt8(ascii: "2") {
      sink.fragment(
        entry.link.span.bytes,
        at: Place(steps: steps + ["#link"], context: context, origin: .transformed))
    }
    use = .dropped
    guard entry.size > 0 else { return }
    let data = Piece(offset: 0, source: offset, count: entry.size)
    if sink.beginMember(name, at: Place(steps: steps, context: context, origin: .pieces([data]))) {
      use = .member
    }
  }

  private mutating func damaged(_ message: String, into sink: inout some FragmentSink) {
    notes.add(.formatDamaged, message, remedy: Remedy.damaged, to: &sink)
  }
}
