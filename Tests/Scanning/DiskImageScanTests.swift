import Findings
import FixtureKit
import Glibc
import RuleEngine
import Scanning
import Testing

@Suite struct `Images of disks` {
  private static let leak = Array("user \(Leak.text) of the house\n".utf8)
  private static let filler = Array(
    String(repeating: "nothing to see in this line\n", count: 40).utf8)

  private static func scan(
    _ image: [UInt8], name: String = "disk.img", _ change: (inout ScanOptions) -> Void = { _ in }
  ) async throws -> Report {
    let folder = try TemporaryFolder()
    try folder.write(name, bytes: image)
    return try await folder.scan(needles: [Leak.needle], change)
  }

  private static func database() throws -> [UInt8] {
    let builder = try SQLiteBuilder()
    try builder.execute("CREATE TABLE person (name TEXT, note TEXT)")
    for number in 0..<200 {
      try builder.execute("INSERT INTO person VALUES ('name \(number)', '\(Leak.text.prefix(6))')")
    }
    try builder.execute("INSERT INTO person VALUES ('\(Leak.text)', 'x')")
    return try #require(builder.files()["store.db"])
  }

  @Test func `are read as the files in them, and what was deleted`() async throws {
    var volume = FATVolume()
    volume.add("CLEAN   TXT", Self.filler)
    let live = volume.add("NOTES   TXT", Self.leak)
    volume.add("STORE   DB ", try Self.database())
    volume.add("PACKED  ZIP", ZipBuilder([.init("in.txt", Self.leak)]).bytes())
    let gone = volume.add("OLD     TXT", Self.leak, isDeleted: true)
    let slack = volume.add("SHORT   TXT", Self.filler, slack: Self.leak)
    let free = volume.addUnallocated(Self.leak)
    let report = try await Self.scan(volume.bytes())
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
    #expect(report.inputs.map(\.kind) == ["fat"])
    let found = report.findings.map { finding in
      "\(finding.locator.dropFirst("disk.img".count)) \(finding.liveness.rawValue)"
        + (finding.context.table.map { " \($0)" } ?? "")
    }
    #expect(
      Set(found) == [
        "!/NOTES.TXT live", "!/PACKED.ZIP!/in.txt live", "!/_LD.TXT deleted",
        "!/SHORT.TXT/#slack slack", "!/#unallocated deleted",
        "!/STORE.DB!/page/4/cell/5 live person",
      ], "\(found)")
    let starts = Set(report.findings.compactMap(\.ranges.first?.offset))
    for start in [live + 5, gone + 5, slack + Self.filler.count + 5, free + 5] {
      #expect(starts.contains(start), "\(starts.sorted()) lack \(start)")
    }
  }

  @Test func `in which nothing is are clean`() async throws {
    var volume = FATVolume()
    volume.add("CLEAN   TXT", Self.filler)
    volume.add("OLD     TXT", Self.filler, isDeleted: true)
    let report = try await Self.scan(volume.bytes())
    #expect(report.findings.isEmpty && report.diagnostics.isEmpty, "\(report.diagnostics)")
    #expect(report.run.status == 0)
  }

  @Test func `say which partition a file is in, and which cannot be read`() async throws {
    var volume = FATVolume()
    volume.add("PACKED  ZIP", ZipBuilder([.init("in.txt", Self.leak)]).bytes())
    let clean = [UInt8](repeating: 0, count: 64 << 10)
    var swap = clean
    swap.replaceSubrange(4_086..<4_096, with: Array("SWAPSPACE2".utf8))
    var encrypted = clean
    encrypted.replaceSubrange(0..<8, with: [0x4C, 0x55, 0x4B, 0x53, 0xBA, 0xBE, 0, 2])
    var unknown = clean
    unknown.replaceSubrange(0..<4, with: Array("XFSB".utf8))
    var disk = PartitionedDisk()
    disk.add(1, volume.bytes())
    disk.add(0x82, swap)
    disk.add(0x83, encrypted)
    disk.add(0x83, unknown)
    let report = try await Self.scan(disk.bytes())
    #expect(report.findings.map(\.locator) == ["disk.img!/partition 1/PACKED.ZIP!/in.txt"])
    #expect(
      report.diagnostics.map { "\($0.code.rawValue) \($0.locator)" } == [
        "format.encrypted disk.img!/partition 3", "format.unsupported disk.img!/partition 4",
      ])
  }

  @Test func `hold files larger than what is kept in memory`() async throws {
    var volume = FATVolume()
    volume.add("STORE   DB ", try Self.database())
    let whole = volume.bytes()
    for size in [24 << 20, 4 << 10] {
      let report = try await Self.scan(whole) { $0.limits.memberSize = size }
      #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
      #expect(report.findings.map(\.context.table) == ["person"])
      #expect(report.findings.allSatisfy { !$0.ranges.isEmpty })
    }
  }

  @Test func `are read inside archives, and by any number of tasks`() async throws {
    var volume = FATVolume()
    volume.add("PACKED  ZIP", ZipBuilder([.init("in.txt", Self.leak)]).bytes())
    let folder = try TemporaryFolder()
    let zip = ZipBuilder([.init("a.img", volume.bytes())]).bytes()
    for number in 0..<4 { try folder.write("\(number).zip", bytes: zip) }
    let one = try await folder.scan(needles: [Leak.needle]) { $0.jobs = 1 }
    let many = try await folder.scan(needles: [Leak.needle]) { $0.jobs = 8 }
    #expect(one.findings.map(\.locator).first == "0.zip!/a.img!/PACKED.ZIP!/in.txt")
    #expect(one.timeless == many.timeless)
  }

  @Test func `that are cut or damaged anywhere are survived, and told`() async throws {
    var volume = FATVolume()
    volume.add("NOTES   TXT", Self.leak)
    let whole = volume.bytes()
    let folder = try TemporaryFolder()
    for count in stride(from: 512, to: 24 * 512, by: 1_024) {
      try folder.write("cut\(count).img", bytes: Array(whole.prefix(count)))
    }
    for offset in stride(from: 0, to: 512, by: 32) {
      var bytes = whole
      bytes.replaceSubrange(offset..<offset + 4, with: [0xFF, 0x7F, 0xFF, 0xFF])
      try folder.write("damaged\(offset).img", bytes: bytes)
    }
    let report = try await folder.scan(needles: [Leak.needle])
    #expect(report.inputs.count == 28)
    let cut = report.diagnostics.filter { $0.path.hasPrefix("cut") }
    #expect(Set(cut.map(\.path)).count >= 11, "\(cut.map(\.path))")
    // The bytes are searched whatever the file system says.
    #expect(Set(report.findings.map(\.path)).count >= 16)
  }

  @Test func `whose files lie behind their end say so`() async throws {
    var volume = FATVolume()
    volume.add("NOTES   TXT", Self.leak)
    volume.add("MORE    TXT", Self.filler)
    let whole = volume.bytes()
    let report = try await Self.scan(Array(whole.prefix(21 * 512)))
    #expect(report.diagnostics.allSatisfy { $0.code == .formatDamaged })
    #expect(
      report.diagnostics.contains { $0.locator == "disk.img!/MORE.TXT" }, "\(report.diagnostics)")
    #expect(report.findings.map(\.locator) == ["disk.img!/NOTES.TXT"])
  }

  @Test func `stop where a limit is, and say so`() async throws {
    var volume = FATVolume()
    for number in 0..<9 { volume.add("FILE\(number)   TXT", Self.filler) }
    let report = try await Self.scan(volume.bytes()) { $0.limits.expansion = 4_000 }
    #expect(report.diagnostics.map(\.code) == [.limitExpansion])
  }

  @Test(.enabled(if: access("/sbin/mkfs.ext4", X_OK) == 0, "mkfs.ext4 is not installed"))
  func `of a Linux system are read`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("in/a/notes.txt", bytes: Self.leak)
    try folder.write("in/a/packed.zip", bytes: ZipBuilder([.init("in.txt", Self.leak)]).bytes())
    try folder.write("out/linux.img", bytes: [UInt8](repeating: 0, count: 4 << 20))
    let made = system("/sbin/mkfs.ext4 -q -F -d \(folder["in"]) \(folder["out/linux.img"])")
    try #require(made == 0)
    let report = try await folder.scan(needles: [Leak.needle]) { $0.paths = [folder["out"]] }
    #expect(
      Set(report.findings.map(\.locator)) == [
        "linux.img!/a/notes.txt", "linux.img!/a/packed.zip!/in.txt",
      ])
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }
}
