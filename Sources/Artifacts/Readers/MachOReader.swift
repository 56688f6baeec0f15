import Bytes
import Findings
import Formats

/// Mach-O programs and libraries: texts that stand only in instructions, names for places in sections,
/// and what the program states about itself: flags, imports, signature, entitlements.
package struct MachOReader: ArtifactReader {
  package let kind = "mach-o"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    // Core dumps (file type 4) have no sections.
    MachOFile.isMachO(head) && head[at: head[at: 0] == 0xFE ? 15 : 12] != 4
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    _ = readKeepingPlaces(input, into: &sink)
  }

  package func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    let places = BinaryPlaces(input.source) { source throws(ReadFailure) in
      try MachOFile.sections(of: source)
    }
    do throws(ReadFailure) {
      for image in try MachOFile.images(of: input.source) {
        guard !sink.isExhausted else { break }
        if image.isDamaged {
          sink.diagnostic(
            .formatDamaged, "load commands of the \(image.processor) program end too early",
            remedy: "compare with an undamaged copy; its bytes were searched as they lie",
            steps: image.slice.processor.map { ["slice", $0] } ?? [])
        }
        try read(image, of: input.source, places, into: &sink)
      }
    } catch {
      sink.diagnostic(
        .readFailed, "reading the Mach-O file failed (errno \(error.errno))",
        remedy: Remedy.failed, steps: [])
    }
    return places
  }

  private func read(
    _ image: MachOImage, of source: any ByteSource, _ places: BinaryPlaces,
    into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    let facts = MachOFacts(image: image, source: source)
    let wantsFacts = MachOFacts.subjects.contains { sink.wants($0) }
    let symbols = wantsFacts ? try MachOSymbols(image, of: source) : nil
    if let symbols { try facts.state(symbols, into: &sink) }
    guard image.encrypted == nil else { return }
    var code = CodeReading()
    let functions =
      sink.wants(.binary)
      ? symbols.map { KnownCall.functions(of: $0.stubs(of: image)) } ?? [:] : [:]
    if image.hasSwift || !functions.isEmpty {
      try read(image, of: source, functions, &code)
    }
    emit(code.strings, of: image, places, into: &sink)
    for call in code.calls { facts.state(call, at: places, into: &sink) }
  }

  private func read(
    _ image: MachOImage, of source: any ByteSource, _ functions: [UInt64: String],
    _ code: inout CodeReading
  ) throws(ReadFailure) {
    for section in image.sections where section.holdsCode && !section.holdsStubs {
      switch image.processor {
      case "arm64", "arm64e":
        try code.readARM64(
          section, of: source, functions: functions, findsStrings: image.hasSwift)
      case "x86_64":
        if let range = section.fileRange, image.hasSwift {
          try code.readX86(range, of: source)
        }
      default: break
      }
    }
  }

  private func emit(
    _ strings: [SmallString.Rebuilt], of image: MachOImage, _ places: BinaryPlaces,
    into sink: inout some FragmentSink
  ) {
    for string in strings {
      RebuiltText(string, instructionSize: image.processor == "x86_64" ? 10 : 4)
        .emit(at: places, into: &sink)
    }
  }
}

extension MachOImage {
  /// Whether Swift code is in it: its metadata has sections of its own.
  var hasSwift: Bool { sections.contains { $0.name.contains(",__swift5_") } }

  var hasObjectiveC: Bool {
    sections.contains {
      $0.name.hasSuffix(",__objc_classlist") || $0.name.hasSuffix(",__objc_methname")
    }
  }
}

/// A text put together from instructions, on its way to the sink.
struct RebuiltText {
  private let text: [UInt8]
  private let range: ByteRange

  init(_ string: SmallString.Rebuilt, instructionSize: Int) {
    text = string.text
    range = ByteRange(
      offset: string.span.lowerBound,
      length: string.span.upperBound - string.span.lowerBound + instructionSize)
  }

  func emit(at places: BinaryPlaces, into sink: inout some FragmentSink) {
    let inside = ["immediate", String(range.offset)]
    let origin = Origin.decoded(from: range)
    let place =
      places.place(of: range.offset..<range.end, origin: origin, inside: inside)
      ?? Place(steps: inside, origin: origin)
    sink.fragment(text.span.bytes, at: place)
    if sink.wants(.string) {
      sink.state(
        Fact(
          .string, String(decoding: text, as: UTF8.self),
          values: ["from": ["immediate"], "section": place.context.section.map { [$0] } ?? []],
          at: place))
    }
  }
}
