/// How rule files say which names they mean.
package enum NamePattern: Equatable, Sendable {
  case exactly(String)
  /// `*.set`: the name ends so, whatever stands before it.
  case suffix(String)
  /// `kSecAttr*`: the name starts so.
  case prefix(String)
  /// `/…/`: a regular expression that matches somewhere in the name.
  case expression(String)

  package init(_ text: String) {
    if text.count > 2, text.hasPrefix("/"), text.hasSuffix("/") {
      self = .expression(String(text.dropFirst().dropLast()))
    } else if text.hasPrefix("*") {
      self = .suffix(String(text.dropFirst()))
    } else if text.hasSuffix("*") {
      self = .prefix(String(text.dropLast()))
    } else {
      self = .exactly(text)
    }
  }

  /// The longest word that stands in every name it means; nothing where that cannot be said.
  package var word: String? {
    let text: String
    switch self {
    case .exactly(let name), .suffix(let name), .prefix(let name): text = name
    case .expression: return nil
    }
    let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    return words.max { $0.utf8.count < $1.utf8.count }.map(String.init)
  }
}
