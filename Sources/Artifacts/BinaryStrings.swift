import Bytes
import Findings
import Formats

/// The texts of a Mach-O program by section: literals, selectors, class names, names of stored properties.
struct BinaryStrings {
  private static let windowSize = 1 << 20
  private static let largestCount = 300_000
  private static let longest = 1_024

  let image: MachOImage

  private static let sections = [
    "__cstring", "__objc_methname", "__objc_classname", "__swift5_reflstr", "__oslogstring",
  ]

  func state(in source: any ByteSource, into sink: inout some FragmentSink) throws(ReadFailure) {
    var budget = Self.largestCount
    // Sections lie beside each other: those that together are more than the program overlap, and say the
    // same again.
    var room = image.slice.range.count
    for section in image.sections {
      let short = section.name.split(separator: ",").last.map(String.init) ?? ""
      guard let range = section.fileRange, budget > 0, range.count <= room else { continue }
      room -= range.count
      if Self.sections.contains(short) {
        try stateTexts(range, section.name, in: source, &budget, into: &sink)
      } else if short == "__ustring" {
        try stateWideTexts(range, section.name, in: source, &budget, into: &sink)
      }
    }
  }

  /// Texts that end with a zero byte.
  private func stateTexts(
    _ range: Range<Int>, _ section: String, in source: any ByteSource, _ budget: inout Int,
    into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    var offset = range.lowerBound
    while offset < range.upperBound, budget > 0, !sink.isExhausted {
      let bytes = try source.bytes(
        at: offset, count: min(Self.windowSize, range.upperBound - offset))
      guard !bytes.isEmpty else { return }
      let window = bytes.span.bytes
      var start = 0
      while start < bytes.count, let end = window.firstOffset(of: 0, from: start) {
        state(window.clamped(to: start..<end), at: offset + start, section, &budget, into: &sink)
        start = end + 1
      }
      // A text longer than a window is given up, one that is cut starts the next.
      offset += start > 0 ? start : bytes.count
    }
  }

  /// Texts in UTF-16 that end with a zero unit.
  private func stateWideTexts(
    _ range: Range<Int>, _ section: String, in source: any ByteSource, _ budget: inout Int,
    into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    let bytes = try source.bytes(
      at: range.lowerBound, count: min(range.count, Self.windowSize * 4))
    let window = bytes.span.bytes
    var start = 0
    var offset = 0
    while let low = window[at: offset], let high = window[at: offset + 1], budget > 0 {
      offset += 2
      guard low == 0, high == 0 else { continue }
      let text = TextEncoding.utf16LittleEndian.decode(window.clamped(to: start..<offset - 2)).text
      state(
        text.bytes.span.bytes, at: range.lowerBound + start, section, &budget, into: &sink,
        size: offset - 2 - start)
      start = offset
    }
  }

  private func state(
    _ text: RawSpan, at offset: Int, _ section: String, _ budget: inout Int,
    into sink: inout some FragmentSink, size: Int? = nil
  ) {
    guard text.byteCount >= 2, text.byteCount <= Self.longest, let name = text.utf8Text() else {
      return
    }
    budget -= 1
    var context = Context()
    context.section = section
    let steps = image.slice.processor.map { ["slice", $0] } ?? []
    sink.state(
      Fact(
        .string, name,
        values: ["section": [section.split(separator: ",").last.map(String.init) ?? section]],
        at: Place(
          steps: steps + ["section", section, String(offset)], context: context,
          origin: .pieces([Piece(offset: 0, source: offset, count: size ?? text.byteCount)]))))
  }
}
