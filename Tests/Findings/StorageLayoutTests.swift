import Findings
import Testing

@Suite struct `A storage layout` {
  private func run(_ first: Int, _ role: String, owner: String? = nil) -> StorageLayout.Run {
    var run = StorageLayout.Run(
      first: first, role: role, liveness: role == "free" ? .deleted : .live, owner: owner)
    run.liveBytes = role == "free" ? 0 : 100
    run.deadBytes = role == "free" ? 60 : 1
    run.entropy = role == "free" ? 6 : 2
    run.commits = 1
    return run
  }

  @Test func `joins neighbours that are alike, and no others`() {
    var layout = StorageLayout(.page, pageSize: 4096)
    for (index, role) in ["leaf", "leaf", "free", "free", "free", "leaf"].enumerated() {
      layout.append(run(index + 1, role))
    }
    layout.append(run(7, "leaf", owner: "other"))
    #expect(layout.runs.map(\.first) == [1, 3, 6, 7])
    #expect(layout.runs.map(\.count) == [2, 3, 1, 1])
    #expect(layout.runs.map(\.deadBytes) == [2, 180, 1, 1])
    #expect(layout.runs[1].entropy == 6)
    #expect(!layout.runs.contains { $0.isMixed })
    #expect(layout.count == 7)
  }

  @Test(arguments: [1000, 30_000, 100_000])
  func `stays within its bound and loses no page and no byte`(count: Int) {
    var layout = StorageLayout(.frame, pageSize: 512)
    var dead = 0
    for page in 1...count {
      let added = run(page, (page * page) % 7 < 3 ? "free" : "leaf")
      dead += added.deadBytes
      layout.append(added)
    }
    #expect(layout.runs.count <= StorageLayout.mostRuns)
    #expect(layout.runs.count > StorageLayout.mostRuns / 4)
    #expect(layout.count == count)
    #expect(layout.runs.reduce(0) { $0 + $1.deadBytes } == dead)
    #expect(layout.runs.reduce(0) { $0 + $1.commits } == count)
    var next = 1
    for run in layout.runs {
      #expect(run.first == next)
      next += run.count
    }
    #expect(layout.runs.contains { $0.isMixed })
  }
}
