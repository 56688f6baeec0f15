import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

@Suite struct `Containers behind the end of a program` {
  /// Programs of a few bytes, whose headers speak of all of them.
  enum Program: CaseIterable, Sendable {
    case elf, elfHead, machO, pe, script

    var bytes: [UInt8] {
      switch self {
      case .elf: Self.elf(sections: 0)
      case .elfHead: Array(Self.elf(sections: 1 << 40).prefix(64))
      case .machO: Self.thinMachO
      case .pe: Self.portable
      case .script: Array(("#!/bin/sh\n" + String(repeating: "true\n", count: 2_000)).utf8)
      }
    }

    /// A header, and one segment of the whole file.
    private static func elf(sections: UInt64) -> [UInt8] {
      var bytes: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
      for value in [2, 62] as [UInt16] { bytes.appendLittleEndian(value) }
      bytes.appendLittleEndian(UInt32(1))
      for value in [0x40_0078, 64, sections] as [UInt64] { bytes.appendLittleEndian(value) }
      bytes.appendLittleEndian(UInt32(0))
      for value in [64, 56, 1, 64, 0, 0] as [UInt16] { bytes.appendLittleEndian(value) }
      for value in [1, 5] as [UInt32] { bytes.appendLittleEndian(value) }
      for value in [0, 0x40_0000, 0x40_0000, 200, 200, 4_096] as [UInt64] {
        bytes.appendLittleEndian(value)
      }
      return bytes + [UInt8](repeating: 0x90, count: 200 - bytes.count)
    }

    private static var thinMachO: [UInt8] {
      var bytes: [UInt8] = []
      for value in [0xfeed_facf, 0x100_000c, 0, 2, 1, 72, 0, 0] as [UInt32] {
        bytes.appendLittleEndian(value)
      }
      for value in [0x19, 72] as [UInt32] { bytes.appendLittleEndian(value) }
      bytes += Array("__TEXT".utf8) + [UInt8](repeating: 0, count: 10)
      for value in [0, 300, 0, 300] as [UInt64] { bytes.appendLittleEndian(value) }
      for value in [5, 5, 0, 0] as [UInt32] { bytes.appendLittleEndian(value) }
      return bytes + [UInt8](repeating: 0x1f, count: 300 - bytes.count)
    }

    private static var portable: [UInt8] {
      var bytes = Array("MZ".utf8) + [UInt8](repeating: 0, count: 58)
      bytes.appendLittleEndian(UInt32(64))
      bytes += Array("PE\0\0".utf8)
      for value in [0x8664, 1] as [UInt16] { bytes.appendLittleEndian(value) }
      bytes += [UInt8](repeating: 0, count: 16) + Array(".text\0\0\0".utf8)
      for value in [100, 0x1000, 128, 256, 0, 0, 0, 0] as [UInt32] {
        bytes.appendLittleEndian(value)
      }
      return bytes + [UInt8](repeating: 0xcc, count: 384 - bytes.count)
    }
  }

  enum Container: CaseIterable, Sendable {
    case gzip, sevenZip, tar, settingsAndSevenZip, zip

    func bytes(_ content: String) -> [UInt8]? {
      let entry = ArchiveFixture.Entry("inner.txt", content)
      switch self {
      case .gzip: return DeflateFixture.compress(Array(content.utf8), .gzip)
      case .sevenZip: return ArchiveFixture.write(.sevenZip, [entry])
      case .tar: return ArchiveFixture.write(.ustar, filter: "xz", [entry])
      case .settingsAndSevenZip:
        return ArchiveFixture.write(.sevenZip, [entry]).map {
          Array(";!@Install@!UTF-8!\nTitle=\"x\"\n;!@InstallEnd@!".utf8) + $0
        }
      case .zip: return ZipBuilder([ZipBuilder.Entry("inner.txt", content)]).bytes()
      }
    }
  }

  /// Text that compresses, so that the raw bytes do not show it.
  private static let content = String(repeating: "line of filler\n", count: 40) + Leak.text + "\n"

  @Test(arguments: Program.allCases, Container.allCases)
  func `are read`(program: Program, container: Container) async throws {
    let folder = try TemporaryFolder()
    let packed = try #require(container.bytes(Self.content))
    try folder.write("setup", bytes: program.bytes + packed)
    let report = try await folder.scan()
    // A shell script runs up to its last line: settings behind it would be its commands.
    let isText = program == .script && container == .settingsAndSevenZip
    if !isText { #expect(report.findings.count == 1, "\(report.diagnostics)") }
    #expect(report.findings.allSatisfy { $0.locator.hasPrefix("setup!/") })
    let clean = try #require(container.bytes(Self.content.replacing("Zebra", with: "Horse")))
    try folder.write("setup", bytes: program.bytes + clean)
    #expect(try await folder.scan().findings.isEmpty)
  }

  @Test(arguments: Program.allCases)
  func `are not looked for where nothing is`(program: Program) async throws {
    let folder = try TemporaryFolder()
    for length in stride(from: 1, through: program.bytes.count, by: 7) {
      try folder.write("setup", bytes: Array(program.bytes.prefix(length)))
      let report = try await folder.scan()
      #expect(report.findings.isEmpty)
      #expect(!report.codes.contains(.readFailed))
    }
  }
}
