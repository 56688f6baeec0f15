import DriverProtocol

/// What a store holds, as the harness knows it: made by the requests that were answered.
struct StoreState: Equatable, Sendable {
  /// Whether there is a store at all.
  var exists = true
  var password: String
  /// Opens a space of its own, with nothing of this one.
  var decoy: String?
  /// Items by profile and id.
  var profiles: [Int: [String: Item]] = [0: [:]]
}

/// What a store shows when it is opened anew.
enum Observation: Equatable {
  enum View: Equatable {
    case items([String: Item])
    case refused(Refusal.Kind, String)
  }
  /// No password opened it.
  case closed(Refusal.Kind, String)
  /// These passwords opened it; what the first of them shows.
  case open([String], [Int: View])
  case noAnswer(String)
}

/// Opens a store, reads everything, and closes it.
struct Observer {
  let driver: DriverProcess
  /// The store's place, as requests name it.
  let place: [String: JSONValue]
  let abilities: Set<Capability>

  /// Looks with each password that could open the store, and at each profile that could be there.
  func look(_ passwords: [String], _ profiles: [Int], known: [Int: [String]]) -> Observation {
    var opened: [String] = []
    var views: [Int: Observation.View] = [:]
    var refusal = Refusal(.missing, "not tried")
    for password in passwords {
      let reply = driver.ask(
        DriverRequest(.unlock, place.merging(["password": .string(password)]) { $1 }))
      switch reply {
      case .none(let why): return .noAnswer(why)
      case .refused(let why):
        // What is wrong with the store says more than that a password is.
        if opened.isEmpty, refusal.kind != .damaged || why.kind != .wrongPassword { refusal = why }
      case .done:
        if opened.isEmpty {
          for profile in profiles {
            do throws(Silence) {
              views[profile] = try view(of: profile, known[profile] ?? [])
            } catch {
              return .noAnswer("no answer while profile \(profile) was read: \(error.why)")
            }
          }
        }
        opened.append(password)
        if case .none(let why) = driver.ask(DriverRequest(.close)) { return .noAnswer(why) }
      }
    }
    return opened.isEmpty ? .closed(refusal.kind, refusal.message) : .open(opened, views)
  }

  /// Everything in a profile: what it lists, and what is known and it should not list.
  private func view(
    of profile: Int, _ known: [String]
  ) throws(Silence) -> Observation.View {
    let at: [String: JSONValue] = ["profile": .integer(profile)]
    var reply = driver.ask(DriverRequest(.list, at))
    // A migration that was cut off is done then: what it is done to must be whole.
    if reply.refusal?.kind == .migrationNeeded {
      _ = driver.ask(DriverRequest(.migrate, at), seconds: 60)
      reply = driver.ask(DriverRequest(.list, at))
    }
    switch reply {
    case .none(let why): throw Silence(why: why)
    case .refused(let why): return .refused(why.kind, why.message)
    case .done(let members):
      guard let listed = members["ids"]?.strings else { throw Silence(lacking: "ids") }
      var items: [String: Item] = [:]
      for id in Set(listed).union(known) {
        switch driver.ask(DriverRequest(.get, at.merging(["id": .string(id)]) { $1 })) {
        case .none(let why): throw Silence(why: why)
        case .refused(let why):
          // Listed and not readable is not gone.
          if listed.contains(id) { return .refused(why.kind, "item \(id): \(why.message)") }
        case .done(let members):
          guard let fields = members["fields"]?.object?.compactMapValues(\.string) else {
            throw Silence(lacking: "fields")
          }
          items[id] = Item(id: id, term: "", fields: fields)
          guard abilities.contains(.attach) else { continue }
          switch try attachment(of: id, at) {
          case .failure(let why):
            return .refused(why.kind, "attachment of \(id): \(why.message)")
          case .success(let attachment): items[id]?.attachment = attachment
          }
        }
      }
      return .items(items)
    }
  }

  private func attachment(
    of id: String, _ at: [String: JSONValue]
  ) throws(Silence) -> Result<Attachment?, Refusal> {
    switch driver.ask(DriverRequest(.attachment, at.merging(["id": .string(id)]) { $1 })) {
    case .none(let why): throw Silence(why: why)
    case .refused(let why): return why.kind == .notFound ? .success(nil) : .failure(why)
    case .done(let members):
      guard let name = members["name"]?.string, let text = members["text"]?.string else {
        throw Silence(lacking: "text")
      }
      return .success(Attachment(name: name, text: text))
    }
  }
}

/// Nothing came back that the protocol knows.
private struct Silence: Error {
  var why: String

  init(why: String) { self.why = why }
  init(lacking members: String) { why = "the answer has no \(members)" }
}
