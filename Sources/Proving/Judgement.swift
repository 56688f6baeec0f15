import DriverProtocol
import Findings

/// What was seen, held against what may be there.
struct Judgement: Equatable {
  var verdict: Proof.Verdict
  var message: String

  static let clean = Judgement(verdict: .clean, message: "")

  /// - Parameter candidates: The states that are right: the one before the change that was under way,
  ///   and the one after it.
  init(_ observation: Observation, candidates: [StoreState]) {
    var best: Judgement?
    for candidate in candidates {
      let judgement = Judgement(observation, is: candidate)
      if judgement.verdict == .clean {
        self = judgement
        return
      }
      // What is nearest to one of them says best what is wrong.
      if best.map({ judgement.verdict < $0.verdict }) ?? true { best = judgement }
    }
    self = best ?? Judgement(verdict: .noAnswer, message: "nothing is expected")
  }

  init(verdict: Proof.Verdict, message: String) {
    self.verdict = verdict
    self.message = message
  }

  private init(_ observation: Observation, is state: StoreState) {
    switch observation {
    case .noAnswer(let why): self.init(verdict: .noAnswer, message: why)
    case .closed(let kind, let message):
      guard state.exists else {
        self = .clean
        return
      }
      self.init(
        verdict: .lost, message: "does not open any more (\(kind.rawValue)): \(message)")
    case .open(let passwords, let views):
      guard state.exists else {
        self.init(verdict: .undecidable, message: "opens, though there should be no store")
        return
      }
      guard passwords == [state.password] else {
        let isMore = passwords.contains(state.password)
        self.init(
          verdict: isMore ? .undecidable : .lost,
          message: isMore
            ? "the old and the new password open it" : "the password that should open it does not")
        return
      }
      self.init(views, state)
    }
  }

  private init(_ views: [Int: Observation.View], _ state: StoreState) {
    for (profile, view) in views.sorted(by: { $0.key < $1.key }) {
      let expected = state.profiles[profile]
      switch view {
      case .refused(let kind, let message):
        guard expected != nil else {
          // What is gone is gone: remains that cannot be read are neither there nor gone.
          if kind != .damaged { continue }
          self.init(
            verdict: .undecidable,
            message: "profile \(profile) is neither there nor gone (\(kind.rawValue)): \(message)")
          return
        }
        self.init(
          verdict: .lost,
          message: "profile \(profile) cannot be read (\(kind.rawValue)): \(message)")
        return
      case .items(let items):
        if let wrong = Self.difference(items, expected, profile, state) {
          self = wrong
          return
        }
      }
    }
    self = .clean
  }

  private static func difference(
    _ items: [String: Item], _ expected: [String: Item]?, _ profile: Int, _ state: StoreState
  ) -> Judgement? {
    guard let expected else {
      return Judgement(
        verdict: .undecidable, message: "profile \(profile) opens, though it is not there")
    }
    for (id, item) in items.sorted(by: { $0.key < $1.key }) where expected[id] == nil {
      let owner = state.profiles.first { $0.key != profile && $0.value[id] != nil }
      return Judgement(
        verdict: owner == nil ? .undecidable : .wrongProfile,
        message: owner == nil
          ? "item \(id) is there, which was deleted or never put (\(item.fields.count) fields)"
          : "profile \(profile) gives out item \(id) of profile \(owner?.key ?? 0)")
    }
    for (id, item) in expected.sorted(by: { $0.key < $1.key }) {
      guard let found = items[id] else {
        return Judgement(verdict: .lost, message: "item \(id) is gone")
      }
      guard found.fields == item.fields else {
        return Judgement(verdict: .lost, message: "item \(id) has other fields")
      }
      guard found.attachment == item.attachment else {
        return Judgement(verdict: .lost, message: "item \(id) has another attachment, or none")
      }
    }
    return nil
  }
}
