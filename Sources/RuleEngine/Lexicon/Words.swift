/// The words of an identifier or a phrase: `userDateOfBirth`, `USER_DATE_OF_BIRTH` and
/// `user.date-of-birth` are `user date of birth`. Chinese stands unsplit between other words.
package struct Words: Equatable, Sendable {
  package private(set) var words: [String] = []

  package init(_ text: String) {
    var word: [Unicode.Scalar] = []
    var kind = Kind.other
    let scalars = Array(text.unicodeScalars.prefix(Self.longest))
    for (index, scalar) in scalars.enumerated() {
      let next = Kind(scalar)
      if isBorder(kind, next, index: index, scalars) {
        close(&word)
        // The last capital of `URLSession` starts the word behind it.
      }
      if next != .other { word.append(scalar) }
      kind = next
    }
    close(&word)
  }

  /// Longer texts are no names.
  private static let longest = 4_096

  private enum Kind {
    case lower, upper, digit, wide, other

    init(_ scalar: Unicode.Scalar) {
      switch scalar.value {
      case 0x61...0x7a: self = .lower
      case 0x41...0x5a: self = .upper
      case 0x30...0x39: self = .digit
      case 0x3400...0x9fff, 0x20000...0x3ffff, 0x3040...0x30ff: self = .wide
      case 0x80...: self = scalar.properties.isAlphabetic ? .lower : .other
      default: self = .other
      }
    }
  }

  private func isBorder(
    _ kind: Kind, _ next: Kind, index: Int, _ scalars: [Unicode.Scalar]
  ) -> Bool {
    if kind == next {
      guard kind == .upper, index + 1 < scalars.count else { return false }
      // A plural of an acronym is one word: `PINs`.
      return Kind(scalars[index + 1]) == .lower
        && !(scalars[index + 1] == "s"
          && (index + 2 >= scalars.count || Kind(scalars[index + 2]) != .lower))
    }
    return !(kind == .upper && next == .lower)
  }

  private mutating func close(_ word: inout [Unicode.Scalar]) {
    guard !word.isEmpty else { return }
    var text = ""
    text.unicodeScalars.append(contentsOf: word)
    words.append(text.lowercased())
    word.removeAll(keepingCapacity: true)
  }
}
