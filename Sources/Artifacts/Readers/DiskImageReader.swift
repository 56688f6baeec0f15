import Bytes
import Findings
import Formats

/// Images of disks and file systems: the files in them, those that were deleted and can still be had, and
/// what lies where no file is. The Sleuth Kit reads them, in a program of its own.
package struct DiskImageReader: ArtifactReader {
  package var kind: String { format.rawValue }
  package var isBinary: Bool { true }
  private let format: Format

  package init(_ format: Format) {
    self.format = format
  }

  package enum Format: String, CaseIterable, Sendable {
    case ext, apfs, ntfs, exfat, fat
    case hfs = "hfs+"
    /// A table of partitions, and what is in them.
    case disk
  }

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    switch format {
    case .ext: Self.isExtended(head)
    case .apfs: head.hasBytes("NXSB", at: 32)
    case .ntfs: Self.isBootSector(head) && head.hasBytes("NTFS    ", at: 3)
    case .exfat: Self.isBootSector(head) && head.hasBytes("EXFAT   ", at: 3)
    case .fat:
      Self.isBootSector(head)
        && (head.hasBytes("FAT1", at: 54) || head.hasBytes("FAT32   ", at: 82))
    case .hfs: head.hasBytes("H+\0\u{4}", at: 1024) || head.hasBytes("HX\0\u{5}", at: 1024)
    case .disk: head.hasBytes("EFI PART", at: 512) || Self.isPartitioned(head, byteCount)
    }
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    _ = readKeepingPlaces(input, into: &sink)
  }

  package func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    // No program is started for what is none.
    guard let head = try? input.source.bytes(at: 0, count: 4096),
      recognises(head.span.bytes, byteCount: input.source.byteCount, name: input.name)
    else { return nil }
    do throws(ImageProcess.StartFailure) {
      let process = try ImageProcess(
        reading: input.source, as: format == .disk ? .disk : .volume)
      var walk = DiskImageWalk(kind: kind, input)
      walk.run(process, into: &sink)
      return walk.places
    } catch {
      report(error, into: &sink)
      return nil
    }
  }

  private func report(_ failure: ImageProcess.StartFailure, into sink: inout some FragmentSink) {
    let reason =
      switch failure {
      case .missing(let missing): "\(missing.name), which comes with the program, is not beside it"
      case .system(let failure):
        "starting the program that reads them failed (errno \(failure.errno))"
      }
    sink.diagnostic(
      .formatUnsupported,
      "image of a disk or file system (\(kind)): searched as it lies, files in it were not opened: \(reason)",
      remedy: "install with make install, or mount it read-only and scan the files in it", steps: []
    )
  }

  /// The superblock of ext2 to ext4: its magic, a state, and blocks of a size there is
  /// (kernel.org, ext4 data structures, §3.1).
  private static func isExtended(_ head: RawSpan) -> Bool {
    guard head.hasBytes([0x53, 0xEF], at: 1080),
      let state = try? head.littleEndianInteger(at: 1082, as: UInt16.self),
      let blockSize = try? head.littleEndianInteger(at: 1048, as: UInt32.self),
      let inodes = try? head.littleEndianInteger(at: 1024, as: UInt32.self)
    else { return false }
    return state <= 7 && blockSize <= 6 && inodes > 0
  }

  static func isBootSector(_ head: RawSpan) -> Bool {
    head.hasBytes([0x55, 0xAA], at: 510)
  }

  /// A table of partitions: four entries, each unused or in use, and one at least that says where it lies.
  private static func isPartitioned(_ head: RawSpan, _ byteCount: Int) -> Bool {
    guard isBootSector(head), byteCount >= 1 << 16, byteCount.isMultiple(of: 512) else {
      return false
    }
    var used = 0
    for entry in stride(from: 446, to: 510, by: 16) {
      guard let status = head[at: entry], status & 0x7F == 0, let type = head[at: entry + 4],
        let first = try? head.littleEndianInteger(at: entry + 8, as: UInt32.self),
        let count = try? head.littleEndianInteger(at: entry + 12, as: UInt32.self)
      else { return false }
      guard (type == 0) == (count == 0), (first == 0) == (count == 0) else { return false }
      if type != 0 { used += 1 }
    }
    return used > 0
  }
}
