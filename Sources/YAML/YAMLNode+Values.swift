extension YAMLNode {
  /// The text of a scalar.
  package func text() throws(YAMLError) -> String {
    guard case .scalar(let text, _) = value else {
      throw YAMLError("text is wanted here", at: mark)
    }
    return text
  }

  /// A whole number.
  package func integer() throws(YAMLError) -> Int {
    guard case .scalar(let text, _) = value, let number = Int(text) else {
      throw YAMLError("a whole number is wanted here", at: mark)
    }
    return number
  }

  /// A number.
  package func number() throws(YAMLError) -> Double {
    guard case .scalar(let text, _) = value, let number = Double(text), number.isFinite else {
      throw YAMLError("a number is wanted here", at: mark)
    }
    return number
  }

  /// `true` or `false`.
  package func boolean() throws(YAMLError) -> Bool {
    switch value {
    case .scalar("true", quoted: false): return true
    case .scalar("false", quoted: false): return false
    default: throw YAMLError("true or false is wanted here", at: mark)
    }
  }

  /// The items of a sequence.
  package func items() throws(YAMLError) -> [YAMLNode] {
    guard case .sequence(let items) = value else {
      throw YAMLError("a list is wanted here", at: mark)
    }
    return items
  }

  /// A sequence of text.
  package func texts() throws(YAMLError) -> [String] {
    var texts: [String] = []
    for item in try items() { texts.append(try item.text()) }
    return texts
  }

  /// The entries of a mapping, none of which may have another name than these. A file that holds
  /// secrets must not have its keys echoed: one may be a value that lost its key.
  package func fields(_ known: [String], echoes: Bool = true) throws(YAMLError) -> YAMLFields {
    guard case .mapping(let entries) = value else {
      throw YAMLError("keys with values are wanted here", at: mark)
    }
    for entry in entries where !known.contains(entry.key) {
      throw YAMLError(
        "unknown key\(echoes ? " \"\(entry.key)\"" : ""); known are \(known.joined(separator: ", "))",
        at: entry.keyMark)
    }
    return YAMLFields(entries: entries, mark: mark)
  }
}

/// The entries of a mapping whose keys were checked.
package struct YAMLFields: Sendable {
  package var entries: [YAMLNode.Entry]
  package var mark: YAMLMark

  /// The value of a key that may be missing.
  package subscript(key: String) -> YAMLNode? {
    entries.first { $0.key == key }?.value
  }

  /// The value of a key that must be there.
  package func required(_ key: String) throws(YAMLError) -> YAMLNode {
    guard let node = self[key] else { throw YAMLError("the key \"\(key)\" is missing", at: mark) }
    return node
  }
}
