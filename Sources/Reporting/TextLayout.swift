/// How wide text is on a terminal, and where it may be broken: Chinese characters take two columns, and a
/// line may end behind each of them.
package enum TextLayout {
  /// Columns of a terminal.
  package static func width(of text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { $0 + (isWide($1) ? 2 : 1) }
  }

  /// The text with blanks behind it, up to a width, and one at the least.
  package static func padded(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(1, columns - width(of: text)))
  }

  /// East Asian Wide and Fullwidth (Unicode Standard Annex 11), in the blocks that reports use.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
      true
    default: false
    }
  }

  /// Marks that no line starts with.
  private static func closes(_ scalar: Unicode.Scalar) -> Bool {
    "，。；：、！？）】》”’".unicodeScalars.contains(scalar)
  }

  /// A sentence in lines of at most so many columns.
  package static func lines(of text: String, width columns: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      for (index, piece) in pieces(of: word).enumerated() {
        let gap = index == 0 && !lines.isEmpty ? " " : ""
        if let last = lines.last, width(of: last) + width(of: piece) + gap.count <= columns {
          lines[lines.count - 1] = last + gap + piece
        } else {
          lines.append(piece)
        }
      }
    }
    return lines
  }

  /// What may not be broken within a word: everything but a row of wide characters.
  private static func pieces(of word: Substring) -> [String] {
    var pieces: [String] = []
    var endsWide = true
    for scalar in word.unicodeScalars {
      let startsPiece = (isWide(scalar) || endsWide) && !closes(scalar)
      if startsPiece || pieces.isEmpty {
        pieces.append(String(scalar))
      } else {
        pieces[pieces.count - 1].unicodeScalars.append(scalar)
      }
      endsWide = isWide(scalar)
    }
    return pieces
  }

  /// The words joined by dots in lines of at most so many columns.
  static func joined(_ words: [String], width columns: Int) -> [String] {
    var lines: [String] = []
    for word in words {
      if let last = lines.last, width(of: last) + width(of: word) + 3 <= columns {
        lines[lines.count - 1] = last + " · " + word
      } else {
        lines.append(word)
      }
    }
    return lines
  }
}
