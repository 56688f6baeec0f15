import Bytes
import Findings
import Formats

/// Data models as Xcode's editor keeps them, `<name>.xcdatamodel/contents`: their values were searched as
/// they lie, what they declare is stated.
package struct DataModelReader: ArtifactReader {
  package let kind = "data-model"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    DataModel.recognisesXML(head)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard var document = TextDocument(reading: input, as: kind, into: &sink) else { return }
    let model = DataModel(parsingXML: document.bytes.span.bytes)
    let lines = LineTable(of: document.bytes.span.bytes)
    document.becomeUTF8()
    let whole = document
    ModelFacts(
      source: "model", isCurrent: Self.isCurrent(input),
      place: { Place(steps: [], origin: whole.origin(of: $0), line: lines.line(of: $0.lowerBound)) }
    ).state(model, into: &sink)
  }
}

extension DataModelReader {
  /// Whether the model is the version in use: a package of versions names it in `.xccurrentversion`. An
  /// older one only says what stores of older versions of the app hold.
  private static func isCurrent(_ input: ReaderInput) -> Bool {
    guard let list = input.sibling("../.xccurrentversion"),
      let bytes = try? list.bytes(at: 0, count: 4_096),
      let end = String(decoding: bytes, as: UTF8.self).firstRange(of: ".xcdatamodel<")
    else { return true }
    let text = String(decoding: bytes, as: UTF8.self)
    let name = text[..<end.lowerBound].reversed().prefix { $0 != ">" && $0 != "/" }
    let current = input.sibling("../\(String(name.reversed())).xcdatamodel/contents")
    guard let current, let wanted = try? current.bytes(at: 0, count: 1 << 20),
      let own = try? input.source.bytes(at: 0, count: 1 << 20)
    else { return true }
    return wanted == own
  }
}

/// Where the lines of a text start.
struct LineTable {
  private var starts: [Int] = [0]

  init(of text: RawSpan) {
    var offset = 0
    while let end = text.firstOffset(of: 0x0a, from: offset) {
      starts.append(end + 1)
      offset = end + 1
    }
  }

  /// The line of an offset, from 1.
  func line(of offset: Int) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }
}
