import Artifacts
import Bytes
import Findings
import Testing

@Suite struct `Reader of disk images` {
  private static let boot: (offset: Int, bytes: [UInt8]) = (510, [0x55, 0xAA])

  private static let rows: [(kind: String, bytes: [UInt8])] = [
    (
      "ext",
      zeros(
        8_192,
        [(1_024, [16, 0, 0, 0]), (1_048, [2, 0, 0, 0]), (1_080, [0x53, 0xEF, 1, 0])])
    ),
    ("apfs", zeros(4_096, [(32, Array("NXSB".utf8))])),
    ("ntfs", zeros(4_096, [(3, Array("NTFS    ".utf8)), boot])),
    ("fat", zeros(4_096, [(54, Array("FAT16   ".utf8)), boot])),
    ("exfat", zeros(4_096, [(3, Array("EXFAT   ".utf8)), boot])),
    ("hfs+", zeros(4_096, [(1_024, Array("H+\0\u{4}".utf8))])),
    ("disk", zeros(4_096, [(512, Array("EFI PART".utf8)), boot])),
    (
      "disk",
      zeros(
        1 << 16,
        [(446, [0x80, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0]), boot])
    ),
  ]

  @Test(arguments: rows.indices)
  func `knows them by their marks, and tells what cannot be opened`(row: Int) {
    let (kind, bytes) = Self.rows[row]
    let chosen = reader(for: bytes)
    #expect(chosen?.kind == kind)
    var record = FragmentRecord()
    chosen?.read(
      ReaderInput(source: MemorySource(bytes), name: "", touched: .everything), into: &record)
    let isDamaged = record.diagnostics.contains { $0.code == .formatDamaged }
    // The partition of one of the disks lies behind its end: there is nothing to open.
    #expect(isDamaged || kind == "disk", "\(record.diagnostics)")
  }

  @Test(arguments: [
    zeros(1 << 16, [boot]), zeros(1 << 16, [(446, [UInt8](repeating: 0x7F, count: 64)), boot]),
    zeros(8_192, [(1_080, [0x53, 0xEF, 99, 99])]), Array("NTFS    is a file system".utf8),
  ])
  func `leaves alone what only resembles one`(bytes: [UInt8]) {
    #expect(reader(for: bytes) as? DiskImageReader == nil)
  }
}
