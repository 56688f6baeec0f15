import Bytes
import Findings
import Formats
import RuleEngine
import SourceAudit

extension SourceScan {
  /// Subjects that only the audit of source states.
  private static let subjects: [Fact.Subject] = [
    .call, .declaration, .assignment, .dictionary, .literal, .importing,
  ]

  /// Audits source, where a check asks for it and a word of one stands in it.
  func auditSource(_ source: any ByteSource) {
    let count = min(source.byteCount, task.limits.memberSize)
    guard isText, task.auditsSource, let language = SourceLanguage(fileName: name),
      let bytes = try? source.bytes(at: 0, count: count), language.isSpoken(in: bytes)
    else { return }
    task.noteSourceFile()
    let path = steps.isEmpty ? task.path : task.path + "!/" + steps.joined(separator: "/")
    let isCut = count < source.byteCount
    guard task.auditsTests || SourceFile.ships(path, bytes), isCut || task.hasTrigger(bytes) else {
      return
    }
    guard source.byteCount <= min(Self.mostAudited, count) else {
      report(
        .limitSize,
        "larger than the \(Self.mostAudited >> 20) MiB that source is parsed to: no check looked at it",
        remedy: "check the source that it was generated from, or split it", steps: [])
      noteMissing(isCut ? nil : bytes, because: "\(task.path) is too large to be parsed")
      return
    }
    let judge = task.judge
    let input = AuditInput(
      bytes, name: name, path: path, logFunctions: judge.set.lexicon.logFunctions,
      isSensitive: { !judge.classes(of: $0).isEmpty })
    let audited = language.audit(input) { judge.wants($0, $1) }
    for fact in audited.facts { state(fact) }
    guard let damage = audited.damage else { return }
    report(
      .formatDamaged,
      "line \(damage.line) \(damage.message): what follows may not have been checked",
      remedy: "correct the file, or accept it with --allow format.damaged", steps: [])
    noteMissing(
      bytes, because: "\(task.path) could not be parsed from line \(damage.line) on")
  }

  /// Larger files are generated, and a tree of syntax takes two hundred times their size.
  private static let mostAudited = 2 << 20

  /// Notes what could not be had from source: a check none of whose words stands in it has missed nothing.
  ///
  /// - Parameter bytes: nothing where not all of them were looked at.
  private func noteMissing(_ bytes: [UInt8]?, because reason: String) {
    let words = bytes.flatMap { task.triggers(in: $0) }
    note(
      missing: Self.subjects, because: reason,
      concerns: { check in
        check.kind != .source || check.triggers.isEmpty
          || check.triggers.contains { words?.contains($0) ?? true }
      })
  }
}

/// The languages whose source is audited.
enum SourceLanguage {
  case swift, objectiveC
  /// A header, which may be one of C and none of Objective-C.
  case header

  init?(fileName: String) {
    switch fileName.split(separator: ".").last?.lowercased() {
    case "swift": self = .swift
    case "m", "mm": self = .objectiveC
    case "h": self = .header
    default: return nil
    }
  }

  /// Whether a file of this name is one of the language: most headers of a system are of C, and no
  /// check decides on what only C can say.
  func isSpoken(in bytes: [UInt8]) -> Bool {
    guard self == .header else { return true }
    let text = bytes.span.bytes
    var offset = 0
    // C has no use for the sign, so that few headers are looked at twice.
    while let sign = text.firstOffset(of: UInt8(ascii: "@"), from: offset) {
      if text.hasBytes("@interface", at: sign) || text.hasBytes("@protocol", at: sign)
        || text.hasBytes("@\"", at: sign) && !Self.isQuoted(sign, in: text)
      {
        return true
      }
      offset = sign + 1
    }
    return text.firstOffset(of: "#import", in: 0..<text.byteCount) != nil
  }

  /// Whether a string of C is open where the line comes to `offset`: `"@"`.
  private static func isQuoted(_ offset: Int, in text: RawSpan) -> Bool {
    var isOpen = false
    // Longer lines are made by programs, and there may be a sign in every place of one.
    let reach = max(0, offset - 400)..<offset
    var next = text.lastOffset(of: 0x0A, in: reach) ?? reach.lowerBound
    while next < offset {
      if isOpen, text[at: next] == 0x5C {
        next += 1
      } else if text[at: next] == 0x22 {
        isOpen.toggle()
      }
      next += 1
    }
    return isOpen
  }

  func audit(_ input: AuditInput, filter: @escaping FactFilter) -> AuditedSource {
    switch self {
    case .swift: SwiftAudit.audit(input, filter: filter)
    case .objectiveC, .header: ObjectiveCAudit.audit(input, filter: filter)
    }
  }
}
