import Artifacts
import Bytes
import Findings

extension InspectedFile {
  private static var mostMembers: Int { 100_000 }

  /// A zip archive as its directory describes it.
  func zipSection() -> Inspection.Section {
    var section = Inspection.Section("members", "Members")
    guard let members = try? ZipMember.members(of: source, limit: Self.mostMembers) else {
      section.remarks.append("there is no central directory: members are known by their headers")
      return section
    }
    var table = Inspection.Table(
      .init("name", "name"), .init("method", "method"), .init("size", "size", isNumber: true),
      .init("stored", "stored", isNumber: true), .init("note", ""))
    for member in members {
      let notes =
        (member.isEncrypted ? ["encrypted"] : []) + (member.isSymbolicLink ? ["link"] : [])
      table.rows.append([
        .text(member.name), member.isDirectory ? .word("folder") : .text(member.method),
        .size(member.size), .size(member.compressedSize),
        notes.isEmpty ? .missing : .word(notes.joined(separator: ", ")),
      ])
    }
    section.table = table
    section.add("count", "members", .number(members.count))
    section.add("encrypted", "encrypted", .number(members.count(where: \.isEncrypted)))
    section.add("size", "unpacked", .size(Self.sum(members.map(\.size))))
    section.add("stored", "packed", .size(Self.sum(members.map(\.compressedSize))))
    return section
  }

  /// Sizes that a file states can add up to more than a number holds.
  private static func sum(_ sizes: [Int]) -> Int {
    sizes.reduce(0) { sum, size in
      let (next, overflows) = sum.addingReportingOverflow(max(0, size))
      return overflows ? Int.max : next
    }
  }

  /// Members that were read, whatever the format: names, sizes, what they are.
  func memberSection(_ sink: InspectionSink) -> Inspection.Section {
    var section = Inspection.Section("content", "Members as they were read")
    guard !sink.members.isEmpty else { return section }
    var table = Inspection.Table(
      .init("name", "name"), .init("kind", "kind"), .init("size", "size", isNumber: true),
      .init("offset", "offset", isNumber: true), .init("note", ""))
    for member in sink.members {
      let head = member.head.span.bytes
      let kind = Identify.kind(of: head, byteCount: member.byteCount)?.kind ?? "data"
      table.rows.append([
        .text(member.name), .text(kind), .size(member.byteCount),
        member.stored.map { .number($0.lowerBound) } ?? .missing,
        member.place.liveness == .live ? .missing : .word(member.place.liveness.rawValue),
      ])
    }
    table.omitted = sink.omittedMembers
    section.table = table
    // A zip archive's members stand in its directory; here only those count that do not.
    if (try? ZipMember.members(of: source, limit: 1)) ?? nil != nil {
      section.title = "Members outside the directory"
      section.table?.rows = table.rows.filter { $0[4] != .missing }
    }
    return section
  }
}
