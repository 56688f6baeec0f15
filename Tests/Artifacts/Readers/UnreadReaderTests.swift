import Artifacts
import Bytes
import Findings
import Testing

@Suite struct `Formats that are not opened` {
  private static let boot: (offset: Int, bytes: [UInt8]) = (510, [0x55, 0xAA])

  /// The trailer of an image of macOS behind some data: where its list of blocks lies.
  static func diskImage(list: UInt8) -> [UInt8] {
    zeros(
      2_048,
      [
        (0, Array("some blocks".utf8)), (1_536, Array("koly\0\0\0\u{4}".utf8)),
        (1_536 + 222, [list, 0]), (1_536 + 231, [0x40]),
      ])
  }

  static let rows: [(kind: String, bytes: [UInt8])] = [
    ("bitlocker", zeros(4_096, [(3, Array("-FVE-FS-".utf8)), boot])),
    ("xfs", zeros(4_096, [(0, Array("XFSB\0\0\u{10}".utf8))])),
    ("f2fs", zeros(4_096, [(1_024, [0x10, 0x20, 0xF5, 0xF2, 1, 0])])),
    ("btrfs", zeros(1 << 17, [(65_600, Array("_BHRfS_M".utf8))])),
    ("erofs", zeros(4_096, [(1_024, [0xE2, 0xE1, 0xF5, 0xE0])])),
    ("vdi", zeros(4_096, [(0, Array("<<< Oracle VM".utf8)), (64, [0x7F, 0x10, 0xDA, 0xBE])])),
    ("squashfs", Array("hsqs".utf8) + [UInt8](repeating: 1, count: 200)),
    ("git-pack", Array("PACK".utf8) + [0, 0, 0, 2, 0, 0, 0, 9] + [UInt8](repeating: 7, count: 99)),
    ("qcow2", [0x51, 0x46, 0x49, 0xFB, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 100)),
    ("ewf", [0x45, 0x56, 0x46, 9, 13, 10, 0xFF, 0, 1, 1, 0] + [UInt8](repeating: 7, count: 99)),
    ("udif", diskImage(list: 1)),
    ("luks", [0x4C, 0x55, 0x4B, 0x53, 0xBA, 0xBE, 0, 2] + [UInt8](repeating: 0, count: 500)),
    ("age", Array("age-encryption.org/v1\n-> X25519 abc\n--- def\n".utf8) + [200, 1, 0, 9]),
    ("pgp-message", Array("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END".utf8)),
    ("pgp-data", [0x85, 1, 12, 3, 1, 2, 3, 4, 5, 6, 7, 8, 1, 7, 255] + [9, 200, 31, 0, 1, 2]),
    ("pgp-data", [0x8C, 13, 4, 9, 3, 8, 1, 2, 3, 4, 5, 6, 7, 8, 96, 210, 0, 1]),
  ]

  private static func chosen(_ bytes: [UInt8]) -> (any ArtifactReader)? { reader(for: bytes) }

  @Test(arguments: rows.indices)
  func `are told by their marks, and that there may be more in them`(row: Int) {
    let (kind, bytes) = Self.rows[row]
    let reader = Self.chosen(bytes)
    #expect(reader?.kind == kind)
    var record = FragmentRecord()
    reader?.read(
      ReaderInput(source: MemorySource(bytes), name: "", touched: .everything), into: &record)
    let isEncrypted = ["luks", "age", "bitlocker", "pgp-message", "pgp-data"].contains(kind)
    #expect(record.diagnostics.map(\.code) == [isEncrypted ? .formatEncrypted : .formatUnsupported])
    #expect(record.diagnostics.allSatisfy { $0.message.contains("(\(kind))") })
    #expect(UnreadReader.isEncrypted(kind: kind) == isEncrypted)
  }

  @Test(arguments: [
    // A part of an image ends in its trailer too.
    diskImage(list: 0xFF), Array("age-encryption is a format".utf8),
    Array("-----BEGIN PGP PUBLIC KEY BLOCK-----\n".utf8), [0x85, 1, 12, 4] + [1, 2, 3, 4, 5],
    // The packs of a game.
    Array("PACK".utf8) + [0, 2, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 99),
    [0x60, 0xEA, 1, 0, 1, 2, 3],
  ])
  func `are not seen in what only resembles them`(bytes: [UInt8]) {
    #expect(reader(for: bytes) as? UnreadReader == nil)
  }

  @Test func `are cut short anywhere without harm`() {
    for (_, bytes) in Self.rows {
      for count in stride(from: 0, to: min(bytes.count, 1_100), by: 7) {
        _ = reader(for: Array(bytes.prefix(count)))
      }
    }
  }
}
