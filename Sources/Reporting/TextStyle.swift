package import Findings

/// How text for a terminal is coloured, or not.
package struct TextStyle: Sendable {
  private let usesColor: Bool

  package static let plain = TextStyle(usesColor: false)
  package static let colored = TextStyle(usesColor: true)

  package func bold(_ text: String) -> String { wrap(text, "1") }
  package func dim(_ text: String) -> String { wrap(text, "2") }

  /// A severity's name in its colour.
  package func severity(_ severity: Severity, _ text: String) -> String {
    switch severity {
    case .critical: wrap(text, "1;31")
    case .high: wrap(text, "31")
    case .medium: wrap(text, "33")
    case .low: wrap(text, "36")
    }
  }

  package func good(_ text: String) -> String { wrap(text, "32") }
  package func bad(_ text: String) -> String { wrap(text, "1;31") }
  package func warning(_ text: String) -> String { wrap(text, "33") }

  /// Text in a colour given by its number (ECMA-48, §8.3.117).
  package func paint(_ text: String, _ code: String) -> String { wrap(text, code) }
  package var isColored: Bool { usesColor }

  private func wrap(_ text: String, _ code: String) -> String {
    let text = Self.shown(text)
    return usesColor ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }

  /// Text from outside without what could take over a terminal, start a line or turn one around.
  package static func shown(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnruly) else { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { isUnruly($0) ? "\u{fffd}" : $0 }))
  }

  private static func isUnruly(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f...0x9f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
