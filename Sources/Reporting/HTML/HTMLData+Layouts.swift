import Findings

/// What databases and logs are made of, as `Page/7-layouts.js` draws it.
extension HTMLData {
  /// Files whose layouts a page carries.
  private static let mostLayouts = 400

  /// Those with findings first to stay: a page of ten thousand pictures helps nobody.
  func layouts(_ strings: inout StringTable) -> [JSONWriter.Value] {
    let hit = Set(report.findings.map { Array($0.path.utf8) })
    let all = report.inputs.filter { $0.layout?.runs.isEmpty == false }
    let kept = all.filter { hit.contains(Array($0.path.utf8)) }.prefix(Self.mostLayouts)
    let rest = all.filter { !hit.contains(Array($0.path.utf8)) }
      .prefix(Self.mostLayouts - kept.count)
    return (kept + rest).compactMap { input in
      input.layout.map { value(of: $0, path: input.path, &strings) }
    }
  }

  private func value(
    of layout: StorageLayout, path: String, _ strings: inout StringTable
  ) -> JSONWriter.Value {
    .array([
      .string(path), .string(layout.unit.rawValue), .integer(layout.pageSize),
      .boolean(layout.isSampled),
      .array(
        layout.runs.map { run in
          .array([
            .integer(run.first), .integer(run.count), strings.number(run.role),
            strings.number(run.liveness.rawValue),
            run.owner.map { strings.number($0) } ?? .integer(-1), .integer(run.liveBytes),
            .integer(run.deadBytes), .number((run.entropy * 100).rounded() / 100),
            .integer(run.generation ?? 0), .integer(run.commits), .integer(run.isMixed ? 1 : 0),
          ])
        }),
    ])
  }
}
