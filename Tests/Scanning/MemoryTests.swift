import Findings
import Foundation
import RuleEngine
import Scanning
import Testing

/// A shell that keeps a value it was told in a variable, for as long as this lives.
private final class Holder {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  let identifier: Int32

  init(_ value: String) throws {
    process.executableURL = URL(filePath: "/bin/sh")
    // The value is in no argument and no variable of the environment: those lie in every process's
    // memory, of the starting one too.
    process.arguments = ["-c", "read -r value; echo ready; read -r end"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    identifier = process.processIdentifier
    try input.fileHandleForWriting.write(contentsOf: Data((value + "\n").utf8))
    _ = try output.fileHandleForReading.read(upToCount: 6)
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

@Suite struct `A process's memory` {
  private func report(_ processes: [Int32]) async throws -> Report {
    var options = ScanOptions()
    options.processes = processes
    options.needles = [Leak.needle]
    // What the kernel hides from everybody is nothing that these tests are about.
    options.allowed = [.readFailed]
    return try await Scanner(options).scan()
  }

  /// Whether this system lets a process look at the memory of another.
  private func canRead(_ process: Int32) -> Bool {
    let memory = open("/proc/\(process)/mem", O_RDONLY)
    defer { if memory >= 0 { close(memory) } }
    return memory >= 0
  }

  @Test func `shows a value that it holds, at the address where it lies`() async throws {
    let holder = try Holder("before \(Leak.text) after")
    guard canRead(holder.identifier) else { return }
    let report = try await report([holder.identifier])
    let finding = try #require(report.findings.first { $0.needle == Leak.needle.id })
    #expect(finding.path == "pid/\(holder.identifier)")
    #expect(finding.locator.hasPrefix("pid/\(holder.identifier)!/region/"))
    #expect(!finding.sample.contains(Leak.text))
    #expect(report.run.status == 1)
    let input = try #require(report.inputs.first)
    #expect(input.kind == "process-memory" && input.bytes > 4096 && input.sha256 == nil)

    // A second person finds the same bytes at the same address.
    let range = try #require(finding.ranges.first)
    var bytes = [UInt8](repeating: 0, count: range.length)
    let memory = open("/proc/\(holder.identifier)/mem", O_RDONLY)
    defer { close(memory) }
    #expect(pread(memory, &bytes, bytes.count, off_t(range.offset)) == bytes.count)
    #expect(String(decoding: bytes, as: UTF8.self).contains(Leak.text))
  }

  @Test func `of another process is clean, and counted as read`() async throws {
    let holder = try Holder("nothing of interest")
    guard canRead(holder.identifier) else { return }
    let report = try await report([holder.identifier])
    #expect(report.findings.isEmpty)
    // Programs and libraries lie in it too: they are no files here, and nothing of them was left out.
    #expect(report.run.status == 0, "\(report.diagnostics)")
    #expect((report.inputs.first?.bytes ?? 0) > 4096)
  }

  @Test func `of several processes is told apart`() async throws {
    let (clean, leaking) = (try Holder("nothing"), try Holder(Leak.text))
    guard canRead(leaking.identifier) else { return }
    let report = try await report([clean.identifier, leaking.identifier])
    #expect(Set(report.findings.map(\.path)) == ["pid/\(leaking.identifier)"])
    #expect(report.inputs.count == 2)
  }

  @Test func `that is gone cannot be scanned`() async throws {
    await #expect(throws: Scanner.StartError.self) { try await report([999_999_999]) }
  }

  @Test(arguments: [
    ("7f12a000-7f12c000 rw-p 00001000 08:01 42   /usr/lib/a b.so", "/usr/lib/a b.so", 8192),
    ("1000-2000 r--s 00000000 00:00 0", "", 4096),
  ])
  func `is described by lines that name its regions`(line: String, name: String, count: Int)
    throws
  {
    let region = try #require(MemoryRegion(line: line))
    #expect(region.name == name && region.byteCount == count)
    #expect(MemoryRegion(line: line.replacing("000-", with: "zzz-")) == nil)
  }

  @Test(arguments: [
    "", "1000-1000 rw-p 0 00:00 0", "2000-1000 rw-p 0 00:00 0", "1000-2000 rw 0 0 0",
  ])
  func `has no region in a line that is none`(line: String) {
    #expect(MemoryRegion(line: line) == nil)
  }
}
