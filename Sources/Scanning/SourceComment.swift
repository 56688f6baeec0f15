import Bytes
import Findings
import Formats

/// A person's decision, in the file itself, to accept what a rule finds:
///
///     let sample = "tok_…"  // vestige:allow secrets.token a made-up token of the test server
///
/// On a line of its own it is about the next line. Only text files of a size that a person writes are
/// asked, never what is inside archives, databases or other containers.
struct SourceComment: Equatable, Sendable {
  var path: String
  /// Where it stands, from 1.
  var line: Int
  /// The line it is about.
  var covers: Int
  var rules: [String]
  var reason: String

  private static let mark: StaticString = "vestige:allow"
  /// A file with more comments than this was not written by a person.
  private static let most = 1_000
  /// What opens a comment, in any language.
  private static let openings = ["//", "/*", "#", "--", ";", "<!--", "%", "*"]

  /// The comments in a text, in order.
  static func comments(in bytes: [UInt8], path: String) -> [SourceComment] {
    var comments: [SourceComment] = []
    var (line, start) = (1, 0)
    let text = bytes.span.bytes
    var tries = 0
    while comments.count < most, tries < 10 * most,
      let place = text.firstOffset(of: mark, in: start..<text.byteCount)
    {
      line += LineCounter.lineEnds(in: text.clamped(to: start..<place))
      start = place + mark.utf8CodeUnitCount
      tries += 1
      let head = lineBefore(place, in: bytes)
      let rest = bytes[start...].prefix(reach)
      let tail = String(decoding: rest.prefix { $0 != 0x0a }, as: UTF8.self)
      guard let comment = comment(head, tail, line: line, path: path) else { continue }
      comments.append(comment)
    }
    // Several in a row are about the line behind the last of them.
    for index in comments.indices.reversed() where index + 1 < comments.count {
      let next = comments[index + 1]
      if comments[index].covers == next.line, next.covers != next.line {
        comments[index].covers = next.covers
      }
    }
    return comments
  }

  /// How much of a line is looked at on either side of a mark: in a file that is all one line, another
  /// mark may follow every few bytes.
  private static let reach = 1_024

  /// What stands in the line before a place, with a sign where it starts farther away.
  private static func lineBefore(_ place: Int, in bytes: [UInt8]) -> String {
    let first = max(0, place - reach)
    let end = bytes[first..<place].lastIndex(of: 0x0a)
    let text = String(decoding: bytes[(end.map { $0 + 1 } ?? first)..<place], as: UTF8.self)
    return end == nil && first > 0 ? "…" + text : text
  }

  private static func comment(
    _ head: String, _ tail: String, line: Int, path: String
  ) -> SourceComment? {
    let end = head.lastIndex { !$0.isWhitespace }.map { head.index(after: $0) }
    let lead = head[..<(end ?? head.startIndex)]
    guard let opening = openings.first(where: { lead.hasSuffix($0) }),
      tail.first?.isWhitespace ?? true
    else { return nil }
    let isAlone = lead.dropLast(opening.count).allSatisfy { $0.isWhitespace || "/*#".contains($0) }
    var words = tail.split(whereSeparator: \.isWhitespace)[...]
    if let last = words.last, last == "*/" || last == "-->" { words.removeLast() }
    var rules: [String] = []
    var continues = true
    while continues, let word = words.first {
      continues = word.hasSuffix(",")
      let names = word.split(separator: ",")
      guard names.allSatisfy({ $0.contains(".") && $0.allSatisfy(isOfRule) }) else { break }
      rules += names.map(String.init)
      words.removeFirst()
    }
    return SourceComment(
      path: path, line: line, covers: isAlone ? line + 1 : line, rules: rules,
      reason: words.joined(separator: " "))
  }

  private static func isOfRule(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || ".-*".contains(character))
  }

  /// Whether it decides anything: about which rule, and why.
  var isComplete: Bool { !rules.isEmpty && reason.contains { $0.isLetter } }

  /// Whether it is about findings of a rule.
  func names(_ id: String) -> Bool {
    rules.contains { $0.hasSuffix(".*") ? id.hasPrefix($0.dropLast()) : id == $0 }
  }
}

extension Report {
  /// Marks what comments accept, and says which of them accept nothing.
  mutating func mark(_ comments: [SourceComment]) {
    guard !comments.isEmpty else { return }
    var places: [[UInt8]: [Int: [Int]]] = [:]
    for (index, finding) in findings.enumerated() where finding.suppressed == nil {
      guard let line = finding.line else { continue }
      places[Array(finding.path.utf8), default: [:]][line, default: []].append(index)
    }
    for comment in comments {
      guard comment.isComplete else {
        note(
          .commentIncomplete, comment, "a suppression comment without a rule and a reason",
          remedy: "write vestige:allow RULE-ID and why; until then it suppresses nothing")
        continue
      }
      let covered = places[Array(comment.path.utf8)]?[comment.covers] ?? []
      let meant = covered.filter { comment.names(findings[$0].rule) }
      for index in meant {
        findings[index].suppressed = Suppression(by: .comment, reason: comment.reason)
      }
      if meant.isEmpty, rules.contains(where: { comment.names($0.id) }) {
        note(
          .commentUnused, comment, "nothing was found that this comment allows",
          remedy: "take it out, so that it does not allow something else one day")
      }
    }
  }

  private mutating func note(
    _ code: Note.Code, _ comment: SourceComment, _ message: String, remedy: String
  ) {
    notes.append(
      Note(code: code, path: comment.path, line: comment.line, message: message, remedy: remedy))
  }
}
