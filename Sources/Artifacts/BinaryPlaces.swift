import Bytes
import Findings
import Formats

/// Says of bytes of a program which section they lie in and which symbol stands before them. Sections
/// are read when the first place is asked for: most programs hold nothing that anybody asks about.
final class BinaryPlaces: PlaceLocator {
  private let source: any ByteSource
  private let readSections: (any ByteSource) throws(ReadFailure) -> [BinarySection]
  private lazy var sections: [BinarySection] = (try? readSections(source)) ?? []
  private lazy var symbols = SymbolPlaces(source)

  init(
    _ source: any ByteSource,
    _ readSections: @escaping (any ByteSource) throws(ReadFailure) -> [BinarySection]
  ) {
    self.source = source
    self.readSections = readSections
  }

  func place(of range: Range<Int>) -> Place? {
    place(of: range, origin: .transformed, inside: [])
  }

  /// The place of something in a section; `inside` are further steps below it.
  func place(of range: Range<Int>, origin: Origin, inside: [String]) -> Place? {
    guard let section = sections.section(at: range.lowerBound) else { return nil }
    var steps = ["section", section.name] + inside
    if let slice = section.slice { steps = ["slice", slice] + steps }
    var context = Context()
    context.section = section.name
    context.symbol = symbols.name(at: range.lowerBound)
    return Place(steps: steps, context: context, origin: origin)
  }
}

/// The defined symbols of a Mach-O file by where they start in it.
private struct SymbolPlaces {
  private static let limit = 1 << 20
  /// Mangled names of generic views fill pages.
  private static let longestName = 200

  private struct Mark {
    var offset: Int
    var image: Int
    var symbol: Int
  }

  private var marks: [Mark] = []
  private var tables: [MachOSymbols] = []

  init(_ source: any ByteSource) {
    guard let head = try? source.bytes(at: 0, count: 8), MachOFile.isMachO(head.span.bytes),
      let images = try? MachOFile.images(of: source)
    else { return }
    for image in images {
      guard let table = try? MachOSymbols(image, of: source) else { continue }
      tables.append(table)
      for index in 0..<min(table.count, Self.limit) {
        // N_SECT: defined in a section.
        guard let symbol = table[index], !symbol.isDebugging, symbol.type & 0x0E == 0x0E,
          let offset = image.fileOffset(of: symbol.value),
          // The header's own symbol stands before all code and says nothing.
          offset != image.slice.range.lowerBound
        else { continue }
        marks.append(Mark(offset: offset, image: tables.count - 1, symbol: index))
      }
    }
    marks.sort { ($0.offset, $0.symbol) < ($1.offset, $1.symbol) }
  }

  /// The symbol that starts at or before an offset, and not far from it.
  func name(at offset: Int) -> String? {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].offset <= offset { low = middle + 1 } else { high = middle }
    }
    guard low > 0, offset - marks[low - 1].offset < 1 << 16 else { return nil }
    let mark = marks[low - 1]
    return tables[mark.image][mark.symbol].map {
      String(tables[mark.image].name(of: $0).prefix(Self.longestName))
    }
  }
}
