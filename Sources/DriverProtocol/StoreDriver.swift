/// What a driver is asked to do (DRIVER.md).
package enum Verb: String, CaseIterable, Sendable {
  case hello, create, unlock, put, get, list, search, delete, attach, attachment, migrate, rotate
  case passwd, decoy, lock, close, erase, format, status, places, keys, backup
  case addProfile = "add-profile"
}

/// Parts of a store's life that not every store has; `hello` tells which a driver does.
package enum Capability: String, CaseIterable, Sendable {
  case search, delete, attach, rotate, passwd, decoy, erase, format, keys, backup, profiles
  /// `create` with `schema` older or newer makes a store as another version would have made it.
  case older, newer
  /// Passwords do unlock: a wrong one is refused.
  case passwords
}

/// Why a driver did not do what it was asked to.
package struct Refusal: Error, Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case wrongPassword = "wrong-password"
    case locked, missing, damaged, full, io, busy, unsupported, exists, erasing, refused
    case notFound = "not-found"
    case schemaTooNew = "schema-too-new"
    case migrationNeeded = "migration-needed"
  }

  package var kind: Kind
  /// For a person; it must hold nothing protected.
  package var message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

/// One request, and the members it came with.
package struct DriverRequest: Equatable, Sendable {
  package var verb: Verb
  package var members: [String: JSONValue]

  package init(_ verb: Verb, _ members: [String: JSONValue] = [:]) {
    self.verb = verb
    self.members = members
  }

  package func text(_ name: String) throws(Refusal) -> String {
    guard let value = members[name]?.string else {
      throw Refusal(.refused, "\(verb.rawValue) needs a text \(name)")
    }
    return value
  }

  package var profile: Int { members["profile"]?.integer ?? 0 }

  /// The request on one line.
  package var line: String {
    var members = members
    members["do"] = .string(verb.rawValue)
    return JSONValue.object(members).text + "\n"
  }
}

/// The store's side of the protocol: answers one request after the other.
package protocol StoreDriver: AnyObject {
  /// The members of the reply.
  func answer(_ request: DriverRequest) async throws(Refusal) -> [String: JSONValue]
}
