import DriverProtocol
package import RuleEngine

/// Everything that is put into a store in one run, made from its seed before anything starts, so that one
/// compiled search finds all of it.
package struct Cast: Sendable {
  let password: String
  let newPassword: String
  let decoyPassword: String
  let wrongPassword: String
  /// Items of the first profile, and of the second.
  let first: [Item]
  let second: [Item]
  /// Put in the course of a scenario.
  let later: [Item]
  let decoyItem: Item
  let attachment: Attachment
  let laterAttachment: Attachment
  package let canaries: [Canary]

  package init(seed: UInt64) {
    var maker = CanaryMaker(seed: seed)
    password = maker.password("main")
    newPassword = maker.password("new")
    decoyPassword = maker.password("decoy")
    wrongPassword = maker.password("wrong")
    first = ["a1", "a2", "a3", "a4"].map { maker.item($0) }
    second = ["b1", "b2"].map { maker.item($0) }
    later = (1...6).map { maker.item("c\($0)") }
    decoyItem = maker.item("d1")
    attachment = maker.attachment("a1")
    laterAttachment = maker.attachment("c1")
    maker.words(["decoy", "duress"])
    canaries = maker.canaries
  }

  package var needles: [Needle] { canaries.map(\.needle) }

  /// Ids by profile, as they could be anywhere.
  var ids: [Int: [String]] { [0: (first + later).map(\.id), 1: second.map(\.id)] }

  /// What is protected by an item's values, by needle.
  func needles(of item: Item) -> Set<String> {
    Set(canaries.map(\.needle.id).filter { $0.hasPrefix(item.id + ".") })
  }
}

/// One request of a scenario, and what it changes once it is answered.
struct Step: Sendable {
  var verb: Verb
  var members: [String: JSONValue] = [:]
  /// Whether the request names the store's place.
  var isPlaced = false
  var apply: @Sendable (inout StoreState) -> Void = { _ in }

  func request(in sandbox: Sandbox) -> DriverRequest {
    DriverRequest(verb, isPlaced ? sandbox.place.merging(members) { $1 } : members)
  }
}

extension Step {
  static func create(_ password: String, _ more: [String: JSONValue] = [:]) -> Step {
    Step(
      verb: .create,
      members: more.merging(["password": .string(password), "cheap": .boolean(true)]) { $1 },
      isPlaced: true
    ) {
      $0.exists = true
      $0.password = password
    }
  }

  static func unlock(_ password: String) -> Step {
    Step(verb: .unlock, members: ["password": .string(password)], isPlaced: true)
  }

  static func put(_ item: Item, profile: Int = 0) -> Step {
    Step(
      verb: .put, members: item.putRequest.merging(["profile": .integer(profile)]) { $1 }
    ) {
      // What is attached stays.
      let attachment = $0.profiles[profile]?[item.id]?.attachment
      $0.profiles[profile]?[item.id] = Item(
        id: item.id, term: "", fields: item.fields, attachment: attachment)
    }
  }

  static func attach(_ attachment: Attachment, to id: String, profile: Int = 0) -> Step {
    Step(
      verb: .attach,
      members: [
        "profile": .integer(profile), "id": .string(id), "name": .string(attachment.name),
        "text": .string(attachment.text),
      ]
    ) { $0.profiles[profile]?[id]?.attachment = attachment }
  }

  static func delete(_ id: String, profile: Int = 0) -> Step {
    Step(verb: .delete, members: ["profile": .integer(profile), "id": .string(id)]) {
      $0.profiles[profile]?[id] = nil
    }
  }

  static func rotate(_ password: String) -> Step {
    Step(verb: .rotate, members: ["password": .string(password)])
  }

  static func changePassword(from current: String, to new: String) -> Step {
    Step(verb: .passwd, members: ["current": .string(current), "new": .string(new)]) {
      $0.password = new
    }
  }

  static func setDecoy(_ decoy: String, current: String) -> Step {
    Step(verb: .decoy, members: ["current": .string(current), "decoy": .string(decoy)]) {
      $0.decoy = decoy
    }
  }

  static let addProfile = Step(verb: .addProfile) { $0.profiles[1] = [:] }
  static let migrate = Step(verb: .migrate)
  static let lock = Step(verb: .lock)
  static let close = Step(verb: .close)
  static let format = Step(verb: .format, isPlaced: true) { $0.exists = false }

  static func erase(_ profile: Int) -> Step {
    Step(verb: .erase, members: ["profile": .integer(profile)]) { $0.profiles[profile] = nil }
  }
}
