import Findings
import Reporting
import Testing

@Suite struct `A proof on a terminal` {
  private static var proof: Proof {
    var proof = Proof(driver: "driver", store: "a store", seed: 1, isExhaustive: false)
    var good = Proof.Scenario(name: "kill-during-use", title: "killed while items are deleted")
    (good.kills, good.images, good.errors, good.population) = (1, 2, 1, 9)
    good.notes = ["2 points were left out: the time was over"]
    good.cells = [
      Proof.Cell(
        place: "files", canaries: "values", verdict: .clean, bytes: 9, foundPlanted: true,
        findings: [])
    ]
    var bad = good
    bad.name = "normal-use"
    bad.cells[0].verdict = .leaked
    bad.verdict = .lost
    bad.failures = [
      Proof.Failure(
        point: 3, fault: "killed before change 3, sync keys", verdict: .lost,
        message: "item a1 is gone", reproduce: "vestige prove --point 3")
    ]
    bad.failureCount = 1
    proof.scenarios = [good, bad]
    return proof
  }

  private static func text(_ language: Language) -> String {
    let proof = proof
    let text = TextProof(usesColor: false, language: language)
    var report = Report.sample
    report.proof = proof
    return proof.scenarios.map(text.lines).joined() + text.matrix(of: proof)
      + text.summary(of: report)
  }

  @Test func `counts one and many rightly`() {
    let text = Self.text(.english)
    #expect(text.contains("1 kill, 2 power-loss images, 1 failed call, of 9"))
    #expect(text.contains("2 scenarios, 2 kills, 4 power-loss images, 2 failed calls in"))
  }

  @Test func `is said in Chinese, in columns that stand below each other`() {
    let text = Self.text(.simplifiedChinese)
    let english = text.matches(of: #/[a-z]{2,} [a-z]{2,} [a-z]{2,}/#).map(\.0)
    #expect(english.isEmpty, "\(english)")
    for words in ["数据丢失", "条目 a1 丢失", "1 次强制终止，2 个断电磁盘", "干净*", "泄露"] {
      #expect(text.contains(words), "\(words)")
    }
    // The last column of the matrix starts where its heading does.
    let lines = text.split(separator: "\n")
    let rows = lines.filter { $0.hasSuffix("状态") || $0.contains("干净*") || $0.contains("泄露  ") }
    let columns = Set(
      rows.map { row in
        TextLayout.width(of: row.prefix(upTo: row.lastIndex(of: " ") ?? row.startIndex))
      })
    #expect(rows.count == 3 && columns.count == 1, "\(rows)")
  }
}
