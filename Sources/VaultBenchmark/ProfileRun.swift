import SecretBytes
import Vault
import VaultKeys

/// The vault's own interface, over a database with a key or a plain one.
struct ProfileRun {
  let folder: String
  let count: Int
  let rounds: Int

  func measure(isPlain: Bool) async throws -> Measurement {
    try Disk.makeFolder(folder)
    let key = KeySpecification()
    let chosen: KeySpecification? = isPlain ? nil : key.duplicate()
    var result = Measurement()
    let profile = try Profile.bare(at: folder, key: chosen, creating: true)
    try await insert(into: profile, &result)
    try await read(profile, &result)
    try await profile.close()
    result.bytes = Disk.size(folder + "/s.1") ?? 0
    result.open = try await open(chosen, readers: 0)
    result.openWithReader = try await open(chosen, readers: 1)
    return result
  }

  private func open(
    _ key: borrowing KeySpecification?, readers: Int
  ) async throws -> Measurement.Times {
    var times = Measurement.Times()
    for _ in 0..<60 {
      let start = Stopwatch.Reading()
      let again = try Profile.bare(
        at: folder, key: key, creating: false, readers: readers)
      _ = try await again.read { t throws(VaultError) in
        try t.existingConversation(named: "c0")
      }
      times.add(since: start)
      try await again.close()
    }
    return times
  }

  private func insert(into profile: Profile, _ result: inout Measurement) async throws {
    var source = MessageSource()
    let talks = try await profile.write { t throws(VaultError) in
      var talks: [Conversation.ID] = []
      for number in 0..<MessageSource.conversationCount {
        talks.append(try t.conversation(named: "c\(number)"))
      }
      return talks
    }
    for first in stride(from: 0, to: count, by: 1000) {
      let batch = (first..<min(first + 1000, count)).map { number in
        (talks[source.conversation(number)], source.text(number), Int64(number) * 1000)
      }
      let (start, startCPU) = (Stopwatch.wall(), Stopwatch.cpu())
      try await profile.write { t throws(VaultError) in
        for (talk, text, sent) in batch { try t.add(text, to: talk, sender: "someone", sent: sent) }
      }
      result.insertSeconds += Stopwatch.wall() - start
      result.insertCPU += Stopwatch.cpu() - startCPU
    }
    try await profile.checkpoint()
  }

  private func read(_ profile: Profile, _ result: inout Measurement) async throws {
    var source = MessageSource()
    let talk = try await profile.read { t throws(VaultError) in
      try t.existingConversation(named: "c0")
    }
    guard let talk else { return }
    let anchors = try await profile.read { t throws(VaultError) in
      try t.messages(in: talk, limit: count)
    }.map(\.position)
    for _ in 0..<rounds {
      let anchor = anchors[source.number(below: anchors.count)]
      let start = Stopwatch.Reading()
      _ = try await profile.read { t throws(VaultError) in
        try t.messages(in: talk, before: anchor, limit: 50)
      }
      result.page.add(since: start)
    }
    let (one, two) = source.common
    result.rare = try await search("quizzaciously", profile)
    result.two = try await search("\(one) \(two)", profile)
    result.prefix = try await search("quizz*", profile)
    result.chinese = try await search("天气很好", profile)
  }

  private func search(_ query: String, _ profile: Profile) async throws -> Measurement.Times {
    var times = Measurement.Times()
    for _ in 0..<max(rounds / 10, 5) {
      let start = Stopwatch.Reading()
      _ = try await profile.read { t throws(VaultError) in try t.search(query) }
      times.add(since: start)
    }
    return times
  }
}
