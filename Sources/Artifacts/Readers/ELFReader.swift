import Bytes
import Findings
import Formats

/// ELF programs and libraries: the same as for Mach-O, as far as it applies. Imports are not stated: no
/// interface of these systems asks for a reason or a permission.
package struct ELFReader: ArtifactReader {
  package let kind = "elf"

  /// Where compilers leave paths; no other section need be looked through.
  private static let textSections = [".rodata", ".debug_str", ".debug_line_str"]

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    // Relocatable files, programs and libraries; core dumps have no sections.
    ELFFile(head).map { (1...3).contains($0.type) } ?? false
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    _ = readKeepingPlaces(input, into: &sink)
  }

  package func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    let places = BinaryPlaces(input.source) { source throws(ReadFailure) in
      try ELFFile.sections(of: source)
    }
    do throws(ReadFailure) {
      let sections = try ELFFile.sections(of: input.source)
      if sink.wants(.binary) { try state(sections, of: input.source, into: &sink) }
      // Swift's metadata has sections of its own; other compilers keep short texts in data.
      guard sections.contains(where: { $0.name.hasPrefix("swift5_") }) else { return places }
      try readCode(sections, of: input.source, places, into: &sink)
    } catch {
      sink.diagnostic(
        .readFailed, "reading the ELF file failed (errno \(error.errno))", remedy: Remedy.failed,
        steps: [])
    }
    return places
  }

  private func readCode(
    _ sections: [BinarySection], of source: any ByteSource, _ places: BinaryPlaces,
    into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    guard let program = try ELFProgram(of: source) else { return }
    var code = CodeReading()
    for section in sections where section.name == ".text" {
      switch program.processor {
      case "x86_64": try code.readX86(section.range, of: source)
      case "arm64":
        try code.readARM64(
          section.range, address: 0, of: source, functions: [:], findsStrings: true)
      default: break
      }
    }
    for string in code.strings {
      RebuiltText(string, instructionSize: program.processor == "x86_64" ? 10 : 4)
        .emit(at: places, into: &sink)
    }
  }

  private func state(
    _ sections: [BinarySection], of source: any ByteSource, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    guard let program = try ELFProgram(of: source), program.hasAllHeaders,
      program.isDynamic || program.isExecutable
    else { return }
    let facts = ELFFacts(program: program, sections: sections)
    facts.stateProperties(into: &sink)
    for section in sections where Self.textSections.contains(section.name) {
      try BuildPaths(range: section.range, sections: sections)
        .state(in: source, type: facts.type, into: &sink)
    }
  }
}

/// What an ELF program states that checklist rules decide on.
struct ELFFacts {
  let program: ELFProgram
  let sections: [BinarySection]

  var type: String { program.isExecutable ? "execute" : "dylib" }

  private var language: String {
    sections.contains { $0.name.hasPrefix("swift5_") } ? "swift" : "c"
  }

  private func property(
    _ name: String, _ value: String, _ more: [String: [String]] = [:]
  ) -> Fact {
    var values = [
      "value": [value], "type": [type], "architecture": [program.processor],
      "platform": ["elf"], "language": [language],
    ]
    values.merge(more) { $1 }
    return Fact(.binary, name, values: values, at: Place(steps: [], origin: .transformed))
  }

  func stateProperties(into sink: inout some FragmentSink) {
    if program.isExecutable {
      sink.state(property("pie", program.isPositionIndependent.description))
    }
    sink.state(property("executable-stack", program.hasExecutableStack.description))
    let relocations =
      program.hasReadOnlyRelocations ? (program.bindsAtStart ? "full" : "partial") : "none"
    if program.isDynamic { sink.state(property("read-only-relocations", relocations)) }
    for path in program.runPaths { sink.state(property("rpath", path)) }
    for library in program.libraries { sink.state(property("library", library)) }
    let debugging = sections.contains { $0.name == ".debug_info" || $0.name == ".zdebug_info" }
    sink.state(property("debug-symbols", debugging.description))
    let local = sections.contains { $0.name == ".symtab" }
    sink.state(property("local-symbols", local.description))
  }
}
