import Bytes
import Findings
import Formats

/// ELF programs and libraries: the same as for Mach-O, as far as it applies.
package struct ELFReader: ArtifactReader {
  package let kind = "elf"

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
      if sink.wants(.binary) || sink.wants(.symbol) {
        try state(sections, of: input.source, into: &sink)
      }
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
    guard let program = try ELFProgram(of: source), program.isDynamic || program.isExecutable
    else { return }
    let imports = try ELFProgram.imports(in: source, sections: sections, file: program.file)
    let facts = ELFFacts(program: program, sections: sections)
    if sink.wants(.symbol) { facts.state(imports: imports, into: &sink) }
    guard sink.wants(.binary) else { return }
    facts.stateProperties(imports: Set(imports), into: &sink)
    try BuildPaths(range: 0..<source.byteCount, sections: sections)
      .state(in: source, type: facts.type, into: &sink)
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

  func stateProperties(imports: Set<String>, into sink: inout some FragmentSink) {
    if program.isExecutable {
      sink.state(property("pie", program.isPositionIndependent.description))
    }
    sink.state(property("executable-stack", program.hasExecutableStack.description))
    let relocations =
      program.hasReadOnlyRelocations ? (program.bindsAtStart ? "full" : "partial") : "none"
    if program.isDynamic { sink.state(property("read-only-relocations", relocations)) }
    let canary = imports.contains { $0.hasPrefix("__stack_chk_fail") }
    sink.state(property("stack-canary", canary.description, ["stub": ["false"]]))
    for path in program.runPaths { sink.state(property("rpath", path)) }
    for library in program.libraries { sink.state(property("library", library)) }
    let debugging = sections.contains { $0.name == ".debug_info" || $0.name == ".zdebug_info" }
    sink.state(property("debug-symbols", debugging.description))
    let local = sections.contains { $0.name == ".symtab" }
    sink.state(property("local-symbols", local.description))
  }

  func state(imports: [String], into sink: inout some FragmentSink) {
    for name in imports {
      sink.state(
        Fact(
          .symbol, name, values: ["binding": ["import"], "type": [type], "platform": ["elf"]],
          at: Place(steps: ["symbol", name], origin: .transformed)))
    }
  }
}
