import Bytes
import Findings
import Formats

/// What a Mach-O program states that checklist rules decide on.
struct MachOFacts {
  static let subjects: [Fact.Subject] = [.binary, .symbol, .string, .entitlement]

  let image: MachOImage
  let source: any ByteSource

  func state(_ symbols: MachOSymbols, into sink: inout some FragmentSink) throws(ReadFailure) {
    let imports = symbols.imports()
    if sink.wants(.symbol) { state(imports: imports, into: &sink) }
    if sink.wants(.binary) {
      stateProperties(imports: Set(imports), symbols, into: &sink)
      try BuildPaths(image: image).state(in: source, type: type, into: &sink)
    }
    if image.encrypted == nil {
      if sink.wants(.string) { try BinaryStrings(image: image).state(in: source, into: &sink) }
    } else {
      sink.missing(
        [.string], because: "the program is encrypted for the store: its texts cannot be read")
    }
    if sink.wants(.binary) || sink.wants(.entitlement) {
      try SignatureFacts(image: image, type: type).state(in: source, into: &sink)
    }
  }

  /// MH_* in the words of rules.
  var type: String {
    switch image.fileType {
    case 1: "object"
    case 2: "execute"
    case 6: "dylib"
    case 8: "bundle"
    case 10: "debug-symbols"
    case 11: "extension"
    default: "type-\(image.fileType)"
    }
  }

  private var steps: [String] { image.slice.processor.map { ["slice", $0] } ?? [] }

  private func place(_ inside: [String] = []) -> Place {
    Place(steps: steps + inside, origin: .transformed)
  }

  private func property(
    _ name: String, _ value: String, _ more: [String: [String]] = [:]
  ) -> Fact {
    var values = [
      "value": [value], "type": [type], "architecture": [image.processor], "language": languages,
    ]
    if let build = image.build { values["platform"] = [build.platform] }
    values.merge(more) { $1 }
    return Fact(.binary, name, values: values, at: place())
  }

  private var languages: [String] {
    var languages: [String] = []
    if image.hasSwift { languages.append("swift") }
    if image.hasObjectiveC { languages.append("objective-c") }
    return languages.isEmpty ? ["c"] : languages
  }

  private func stateProperties(
    imports: Set<String>, _ symbols: MachOSymbols, into sink: inout some FragmentSink
  ) {
    if image.isExecutable {
      sink.state(property("pie", image.isPositionIndependent.description))
    }
    sink.state(property("encrypted", (image.encrypted != nil).description))
    let isStub = isDebugStub
    let canary = imports.contains("___stack_chk_fail")
    sink.state(property("stack-canary", canary.description, ["stub": [isStub.description]]))
    if languages != ["c"] {
      let counting = imports.contains { Self.countsReferences($0) }
      sink.state(property("arc", counting.description, ["stub": [isStub.description]]))
    }
    if let build = image.build {
      sink.state(property("minimum-os", build.minimum, ["number": [Self.number(build.minimum)]]))
      sink.state(property("sdk", build.sdk, ["number": [Self.number(build.sdk)]]))
    }
    for path in image.runPaths { sink.state(property("rpath", path)) }
    for library in image.libraries {
      sink.state(property("library", library.path, ["weak": [library.isWeak.description]]))
    }
    stateSymbolTable(symbols, into: &sink)
  }

  /// Major and minor version as one number, which rules can compare: `15.4` is 15.4, `9.3.5` is 9.3.
  static func number(_ version: String) -> String {
    version.split(separator: ".").prefix(2).joined(separator: ".")
  }

  /// Names of the reference counting runtime, in the forms that compilers call it by.
  private static func countsReferences(_ name: String) -> Bool {
    [
      "_objc_release", "_objc_retain", "_objc_autorelease", "_objc_storeStrong", "_swift_release",
      "_swift_retain", "_swift_bridgeObjectRelease",
    ].contains { name.hasPrefix($0) }
  }

  /// An executable that only loads the real program beside it, as Xcode builds for debugging.
  private var isDebugStub: Bool {
    image.libraries.contains { $0.path.hasSuffix(".debug.dylib") }
      || image.sections.contains { $0.name.hasSuffix(",__debug_dylib") }
  }

  private func stateSymbolTable(_ symbols: MachOSymbols, into sink: inout some FragmentSink) {
    var (debugging, local) = (0, 0)
    for index in 0..<symbols.count {
      guard let symbol = symbols[index] else { break }
      if symbol.isDebugging {
        if !symbol.isMarker { debugging += 1 }
      } else if !symbol.isExternal, !symbol.isUndefined {
        local += 1
      }
    }
    sink.state(
      property("debug-symbols", (debugging > 0).description, ["count": [String(debugging)]]))
    sink.state(property("local-symbols", (local > 0).description, ["count": [String(local)]]))
    if isDebugStub { sink.state(property("debug-stub", "true")) }
    if image.fileType == 10 { sink.state(property("debug-file", "true")) }
  }

  private func state(imports: [String], into sink: inout some FragmentSink) {
    for name in imports {
      sink.state(
        Fact(
          .symbol, name,
          values: [
            "binding": ["import"], "type": [type], "platform": [image.build?.platform ?? "unknown"],
          ],
          at: place(["symbol", name])))
    }
  }

  func state(
    _ call: CodeReading.Call, at places: BinaryPlaces, into sink: inout some FragmentSink
  ) {
    var values = KnownCall.arguments(of: call, in: image)
    values["type"] = [type]
    let range = ByteRange(offset: call.position, length: 4)
    let origin = Origin.pieces([Piece(offset: 0, source: call.position, count: 4)])
    let place =
      places.place(
        of: range.offset..<range.end, origin: origin, inside: ["call", String(call.position)])
      ?? Place(steps: ["call", String(call.position)], origin: origin)
    // Symbols of C have an underscore in front; source does not.
    let name = "call." + call.function.dropFirst()
    sink.state(Fact(.binary, name, values: values, at: place))
  }
}
