import Glibc
import Scanning

/// A bar on the terminal while a scan runs: files, bytes, rate, time left.
enum ProgressBar {
  /// Runs `work` and, where wanted, draws how far it is.
  static func drawn<Result: Sendable>(
    _ isWanted: Bool, _ progress: Progress, _ work: () async throws -> Result
  ) async throws -> Result {
    guard isWanted else { return try await work() }
    let drawing = Task { await draw(progress) }
    do {
      let result = try await work()
      drawing.cancel()
      await drawing.value
      return result
    } catch {
      drawing.cancel()
      await drawing.value
      throw error
    }
  }

  private static func draw(_ progress: Progress) async {
    let clock = ContinuousClock()
    let start = clock.now
    while !Task.isCancelled {
      // Being cancelled ends the wait early, and the loop with it.
      try? await Task.sleep(for: .milliseconds(200))
      let seconds = (clock.now - start) / .seconds(1)
      // A scan that ends at once needs no bar.
      if !Task.isCancelled, seconds > 0.5 {
        let line = line(progress.state, seconds, columns: Terminal.columns ?? .max)
        Terminal.write("\r\u{1b}[K" + line, to: STDERR_FILENO)
      }
    }
    Terminal.write("\r\u{1b}[K", to: STDERR_FILENO)
  }

  /// The line that says how far the scan is, as much of it as has room: one that is wrapped cannot be drawn
  /// over.
  static func line(
    _ state: Progress.State, _ seconds: Double, columns: Int = .max
  ) -> String {
    let share = state.bytesTotal > 0 ? Double(state.bytes) / Double(state.bytesTotal) : 0
    let filled = min(20, Int(share * 20))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 20 - filled)
    let rate = Double(state.bytes) / max(seconds, 0.001)
    let left = rate > 0 ? Double(state.bytesTotal - state.bytes) / rate : 0
    let percent = "\(Int(share * 100)) %"
    let files = "\(percent)  \(state.files)/\(state.filesTotal) files"
    let time = "  \(Int(rate / 1_048_576)) MiB/s  \(Int(left.rounded(.up))) s left"
    let lines = ["\(bar) \(files)\(time)", "\(files)\(time)", files, percent]
    // The last column stays empty: some terminals wrap when it is written.
    return lines.first { $0.count < columns } ?? ""
  }
}
