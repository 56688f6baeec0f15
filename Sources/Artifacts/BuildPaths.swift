import Bytes
import Findings
import Formats

/// Paths of the machine that built a program, with the name of whoever built it.
struct BuildPaths {
  private static let windowSize = 1 << 20
  private static let longest = 1_024
  /// Findings beyond these say nothing new.
  private static let mostPaths = 200

  /// The bytes of the program to look at, and what its places are called.
  let range: Range<Int>
  let steps: [String]
  let sections: [BinarySection]

  init(image: MachOImage) {
    range = image.slice.range
    steps = image.slice.processor.map { ["slice", $0] } ?? []
    sections = image.sections.compactMap { section in
      section.fileRange.map { BinarySection(name: section.name, range: $0) }
    }
    .sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  init(range: Range<Int>, sections: [BinarySection]) {
    self.range = range
    self.sections = sections
    steps = []
  }

  /// States each path once, and how many there are.
  func state(
    in source: any ByteSource, type: String, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    var seen: Set<String> = []
    var count = 0
    var offset = range.lowerBound
    while offset < range.upperBound, !sink.isExhausted {
      let bytes = try source.bytes(
        at: offset, count: min(Self.windowSize, range.upperBound - offset))
      guard !bytes.isEmpty else { break }
      let window = bytes.span.bytes
      let isLast = offset + bytes.count >= range.upperBound
      let end = isLast ? bytes.count : bytes.count - Self.longest
      for start in Self.starts(in: window) where start < end {
        count += 1
        guard let path = Self.path(in: window, at: start), seen.count < Self.mostPaths,
          seen.insert(path).inserted
        else { continue }
        sink.state(fact(path, at: offset + start, type))
      }
      guard !isLast, end > 0 else { break }
      offset += end
    }
    guard count > 0 else { return }
    sink.state(
      Fact(
        .binary, "build-paths", values: ["value": [String(count)], "type": [type]],
        at: Place(steps: steps, origin: .transformed)))
  }

  /// Where a home folder is named, at the start of a text.
  private static func starts(in window: RawSpan) -> [Int] {
    var starts: [Int] = []
    for prefix: StaticString in ["/Users/", "/home/"] {
      var from = 0
      while let hit = window.firstOffset(of: prefix, in: from..<window.byteCount) {
        starts.append(hit)
        from = hit + 1
      }
    }
    return starts.sorted()
  }

  /// The readable text from there on, if it goes on below a person's folder.
  private static func path(in window: RawSpan, at start: Int) -> String? {
    var end = start
    while end - start < longest, let byte = window[at: end], byte >= 0x20, byte != 0x7F { end += 1 }
    guard let text = window.clamped(to: start..<end).utf8Text() else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: true)
    guard parts.count >= 3, parts[1].count <= 64,
      parts[1].allSatisfy({ $0.isLetter || $0.isNumber || "._-".contains($0) })
    else { return nil }
    return text
  }

  private func fact(_ path: String, at offset: Int, _ type: String) -> Fact {
    let section = sections.section(at: offset)
    var context = Context()
    context.section = section?.name
    let user = path.split(separator: "/")[1]
    return Fact(
      .binary, "build-path",
      values: ["value": [path], "user": [String(user)], "type": [type]],
      at: Place(
        steps: steps + (section.map { ["section", $0.name] } ?? []) + [String(offset)],
        context: context,
        origin: .pieces([Piece(offset: 0, source: offset, count: path.utf8.count)])))
  }
}
