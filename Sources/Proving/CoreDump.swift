import Bytes
import CrashImages
import Glibc
import Scanning

/// Writes what a crash of a running process would have written: an ELF core of the memory that the
/// kernel puts into one, without stopping the process (elf(5), core(5)).
enum CoreDump {
  private static let headerSize = 64
  private static let segmentSize = 56

  /// Anonymous memory and what is private of files, but nothing that was marked as not to be dumped.
  static func write(_ process: Int32, to path: String) throws(Folder.Failure) {
    let memory: ProcessMemory
    let regions: [MemoryRegion]
    do throws(ReadFailure) {
      memory = try ProcessMemory(process)
      let hidden = Self.hidden(process)
      regions = try memory.regions().filter { region in
        !region.isForeign && !hidden.contains(region.start)
          && (region.name.isEmpty || region.name.hasPrefix("[") || region.isWritable)
      }
    } catch {
      throw Folder.Failure(errno: error.errno, path: "/proc/\(process)/mem")
    }
    let runs = regions.flatMap { memory.populated($0) }
    var bytes = header(segments: runs.count)
    var offset = headerSize + segmentSize * runs.count
    for run in runs {
      bytes += segment(run, at: offset)
      offset += run.count
    }
    for run in runs { bytes += read(memory, run) }
    try Folder.write(bytes, to: path)
  }

  private static func read(_ memory: ProcessMemory, _ run: Range<UInt>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: run.count)
    _ = try? bytes.withUnsafeMutableBytes { try memory.read(at: run.lowerBound, into: $0) }
    return bytes
  }

  /// Regions with the flag `dd`, by their start.
  private static func hidden(_ process: Int32) -> Set<UInt> {
    guard let file = fopen("/proc/\(process)/smaps", "r") else { return [] }
    defer { fclose(file) }
    var hidden: Set<UInt> = []
    var region: UInt?
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, file) > 0, let line {
      let text = String(cString: line).dropLast()
      if let found = MemoryRegion(line: text) { region = found.start }
      if text.hasPrefix("VmFlags:"), text.split(separator: " ").contains("dd"), let region {
        hidden.insert(region)
      }
    }
    return hidden
  }

  private static func header(segments: Int) -> [UInt8] {
    var bytes: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
    #if arch(arm64)
      let machine: UInt16 = 183
    #else
      let machine: UInt16 = 62
    #endif
    bytes.append(little: UInt16(4))  // ET_CORE
    bytes.append(little: machine)
    bytes.append(little: UInt32(1))
    bytes.append(little: UInt64(0))
    bytes.append(little: UInt64(headerSize))
    bytes.append(little: UInt64(0))
    bytes.append(little: UInt32(0))
    for value in [headerSize, segmentSize, min(segments, 0xffff), 0, 0, 0] {
      bytes.append(little: UInt16(value))
    }
    return bytes
  }

  private static func segment(_ run: Range<UInt>, at offset: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(little: UInt32(1))  // PT_LOAD
    bytes.append(little: UInt32(6))
    for value in [UInt64(offset), UInt64(run.lowerBound), 0, UInt64(run.count), UInt64(run.count)] {
      bytes.append(little: value)
    }
    bytes.append(little: UInt64(4096))
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(little value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

/// Writing into the memory of a driver that is about to be ended: only to plant a leak there.
enum PlantedMemory {
  /// Writes bytes to the far end of the stack, which the process is not using; true if they are there.
  static func plant(_ bytes: [UInt8], in process: Int32) -> Bool {
    guard let memory = try? ProcessMemory(process), let regions = try? memory.regions(),
      let stack = regions.first(where: { $0.name == "[stack]" }),
      let run = memory.populated(stack).first, run.count > bytes.count
    else { return false }
    let descriptor = open("/proc/\(process)/mem", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return pwrite(descriptor, bytes, bytes.count, off_t(run.lowerBound)) == bytes.count
  }
}
