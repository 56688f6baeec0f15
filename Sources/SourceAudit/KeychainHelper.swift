import Findings
import Formats

/// Functions around the keychain that another file calls. What protects an item may be said by the caller
/// (`save(key, access: kSecAttrAccessibleAlways)`) or by a function that makes the query
/// (`var query = Keychain.query(for: account)`); only the whole root tells who is meant, so both sides
/// state the names that the function may have: `keychain` of a helper that stores, `query` of one that
/// says what is stored.
enum KeychainHelper {
  private static let stores: Set<String> = ["SecItemAdd", "SecItemUpdate"]
  private static let attribute = "kSecAttrAccessible"

  static func isNamed(in bytes: [UInt8]) -> Bool {
    let words: [StaticString] = ["kSec", "SecItem"]
    return words.contains { bytes.span.bytes.firstOffset(of: $0, in: 0..<bytes.count) != nil }
  }

  /// The name of a call that may hand an accessibility class to a helper.
  static func handed(to name: String) -> String { name + "→keychain" }

  /// What a function says of itself where it stores an item under the class, or by the query, that it is
  /// given: nothing where the call is none of these.
  ///
  /// - Parameter parameters: of the function, as its body names them.
  static func values(
    storing callee: Expression, _ arguments: [Expression.Argument],
    _ values: [String: [String]], _ parameters: Set<String>, in variables: Variables,
    named callable: String
  ) -> [String: [String]]? {
    guard let name = callee.lastName, stores.contains(name), !parameters.isEmpty else { return nil }
    let isUpdate = name == "SecItemUpdate"
    var given: [String] = []
    if values[attribute + ".names", default: []].contains(where: parameters.contains) {
      given.append(attribute)
    }
    if let query = arguments.dropFirst(isUpdate ? 1 : 0).first?.value,
      sources(of: query, in: variables).contains(where: parameters.contains)
    {
      given.append("query")
    }
    guard !given.isEmpty else { return nil }
    return ["kind": ["function"], "stores": given, "keychain": [callable]]
  }

  /// A variable and those that it was made from.
  private static func sources(of query: Expression, in variables: Variables) -> [String] {
    var names: [String] = []
    var query = query
    for _ in 0..<4 {
      guard case .name(let name) = query else { break }
      names.append(name)
      guard let value = variables[name]?.value, value != query else { break }
      query = value
    }
    return names
  }

  /// The values of a call that hands an accessibility class to a function of unknown making.
  static func values(
    handing callee: Expression, _ arguments: [Expression.Argument], in variables: Variables,
    type: String?
  ) -> [String: [String]]? {
    guard callee.lastName?.hasPrefix("Sec") != true,
      let call = FollowedCall(callee, in: variables, type: type)
    else { return nil }
    let classes = arguments.filter { !$0.isTrailing }.flatMap { argument in
      FactMaker.resolve(argument.value, variables).texts.filter(isClass)
    }
    var values = FactMaker.values(ofCall: callee, arguments, in: variables)
    values[attribute, default: []] += classes
    guard values[attribute]?.contains(where: isClass) == true else { return nil }
    values["keychain"] = call.names
    return values
  }

  private static func isClass(_ text: String) -> Bool {
    text.hasPrefix(attribute) && text.utf8.count > attribute.utf8.count
  }

  /// The names of a function or property of another file that made the query of a call.
  static func query(
    of arguments: [Expression.Argument], in variables: Variables, type: String?
  ) -> [String]? {
    guard var made = arguments.first?.value else { return nil }
    for _ in 0..<6 {
      switch made {
      case .name(let name):
        guard let variable = variables[name] else {
          return FollowedCall(made, in: variables, type: type)?.names
        }
        guard let value = variable.value, value != made else { return nil }
        made = value
      case .call(.member(let base?, let method), _)
      where ["merging", "mutableCopy", "copy"].contains(method):
        made = base
      case .call(let callee, _):
        return FollowedCall(callee, in: variables, type: type)?.names
      case .member:
        return FollowedCall(made, in: variables, type: type)?.names
      default: return nil
      }
    }
    return nil
  }

  /// What a function or property says of itself that returns a query: nothing where it does not.
  static func values(
    returning name: String, in variables: Variables, named callable: String
  ) -> [String: [String]]? {
    guard let made = variables[name], made.isDictionary else { return nil }
    var values: [String: [String]] = [:]
    FactMaker.addEntries(.name(name), to: &values, variables)
    guard values["keys"]?.contains(where: { $0.hasPrefix("kSec") }) == true else { return nil }
    values["query"] = [callable]
    return values
  }
}

extension FactMaker {
  /// Whether any check asks for calls that may hand something to a helper around the keychain.
  var followsKeychain: Bool { filter(.call, KeychainHelper.handed(to: "")) }
}
