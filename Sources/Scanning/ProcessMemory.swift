package import Bytes
import Glibc

/// One stretch of a process's address space (proc(5), `/proc/PID/maps`).
package struct MemoryRegion: Equatable, Sendable {
  package var start: UInt
  package var end: UInt
  package var isReadable: Bool
  package var isWritable: Bool
  package var isShared: Bool
  /// Offset in the mapped file.
  package var offset: UInt
  /// The mapped file, `[heap]`, `[stack]`, or nothing for anonymous memory.
  package var name: String

  package var byteCount: Int { Int(end - start) }

  /// As locators name it.
  package var label: String {
    String(start, radix: 16) + "-" + String(end, radix: 16)
  }

  /// A line such as `7f12a000-7f12c000 rw-p 00000000 00:00 0   [heap]`.
  package init?(line: some StringProtocol) {
    let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    guard words.count >= 5 else { return nil }
    let ends = words[0].split(separator: "-")
    let access = Array(words[1].utf8)
    guard ends.count == 2, access.count == 4, let start = UInt(ends[0], radix: 16),
      let end = UInt(ends[1], radix: 16), start < end, let offset = UInt(words[2], radix: 16)
    else { return nil }
    self.start = start
    self.end = end
    self.offset = offset
    isReadable = access[0] == UInt8(ascii: "r")
    isWritable = access[1] == UInt8(ascii: "w")
    isShared = access[3] == UInt8(ascii: "s")
    name = words.count > 5 ? String(words[5].drop { $0 == " " }) : ""
  }

  /// Pages that the kernel shows to every process, and devices, whose reading can do something.
  package var isForeign: Bool {
    name.hasPrefix("[vvar") || name == "[vsyscall]" || name == "[vdso]"
      || name.hasPrefix("/dev/") && !name.hasPrefix("/dev/shm/") && name != "/dev/zero"
  }
}

/// The memory of a running process, read through `/proc/PID/mem` and never written to. The process goes
/// on running.
package final class ProcessMemory {
  package let process: Int32
  private let memory: Int32
  private let pages: Int32
  private static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

  package init(_ process: Int32) throws(ReadFailure) {
    self.process = process
    memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else {
      pages = -1
      throw ReadFailure(errno: errno)
    }
    // Tells which pages there are; without it all of a region is read.
    pages = open("/proc/\(process)/pagemap", O_RDONLY | O_CLOEXEC)
  }

  deinit {
    if memory >= 0 { close(memory) }
    if pages >= 0 { close(pages) }
  }

  package func regions() throws(ReadFailure) -> [MemoryRegion] {
    let file = open("/proc/\(process)/maps", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw ReadFailure(errno: errno) }
    defer { close(file) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw ReadFailure(errno: errno) }
      if count == 0 { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .compactMap { MemoryRegion(line: $0) }
  }

  /// The runs of pages of a region that are in memory or in swap: the rest reads as zeros, or as the
  /// file it is mapped from.
  package func populated(_ region: MemoryRegion) -> [Range<UInt>] {
    guard pages >= 0 else { return [region.start..<region.end] }
    let size = UInt(Self.pageSize)
    var runs: [Range<UInt>] = []
    var entries = [UInt64](repeating: 0, count: 4096)
    var page = region.start / size
    let last = region.end / size
    while page < last {
      let wanted = min(entries.count, Int(last - page))
      let count = pread(pages, &entries, wanted * 8, off_t(page) * 8)
      guard count >= 8 else { return runs + [page * size..<region.end] }
      for index in 0..<count / 8 where entries[index] >> 62 != 0 {
        let start = (page + UInt(index)) * size
        if let run = runs.last, run.upperBound == start {
          runs[runs.count - 1] = run.lowerBound..<start + size
        } else {
          runs.append(start..<start + size)
        }
      }
      page += UInt(count / 8)
    }
    return runs
  }

  /// Reads bytes from an address on; fewer where the memory ends, nothing where it may not be read.
  package func read(at address: UInt, into buffer: UnsafeMutableRawBufferPointer)
    throws(ReadFailure) -> Int
  {
    var done = 0
    while done < buffer.count {
      let start = buffer.baseAddress.map { $0 + done }
      let count = pread(
        memory, start, buffer.count - done, off_t(truncatingIfNeeded: address + UInt(done)))
      if count < 0, errno == EINTR { continue }
      if count < 0, done == 0 { throw ReadFailure(errno: errno) }
      if count <= 0 { break }
      done += count
    }
    return done
  }
}
