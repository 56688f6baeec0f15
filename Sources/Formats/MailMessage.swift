import Bytes

/// The parts of a mail message or of a mailbox of several, wherever their headers stand (RFC 5322, §2.2;
/// RFC 2045, §5 and §6; RFC 2046, §5.1).
///
/// A part is a block of header fields and what follows the blank line behind it, up to a line that a
/// boundary stands in, or the next message of a mailbox.
package struct MailMessage {
  /// One part: how its body is written, and where it lies.
  package struct Part: Equatable, Sendable {
    package enum Encoding: Equatable, Sendable {
      case none, base64, quotedPrintable
    }

    package var encoding = Encoding.none
    package var name: String?
    package var body = 0..<0
    /// Whether the body is made of parts: what stands before the first is for programs that know none.
    var isContainer = false
  }

  private static let mostParts = 10_000
  private static let mostBoundaries = 1_000
  /// Longer lines are no header fields.
  private static let longestField = 4_096

  package private(set) var parts: [Part] = []
  private var boundaries: Set<[UInt8]> = []

  /// Whether the bytes start like a message: header fields from the first line on, among them one that
  /// says what the content is.
  package static func recognises(_ head: RawSpan) -> Bool {
    var lines = Lines()
    var fields = 0
    var isTold = false
    var isFirst = true
    while let line = lines.next(in: head) {
      defer { isFirst = false }
      if isFirst, head.hasBytes("From ", at: line.lowerBound) { continue }
      guard !line.isEmpty else { break }
      // A field may go on in the next line.
      if fields > 0, head[at: line.lowerBound] == 0x20 || head[at: line.lowerBound] == 0x09 {
        continue
      }
      guard let field = Field(head, line) else { return false }
      fields += 1
      isTold = isTold || field.name.hasPrefix("content-") || field.name == "mime-version"
    }
    return fields >= 2 && isTold
  }

  package init(_ text: RawSpan) {
    var lines = Lines()
    while lines.offset < text.byteCount, parts.count < Self.mostParts {
      var part = readHeader(text, &lines)
      part.body = readBody(text, &lines)
      if !part.body.isEmpty, !part.isContainer { parts.append(part) }
    }
  }

  private mutating func readHeader(_ text: RawSpan, _ lines: inout Lines) -> Part {
    var part = Part()
    while let line = lines.next(in: text), !line.isEmpty {
      // What a field goes on with counts where its parameters may stand.
      let isMore = text[at: line.lowerBound] == 0x20 || text[at: line.lowerBound] == 0x09
      let field = isMore ? nil : Field(text, line)
      let value = field?.value ?? text.clamped(to: line).repairedText()
      if field?.name == "content-transfer-encoding" {
        let name = value.lowercased()
        part.encoding =
          name.hasPrefix("base64")
          ? .base64 : name.hasPrefix("quoted-printable") ? .quotedPrintable : .none
      } else if isMore || field?.name.hasPrefix("content-") == true {
        if let boundary = Self.parameter("boundary", of: value),
          boundaries.count < Self.mostBoundaries
        {
          boundaries.insert(Array("--\(boundary)".utf8))
          part.isContainer = true
        }
        part.name = part.name ?? Self.parameter("name", of: value)
      }
    }
    return part
  }

  private func readBody(_ text: RawSpan, _ lines: inout Lines) -> Range<Int> {
    let start = lines.offset
    var end = start
    var last = 0..<0
    while let line = lines.next(in: text) {
      if text.hasBytes("--", at: line.lowerBound), isBoundary(text, line) { break }
      if last.isEmpty, text.hasBytes("From ", at: line.lowerBound), line.lowerBound > start {
        // The next message of a mailbox starts with its header.
        break
      }
      last = line
      end = line.upperBound
    }
    return start..<max(start, end)
  }

  private func isBoundary(_ text: RawSpan, _ line: Range<Int>) -> Bool {
    let end = min(line.upperBound, line.lowerBound + 128)
    var written = text.clamped(to: line.lowerBound..<end).copied()
    while let byte = written.last, byte == 0x20 || byte == 0x09 { written.removeLast() }
    return boundaries.contains(written) || boundaries.contains(Array(written.dropLast(2)))
  }

  /// `name=value` or `name="value"`, whatever comes before the name.
  private static func parameter(_ name: String, of text: String) -> String? {
    let lower = text.lowercased()
    guard let start = lower.count(upTo: name + "=") else { return nil }
    let value = text.dropFirst(start)
    if value.hasPrefix("\"") { return String(value.dropFirst().prefix { $0 != "\"" }) }
    return String(value.prefix { $0 != ";" && !$0.isWhitespace })
  }

  /// One header field.
  private struct Field {
    var name: String
    var value: String

    init?(_ text: RawSpan, _ line: Range<Int>) {
      guard line.count <= MailMessage.longestField,
        let colon = text.firstOffset(of: 0x3a, in: line), colon > line.lowerBound,
        (line.lowerBound..<colon).allSatisfy({ Self.isName(text[at: $0] ?? 0) })
      else { return nil }
      name = text.clamped(to: line.lowerBound..<colon).repairedText().lowercased()
      let value = text.clamped(to: colon + 1..<line.upperBound).repairedText()
      self.value = String(value.drop { $0 == " " || $0 == "\t" })
    }

    private static func isName(_ byte: UInt8) -> Bool {
      byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
  }

  /// Lines without their ends, one after another.
  private struct Lines {
    private(set) var offset = 0

    mutating func next(in text: RawSpan) -> Range<Int>? {
      guard offset < text.byteCount else { return nil }
      let start = offset
      let end = text.firstOffset(of: 0x0a, from: start) ?? text.byteCount
      offset = min(end + 1, text.byteCount)
      return start..<(end > start && text[at: end - 1] == 0x0d ? end - 1 : end)
    }
  }
}

extension String {
  /// How many characters stand up to the end of the first `text`.
  fileprivate func count(upTo text: String) -> Int? {
    let (all, wanted) = (Array(self), Array(text))
    guard !wanted.isEmpty, all.count >= wanted.count else { return nil }
    for start in 0...all.count - wanted.count where all[start...].starts(with: wanted) {
      return start + wanted.count
    }
    return nil
  }
}
