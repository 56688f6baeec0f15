package import CrashImages
import Synchronization
import VaultKeys

/// What a store looked like before an operation, and every change the operation made: enough to build
/// what the disk holds if the power, or the process, had ended at any point of it.
package struct WriteLog: Sendable {
  package typealias Survival = CrashImages.Survival

  package var before: DiskImage
  package var changes: [FileChange]

  package init(before: DiskImage, changes: [FileChange]) {
    self.before = before
    self.changes = changes
  }

  /// Runs an operation on the store below `root` and records it.
  package static func record(
    _ root: String, _ body: () async throws -> Void
  ) async throws -> WriteLog {
    let before = try DiskImage(of: root)
    let recorder = Recorder(before)
    try await FaultInjector.watching(
      root, judge: { recorder.add($0) }, during: body)
    return WriteLog(before: before, changes: recorder.changes)
  }

  /// The log of a program that forgot this one change: a mutant.
  package func forgetting(_ index: Int) -> WriteLog {
    var log = self
    log.changes.remove(at: index)
    return log
  }

  /// What is there after the process was killed before change `count`, or, `torn`, in the middle of it:
  /// the system keeps everything that was written until then.
  package func killed(after count: Int, torn: Bool) -> DiskImage {
    var image = before
    for change in changes[..<count] { image.apply(change) }
    if torn, count < changes.count, case .write(let path, let offset, let bytes) = changes[count] {
      let half = Array(bytes[..<(bytes.count / 2)])
      image.apply(.write(path, offset: offset, bytes: half))
    }
    return image
  }

  /// What is there after the power failed before change `count`: what was synced, and of the rest
  /// whatever `survival` says.
  package func withoutPower(after count: Int, _ survival: Survival, seed: UInt64) -> DiskImage {
    var disk = UnsyncedDisk(before)
    for change in changes[..<count] { disk.take(change) }
    return disk.afterPowerLoss(survival, seed: seed)
  }
}

/// Writes changes down in order; a write to a file that is not there yet makes it first.
private final class Recorder: Sendable {
  private struct State {
    var changes: [FileChange] = []
    var names: DiskImage
  }
  private let state: Mutex<State>
  var changes: [FileChange] { state.withLock { $0.changes } }

  init(_ before: DiskImage) {
    var names = before
    for path in before.files.keys { names.files[path] = [] }
    state = Mutex(State(names: names))
  }

  func add(_ change: FileChange) -> FaultInjector.Verdict {
    state.withLock { state in
      if case .write(let path, _, _) = change, state.names.files[path] == nil {
        state.changes.append(.create(path))
        state.names.apply(.create(path))
      }
      if change.changesNames { state.names.apply(change) }
      state.changes.append(change)
    }
    return .pass
  }
}
