import Findings
import Glibc
import RuleEngine
import Scanning
import Testing

@Suite struct `A size that is not true` {
  /// Linux shows what the kernel knows as files whose size is 0 and that hold text all the same.
  @Test(.enabled(if: access("/proc/self/status", R_OK) == 0, "there is no /proc here"))
  func `is told, and the scan is incomplete`() async throws {
    var options = ScanOptions()
    options.paths = ["/proc/self/status"]
    options.needles = [Needle(id: "canary", kind: .text, value: "Orchid-Zebra-42")]
    let report = try await Scanner(options).scan()
    #expect(report.diagnostics.map(\.code) == [.readChanged])
    #expect(report.inputs.map(\.sha256) == [nil])
    #expect(report.run.status == 3)
  }
}
