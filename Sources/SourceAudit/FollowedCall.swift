import Findings

/// Calls of functions that another file may declare: whether they hand on to a log what they are given
/// only the whole root tells, so what shows a sensitive value is stated with the names that the function
/// may be declared under, and declarations of such functions state theirs (`callable`).
struct FollowedCall {
  private let function: String
  private let type: String?
  /// Whether it may be a function of no type.
  private let mayBeFree: Bool

  /// Names the function may have: `note`, `Tracer.note`.
  var names: [String] {
    (mayBeFree ? [function] : []) + (type.map { [Self.name(of: function, in: $0)] } ?? [])
  }

  /// - Parameter type: what stands around the call: a method may be called without saying on what.
  init?(_ callee: Expression, in variables: Variables, type: String?) {
    switch callee {
    case .name(let name), .member(.name("self")?, let name):
      guard name.first?.isLowercase == true || name.allSatisfy({ !$0.isLowercase }) else {
        return nil
      }
      (function, self.type, mayBeFree) = (name, type, true)
    case .member(let base?, let name):
      guard let type = variables.type(of: base) else { return nil }
      (function, self.type, mayBeFree) = (name, type, false)
    default:
      return nil
    }
  }

  /// A method's name with that of its type, without outer types and what is generic.
  static func name(of function: String, in type: String?) -> String {
    guard let type else { return function }
    let bare = type.prefix { $0 != "<" && $0 != "?" && $0 != "!" }
    return bare[(bare.lastIndex(of: ".").map(bare.index(after:)) ?? bare.startIndex)...] + "."
      + function
  }
}

extension FactMaker {
  /// Whether any check asks for calls that are followed into other files.
  var followsCalls: Bool { isSensitive != nil && filter(.call, Self.followed("")) }

  /// The name of a call that is followed.
  static func followed(_ name: String) -> String { name + "→log" }

  /// The values of a call whose function is not known here, where it is given something sensitive.
  func values(
    ofFollowed callee: Expression, _ arguments: [Expression.Argument], in variables: Variables,
    type: String?
  ) -> [String: [String]]? {
    guard let isSensitive, !arguments.isEmpty,
      let call = FollowedCall(callee, in: variables, type: type),
      arguments.contains(where: { argument in
        !argument.isTrailing && argument.value.names(in: variables).contains(where: isSensitive)
      })
    else { return nil }
    var values = Self.values(ofCall: callee, arguments, in: variables)
    values["callable"] = call.names
    return values
  }
}
