import Bytes
import Formats

extension InspectedFile {
  private static var mostMeasured: Int { 4 << 20 }

  /// The sections of a program or library.
  func binarySections(_ kind: String) -> [Inspection.Section] {
    var section = Inspection.Section("sections", "Sections")
    let sections =
      (try? kind == "mach-o"
        ? MachOFile.sections(of: source)
        : ELFFile.sections(of: source)) ?? []
    if let head = try? source.bytes(at: 0, count: 64), let file = ELFFile(head.span.bytes) {
      section.add("width", "width", .word(file.is64Bit ? "64 bits" : "32 bits"))
      section.add(
        "byteOrder", "byte order", .word(file.isBigEndian ? "big-endian" : "little-endian"))
      section.add("type", "type", .word(Self.elfTypes[Int(file.type)] ?? "type \(file.type)"))
    }
    let slices = Set(sections.compactMap(\.slice))
    if !slices.isEmpty {
      section.add("slices", "processors", .list(slices.sorted().map { .text($0) }))
    }
    var table = Inspection.Table(
      .init("name", "section"), .init("slice", "processor"),
      .init("offset", "offset", isNumber: true), .init("size", "size", isNumber: true),
      .init("entropy", "bits a byte", isNumber: true))
    var budget = 256 << 20
    for part in sections {
      let count = min(part.range.count, Self.mostMeasured, budget)
      budget -= max(0, count)
      let bytes = (try? source.bytes(at: part.range.lowerBound, count: count)) ?? []
      table.rows.append([
        .text(part.name), .init(part.slice), .number(part.range.lowerBound),
        .size(part.range.count),
        bytes.isEmpty ? .missing : .real(ByteHistogram(of: bytes.span.bytes).entropy),
      ])
    }
    if slices.isEmpty {
      table.columns.remove(at: 1)
      for index in table.rows.indices { table.rows[index].remove(at: 1) }
    }
    table.shown = 60
    section.table = table
    if sections.isEmpty { section.remarks.append("it names no sections") }
    return [section]
  }

  private static let elfTypes = [
    1: "relocatable", 2: "program", 3: "shared object or program", 4: "core dump",
  ]
}
