/// The groups of programs that share secrets, as an app's entitlements file names them.
///
/// Without a group a new item goes to the first one listed; without a list, to the app's own
/// identifier. A wildcard is refused: with it, a program could read the items of every other one.
public struct AccessGroups: Equatable, Sendable {
  /// In the order of the file.
  public let names: [String]

  /// The group of an item that names none.
  public var defaultName: String { names[0] }

  /// Reads an entitlements file in XML, as Xcode keeps it and as it stands in a code signature.
  public init(entitlements file: [UInt8]) throws(EntitlementsError) {
    let text = String(decoding: file, as: UTF8.self)
    guard text.contains("<plist"), text.contains("</plist>") else { throw .notXML }
    var names = Self.strings(after: "keychain-access-groups", in: text)
    names += Self.strings(after: "application-identifier", in: text)
    names += Self.strings(after: "com.apple.application-identifier", in: text)
    guard !names.isEmpty else { throw .noGroup }
    if let wildcard = names.first(where: { $0.contains("*") }) { throw .wildcard(wildcard) }
    self.names = names
  }

  /// The group to use for an item: the default, or one of the list.
  public func resolve(_ name: String?) throws(SecretStoreError) -> String {
    guard let name else { return defaultName }
    guard names.contains(name) else { throw .denied }
    return name
  }

  /// The strings of the value that follows a key: one string, or an array of them.
  private static func strings(after key: String, in text: String) -> [String] {
    guard let found = text.firstRange(of: "<key>\(key)</key>") else { return [] }
    var rest = text[found.upperBound...].drop { $0.isWhitespace }
    let isArray = rest.hasPrefix("<array>")
    if isArray { rest = rest.dropFirst("<array>".count) }
    var strings: [String] = []
    while true {
      rest = rest.drop { $0.isWhitespace }
      guard rest.hasPrefix("<string>") else { break }
      rest = rest.dropFirst("<string>".count)
      guard let end = rest.firstRange(of: "</string>") else { break }
      strings.append(unescaped(rest[..<end.lowerBound]))
      rest = rest[end.upperBound...]
      if !isArray { break }
    }
    return strings
  }

  private static func unescaped(_ text: Substring) -> String {
    let entities = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
    ]
    return entities.reduce(String(text)) { String($0.replacing($1.0, with: $1.1)) }
  }
}

/// Why an entitlements file gives no access groups.
public enum EntitlementsError: Error, Equatable, Sendable {
  /// The file is a binary property list, or none.
  case notXML
  /// It has no `keychain-access-groups` and no application identifier.
  case noGroup
  /// A group's name ends in `*`.
  case wildcard(String)

  /// What is wrong.
  public var problem: String {
    switch self {
    case .notXML: "the entitlements file is not an XML property list"
    case .noGroup: "the entitlements file names no access group and no application identifier"
    case .wildcard(let name): "the access group \(name) stands for every program's items"
    }
  }

  /// What a person can do.
  public var remedy: String {
    switch self {
    case .notXML: "convert it with plutil -convert xml1"
    case .noGroup: "add keychain-access-groups with at least one group"
    case .wildcard:
      "list each group by its full name: with a wildcard one program reads all secrets"
    }
  }
}
