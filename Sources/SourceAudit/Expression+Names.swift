extension Expression {
  /// Members that show what they are members of, in another form.
  static let transparentMembers: Set<String> = [
    "text", "value", "stringValue", "string", "rawValue", "wrappedValue", "projectedValue",
    "description", "debugDescription", "utf8", "utf16", "unicodeScalars", "unsafelyUnwrapped",
    "attributedText", "bytes", "data", "first", "last", "some", "reversed", "localizedDescription",
    "currentTitle", "self", "base64EncodedString", "hexString", "hexEncodedString", "UTF8String",
    "stringByRemovingPercentEncoding", "removingPercentEncoding", "attributedString", "content",
  ]

  /// Members of text fields that hold what was typed.
  static let typedMembers: Set<String> = ["text", "stringValue", "attributedText", "string"]

  /// Methods that return what they are called on, changed a little.
  static let transparentMethods: Set<String> = [
    "lowercased", "uppercased", "capitalized", "trimmingCharacters", "replacingOccurrences",
    "appending", "padding", "prefix", "suffix", "dropFirst", "dropLast", "reversed", "joined",
    "components", "split", "base64EncodedString", "hexString", "hexEncodedString", "toHexString",
    "description", "utf8String", "applying", "folding", "addingPercentEncoding", "unwrap",
    "lowercaseString", "uppercaseString", "stringByAppendingString",
    "stringByTrimmingCharactersInSet",
    "stringByReplacingOccurrencesOfString", "UTF8String", "stringValue", "sorted", "compactMap",
    "filter", "copy", "mutableCopy", "sync",
  ]

  /// Functions and types that return what they are given.
  static let transparentFunctions: Set<String> = [
    "String", "NSString", "Optional", "Array", "Substring", "NSMutableString", "AnyHashable",
    "StaticString", "NSAttributedString", "stringWithFormat", "initWithString", "stringWithString",
    "localizedStringWithFormat", "min", "max", "NSLocalizedString", "describing", "reflecting",
    "stringWithUTF8String",
  ]

  /// What text fields are called besides what they hold: `passwordTextField` holds a password.
  private static let fieldSuffixes = [
    "TextField", "Textfield", "SecureField", "TextView", "Textview", "InputView", "InputField",
    "Field", "Input", "TxtField", "Txt", "TF", "Label", "EditText", "Box", "Entry",
  ]
  private static let fieldPrefixes = ["txt", "tf", "textField", "textfield", "lbl"]

  /// A name of a text field without what says that it is one.
  static func withoutField(_ name: String) -> String {
    for suffix in fieldSuffixes where name.hasSuffix(suffix) && name.count > suffix.count {
      return String(name.dropLast(suffix.count))
    }
    for prefix in fieldPrefixes where name.hasPrefix(prefix) && name.count > prefix.count {
      let rest = name.dropFirst(prefix.count)
      if rest.first?.isUppercase == true || rest.first == "_" { return String(rest) }
    }
    return name
  }

  /// The names of the values that the expression shows to whoever prints or stores it.
  ///
  /// A property of a thing is not the thing (`password.count`), the result of a function is not its
  /// arguments (`hash(password)`), a comparison shows none.
  func names(in scope: some NameScope, depth: Int = 0) -> [String] {
    guard depth < 12 else { return [] }
    switch self {
    case .name(let name):
      return scope.names(behind: name, depth: depth + 1)
    case .member(let base, let name):
      guard let base else { return [] }
      if Self.typedMembers.contains(name), let field = base.lastName {
        let bare = Self.withoutField(field)
        if bare != field { return [bare] }
      }
      guard Self.transparentMembers.contains(name) else {
        if case .name("self") = base { return scope.names(behind: name, depth: depth + 1) }
        return [name]
      }
      return base.names(in: scope, depth: depth + 1)
    case .call(let callee, let arguments):
      return Self.names(ofCall: callee, arguments, in: scope, depth: depth)
    case .element(let base, let arguments):
      let keys = arguments.compactMap { $0.value.keyName }
      return keys.isEmpty ? base.names(in: scope, depth: depth + 1) : keys
    case .interpolated(let segments):
      return segments.flatMap { $0.value?.names(in: scope, depth: depth + 1) ?? [] }
    case .array(let items), .combined(let items):
      return items.prefix(64).flatMap { $0.names(in: scope, depth: depth + 1) }
    case .dictionary(let entries):
      return entries.prefix(64).flatMap { $0.names(in: scope, depth: depth + 1) }
    case .literal, .number, .nothing, .closure, .truth, .unknown:
      return []
    }
  }

  private static func names(
    ofCall callee: Expression, _ arguments: [Argument], in scope: some NameScope, depth: Int
  ) -> [String] {
    let values = arguments.filter { !$0.isTrailing }
    if let name = callee.lastName, transparentFunctions.contains(name) {
      return values.flatMap { $0.value.names(in: scope, depth: depth + 1) }
    }
    guard case .member(let base?, let name) = callee else {
      return callee.lastName.map { [$0] } ?? []
    }
    if let key = elementName(name, values) { return key }
    guard transparentMethods.contains(name) || transparentMembers.contains(name) else {
      return [name]
    }
    return base.names(in: scope, depth: depth + 1)
      + (name.hasPrefix("appending") || name.hasPrefix("stringByAppending")
        ? values.flatMap { $0.value.names(in: scope, depth: depth + 1) } : [])
  }

  /// Reading by key is naming the key: `defaults.string(forKey: "password")`.
  private static func elementName(_ method: String, _ values: [Argument]) -> [String]? {
    let isReading = ["objectForKey", "valueForKey", "stringForKey", "objectForKeyedSubscript"]
    if isReading.contains(method), let key = values.first?.value.keyName { return [key] }
    let labelled = values.first { $0.label == "forKey" || $0.label == "forHTTPHeaderField" }
    return labelled?.value.keyName.map { [$0] }
  }

  /// The name that a key gives to the value under it.
  var keyName: String? {
    switch self {
    case .literal(let text) where !text.isEmpty: text
    case .name(let name): Self.withoutKey(name)
    case .member(_, let name) where name == "rawValue" || name == "key":
      if case .member(let base?, _) = self { base.keyName } else { nil }
    case .member(_, let name): Self.withoutKey(name)
    default: nil
    }
  }

  /// A constant for a key is called after the value: `passwordKey`, `kPassword`.
  static func withoutKey(_ name: String) -> String {
    var name = name[...]
    for suffix in ["KeyName", "DefaultsKey", "StorageKey", "Key"]
    where name.hasSuffix(suffix) && name.count > suffix.count {
      let rest = name.dropLast(suffix.count)
      // `privateKey` is a key, not the name of one.
      if !["private", "secret", "encryption", "master", "api", "public", "database"].contains(
        rest.lowercased())
      {
        name = rest
      }
      break
    }
    if name.first == "k", name.dropFirst().first?.isUppercase == true { name = name.dropFirst() }
    return String(name)
  }
}

extension Expression.Entry {
  /// What an entry of a dictionary shows: its value, named by its key too.
  func names(in scope: some NameScope, depth: Int) -> [String] {
    let shown = value.names(in: scope, depth: depth + 1)
    guard !value.isConstant(), let key = key.keyName else { return shown }
    return [key] + shown
  }
}

/// What is known where an expression stands.
protocol NameScope {
  /// A name, and the names of the values that it is known to hold.
  func names(behind name: String, depth: Int) -> [String]
}
