import Synchronization

/// How far a scan is: written by its tasks, read by whoever draws a bar.
package final class Progress: Sendable {
  private let filesTotal = Atomic(0)
  private let bytesTotal = Atomic(0)
  private let filesDone = Atomic(0)
  private let bytesDone = Atomic(0)

  package init() {}

  package struct State: Sendable {
    package var files: Int
    package var filesTotal: Int
    package var bytes: Int
    package var bytesTotal: Int
  }

  package var state: State {
    State(
      files: filesDone.load(ordering: .relaxed), filesTotal: filesTotal.load(ordering: .relaxed),
      bytes: bytesDone.load(ordering: .relaxed), bytesTotal: bytesTotal.load(ordering: .relaxed))
  }

  func start(files: Int, bytes: Int) {
    filesTotal.store(files, ordering: .relaxed)
    bytesTotal.store(bytes, ordering: .relaxed)
  }

  func advance(bytes: Int) {
    filesDone.add(1, ordering: .relaxed)
    bytesDone.add(bytes, ordering: .relaxed)
  }
}
