import Bytes
import Findings
import Glibc

/// The scan of a process's memory: every populated page of every region, as it lies. Ranges are
/// addresses; locators are `pid/123!/region/7f12a000-7f12c000`.
struct MemoryScan {
  let task: ScanTask
  let process: Int32
  /// As reports name it.
  let name: String
  let findings: FindingMaker

  private static let readSize = 1 << 20

  func run() -> FileOutcome {
    task.begin(name, below: name) { _ in nil }
    let fragments = task.fragments
    var outcome = FileOutcome()
    let whole = SourceScan(task: task, name: name, depth: 0, steps: [])
    do throws(ReadFailure) {
      let memory = try ProcessMemory(process)
      let byteCount = try scan(memory, into: whole)
      // Memory that goes on changing has no hash worth stating.
      outcome.input = InputRecord(
        path: name, bytes: byteCount, sha256: nil, kind: "process-memory", encrypted: .no)
      whole.endFlood()
      outcome.findings = findings.findings(from: whole, path: name)
    } catch {
      let remedy =
        error.errno == ENOENT
        ? "name a process that runs"
        : "run as root, or as the process's user while it allows core dumps"
      task.report(
        error.errno == ENOENT ? .readVanished : .readPermission,
        "memory cannot be read: \(FileSystem.message(error.errno))", remedy: remedy, steps: [])
    }
    outcome.diagnostics = task.diagnostics
    outcome.fragments = task.fragments - fragments
    return outcome
  }

  private func scan(_ memory: ProcessMemory, into whole: SourceScan) throws(ReadFailure) -> Int {
    var total = 0
    for region in try memory.regions() where !region.isForeign {
      if task.isLate {
        task.reportOnce(
          .limitTime, "reading this process took more than \(Int(task.limits.seconds)) seconds",
          remedy: "scan with a greater --max-time", steps: [])
        break
      }
      total += scan(region, memory, into: whole)
    }
    return total
  }

  /// Pages that follow one another are searched as one.
  private func scan(
    _ region: MemoryRegion, _ memory: ProcessMemory, into whole: SourceScan
  ) -> Int {
    var total = 0
    var buffer = [UInt8](repeating: 0, count: Self.readSize)
    for run in memory.populated(region) {
      let inner = SourceScan(task: task, name: region.label, depth: 1, steps: steps(region))
      let stream = StreamScan(inner, isFile: false)
      var address = run.lowerBound
      while address < run.upperBound, !task.isLate {
        let wanted = min(buffer.count, Int(run.upperBound - address))
        do throws(ReadFailure) {
          let count = try memory.read(at: address, into: &buffer, count: wanted)
          guard count > 0 else { break }
          stream.append(buffer.span.bytes.clamped(to: 0..<count))
          address += UInt(count)
        } catch {
          report(region, error)
          break
        }
      }
      let count = Int(address - run.lowerBound)
      guard count > 0 else { break }
      total += count
      stream.finish()
      adopt(inner, into: whole, region, run.lowerBound..<address)
    }
    return total
  }

  private func adopt(
    _ inner: SourceScan, into whole: SourceScan, _ region: MemoryRegion, _ run: Range<UInt>
  ) {
    var place = Place(
      steps: steps(region),
      origin: .pieces([Piece(offset: 0, source: Int(run.lowerBound), count: run.count)]))
    place.context.section = region.name.isEmpty ? "anonymous memory" : region.name
    whole.adopt(inner, at: place)
  }

  private func steps(_ region: MemoryRegion) -> [String] { ["region", region.label] }

  private func report(_ region: MemoryRegion, _ failure: ReadFailure) {
    task.report(
      .readFailed,
      "\(region.name.isEmpty ? "a region" : region.name) cannot be read: "
        + FileSystem.message(failure.errno),
      remedy: "the kernel hides it even from root (memfd_secret), or it is gone; accept it with"
        + " --allow read.failed",
      steps: steps(region))
  }
}

extension ProcessMemory {
  fileprivate func read(at address: UInt, into buffer: inout [UInt8], count: Int)
    throws(ReadFailure) -> Int
  {
    var failure: ReadFailure?
    let done = buffer.withUnsafeMutableBytes { bytes -> Int in
      do throws(ReadFailure) {
        return try read(at: address, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return done
  }
}
