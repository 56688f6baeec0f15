import Findings
import Formats

/// States every leaf of a tree of values as a fact under its key path: `NSAppTransportSecurity.NSAllowsArbitraryLoads`.
/// Members of an array are texts of one fact; dictionaries in arrays keep the path of the array.
struct StatedValues {
  private static let largestCount = 20_000

  let subject: Fact.Subject
  /// What kind of list it is: `Info.plist`, `signature`.
  let from: String
  let steps: [String]
  var origin = Origin.transformed

  func state(
    _ value: PropertyValue, _ common: [String: [String]], into sink: inout some FragmentSink
  ) {
    var common = common
    common["from"] = [from]
    var budget = Self.largestCount
    state(value, path: [], common, &budget, into: &sink)
  }

  private func state(
    _ value: PropertyValue, path: [String], _ common: [String: [String]], _ budget: inout Int,
    into sink: inout some FragmentSink
  ) {
    guard budget > 0, path.count < PropertyValue.depthLimit else { return }
    budget -= 1
    switch value {
    case .dictionary(let entries):
      if !path.isEmpty, entries.isEmpty { emit([], value, path, common, into: &sink) }
      for key in entries.keys.sorted() {
        guard let inner = entries[key] else { continue }
        state(inner, path: path + [key], common, &budget, into: &sink)
      }
    case .array(let members):
      let leaves = members.compactMap(\.plain)
      if !leaves.isEmpty || members.isEmpty { emit(leaves, value, path, common, into: &sink) }
      for member in members where member.plain == nil {
        state(member, path: path, common, &budget, into: &sink)
      }
    case .boolean, .integer, .real, .date, .string, .data:
      emit(value.plain.map { [$0] } ?? [], value, path, common, into: &sink)
    }
  }

  private func emit(
    _ texts: [String], _ value: PropertyValue, _ path: [String], _ common: [String: [String]],
    into sink: inout some FragmentSink
  ) {
    var values = common
    values["value"] = texts
    values["kind"] = [value.kind]
    values["count"] = [String(value.members.isEmpty ? texts.count : value.members.count)]
    // Between the first and the last key may stand a name of somebody's own: a domain.
    if path.count > 2 { values["inside"] = [path[path.count - 2]] }
    var context = Context()
    context.key = path.last
    sink.state(
      Fact(
        subject, path.joined(separator: "."), values: values,
        at: Place(steps: steps + ["key"] + path, context: context, origin: origin)))
  }
}
