import Dispatch

/// The threads on which transactions wait for the disk: never those that all tasks share.
final class BlockingWork: TaskExecutor {
  static let shared = BlockingWork()

  private let queue = DispatchQueue(label: "vault.work", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
