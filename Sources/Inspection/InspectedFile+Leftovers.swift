import Findings

extension InspectedFile {
  /// What is there that is no live content: by what it is worth and table, then place by place.
  func leftoverSections(_ sink: InspectionSink) -> [Inspection.Section] {
    var summary = Inspection.Section("leftovers", "What is there")
    var table = Inspection.Table(
      .init("liveness", "worth"), .init("table", "table"),
      .init("records", "records", isNumber: true), .init("values", "values", isNumber: true),
      .init("copies", "copies of live rows", isNumber: true),
      .init("confidence", "confidence", isNumber: true))
    let order = Liveness.allCases
    let tallies = sink.tallies.sorted { one, other in
      let (first, second) = (
        order.firstIndex(of: one.key.liveness) ?? 0, order.firstIndex(of: other.key.liveness) ?? 0
      )
      return first != second ? first < second : one.key.table < other.key.table
    }
    for (key, tally) in tallies {
      table.rows.append([
        .word(key.liveness.rawValue), key.table.isEmpty ? .missing : .text(key.table),
        .number(tally.records), .number(tally.values), .number(tally.copies),
        .real(tally.confidence / Double(max(1, tally.records))),
      ])
    }
    table.shown = 40
    if !table.rows.isEmpty { summary.table = table }
    return [summary, leftovers(sink)]
  }

  /// Records place by place; what a log holds in many frames stands here once.
  private func leftovers(_ sink: InspectionSink) -> Inspection.Section {
    var section = Inspection.Section("leftoverRecords", "Records that are not live")
    var table = Inspection.Table(
      .init("place", "place"), .init("times", "times", isNumber: true), .init("liveness", "worth"),
      .init("table", "table"), .init("rowid", "row", isNumber: true),
      .init("confidence", "sure", isNumber: true), .init("copyOf", "copy of"),
      .init("values", "values"))
    var known: [SameRecord: Int] = [:]
    for leftover in sink.leftovers {
      let context = leftover.place.context
      let same = SameRecord(leftover)
      if let row = known[same] {
        table.rows[row][1] = .number(table.rows[row][1].count + 1)
        continue
      }
      known[same] = table.rows.count
      table.rows.append([
        .text(leftover.place.steps.joined(separator: "/")), .number(1),
        .word(leftover.place.liveness.rawValue), .init(context.table),
        context.rowid.map { .number(Int($0)) } ?? .missing,
        context.confidence.map { .real($0) } ?? .missing, .init(context.copyOf),
        .list(leftover.values.map { .content($0.bytes) }),
      ])
    }
    table.omitted = sink.omittedLeftovers
    table.shown = 20
    if !table.rows.isEmpty { section.table = table }
    return section
  }

  /// What makes two records the same one, lying in two places.
  private struct SameRecord: Hashable {
    var liveness: Liveness
    var table: String?
    var rowid: Int64?
    var values: [[UInt8]]

    init(_ leftover: InspectionSink.Leftover) {
      liveness = leftover.place.liveness
      table = leftover.place.context.table
      rowid = leftover.place.context.rowid
      values = leftover.values.map(\.bytes)
    }
  }
}
