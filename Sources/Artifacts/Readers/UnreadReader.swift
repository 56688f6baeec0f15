package import Bytes
import Findings
import Formats

/// Formats that are known and not opened: packed images of disks, archives of programs that nobody reads
/// here, and what is encrypted as a whole. Their bytes are searched as they lie; that more may be in
/// them is told, so that nobody takes silence for an answer.
package struct UnreadReader: ArtifactReader {
  package var kind: String { format.rawValue }
  package var isBinary: Bool { !format.isText }
  private let format: Format

  package init(_ format: Format) {
    self.format = format
  }

  /// One of them, as reports name it.
  package enum Format: String, CaseIterable, Sendable {
    // File systems that nobody reads here: what is stored in them without compression was seen.
    case xfs, btrfs, f2fs, ubi
    // Images and archives that pack what they hold.
    case udif, squashfs, erofs, cramfs, qcow2, vmdk, vhdx, vhd, vdi, ewf, aff, wim, ace, arj, zoo,
      lzo
    case pst, parquet
    case sparseImage = "sparse-image"
    case snappy = "snappy-framed"
    case gitPack = "git-pack"
    // Ciphertext.
    case luks, age, bitlocker
    case encryptedImage = "encrypted-image"
    case armored = "pgp-message"
    case message = "pgp-data"

    /// Whether it starts as a text does.
    package var isText: Bool { self == .age || self == .armored }
  }

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    switch format {
    case .xfs: head.hasBytes("XFSB\0\0")
    case .f2fs: head.hasBytes([0x10, 0x20, 0xF5, 0xF2], at: 1024)
    case .ubi: head.hasBytes("UBI#\u{1}\0\0\0")
    case .btrfs, .udif: false
    case .erofs: head.hasBytes([0xE2, 0xE1, 0xF5, 0xE0], at: 1024)
    case .cramfs: head.hasBytes("Compressed ROMFS", at: 16)
    case .vdi: head.hasBytes([0x7F, 0x10, 0xDA, 0xBE], at: 64)
    case .squashfs: head.hasBytes("hsqs") || head.hasBytes("sqsh")
    case .qcow2: head.hasBytes([0x51, 0x46, 0x49, 0xFB])
    case .vmdk: head.hasBytes("KDMV") || head.hasBytes("COWD")
    case .vhdx: head.hasBytes("vhdxfile")
    case .vhd: head.hasBytes("conectix")
    case .ewf:
      head.hasBytes([0x45, 0x56, 0x46, 0x09, 0x0D, 0x0A, 0xFF, 0])
        || head.hasBytes([0x45, 0x56, 0x46, 0x32, 0x0D, 0x0A, 0x81, 0])
    case .aff: head.hasBytes("AFF10\r\n")
    case .wim: head.hasBytes("MSWIM\0\0\0")
    case .ace: head.hasBytes("**ACE**", at: 7)
    case .arj: Self.isArj(head)
    case .zoo: head.hasBytes([0xDC, 0xA7, 0xC4, 0xFD], at: 20)
    case .lzo: head.hasBytes([0x89, 0x4C, 0x5A, 0x4F, 0, 0x0D, 0x0A, 0x1A, 0x0A])
    case .pst: head.hasBytes("!BDN")
    case .parquet: head.hasBytes("PAR1") && byteCount > 12
    case .sparseImage: head.hasBytes("sprs\0\0\0\u{3}")
    case .snappy: head.hasBytes([0xFF, 6, 0, 0]) && head.hasBytes("sNaPpY", at: 4)
    // Versions 2 and 3, the number in network order (gitformat-pack(5)).
    case .gitPack: head.hasBytes("PACK\0\0\0\u{2}") || head.hasBytes("PACK\0\0\0\u{3}")
    case .luks: head.hasBytes([0x4C, 0x55, 0x4B, 0x53, 0xBA, 0xBE])
    case .age: head.hasBytes("age-encryption.org/v")
    case .bitlocker: DiskImageReader.isBootSector(head) && head.hasBytes("-FVE-FS-", at: 3)
    case .encryptedImage: head.hasBytes("encrcdsa")
    case .armored: head.hasBytes("-----BEGIN PGP MESSAGE-----")
    case .message: Self.isMessage(head)
    }
  }

  package func recognisesElsewhere(in source: any ByteSource) -> Bool {
    switch format {
    case .udif: Self.endsImage(source)
    // The superblock, which may lie nowhere else (btrfs, on-disk format).
    case .btrfs:
      (try? source.bytes(at: 65_600, count: 8))?.elementsEqual("_BHRfS_M".utf8) == true
    default: false
    }
  }

  /// An image of macOS has its trailer in the last sector; its list of blocks must lie before it, as it does
  /// in no part of the image.
  private static func endsImage(_ source: any ByteSource) -> Bool {
    guard source.byteCount >= 512,
      let end = try? source.bytes(at: source.byteCount - 512, count: 512)
    else { return false }
    let trailer = end.span.bytes
    guard trailer.hasBytes("koly\0\0\0\u{4}"),
      let list = try? trailer.integer(at: 216, as: UInt64.self),
      let count = try? trailer.integer(at: 224, as: UInt64.self)
    else { return false }
    let room = UInt64(source.byteCount - 512)
    return list <= room && count <= room - list
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    switch format.nature {
    case .files:
      sink.diagnostic(
        .formatUnsupported,
        "file system that is not read (\(kind)): searched as it lies, files in it were not opened",
        remedy: "mount it read-only and scan the files in it", steps: [])
    case .packed:
      sink.diagnostic(
        .formatUnsupported, "what is packed in it (\(kind)) was not unpacked",
        remedy: Remedy.unsupported, steps: [])
    case .encrypted:
      sink.diagnostic(
        .formatEncrypted, "encrypted as a whole (\(kind)): nothing in it could be read",
        remedy: Remedy.encrypted, steps: [])
    }
  }

  /// Whether sources of a kind are ciphertext; nothing where it is none of these.
  package static func isEncrypted(kind: String) -> Bool? {
    Format(rawValue: kind).map { $0.nature == .encrypted }
  }
}

extension UnreadReader.Format {
  fileprivate enum Nature { case files, packed, encrypted }

  fileprivate var nature: Nature {
    switch self {
    case .xfs, .btrfs, .f2fs, .ubi: .files
    case .udif, .squashfs, .erofs, .cramfs, .qcow2, .vmdk, .vhdx, .vhd, .vdi, .ewf, .aff, .wim,
      .ace, .arj, .zoo, .lzo, .pst, .parquet, .sparseImage, .snappy, .gitPack:
      .packed
    case .luks, .age, .bitlocker, .encryptedImage, .armored, .message: .encrypted
    }
  }
}

extension UnreadReader {
  /// The main header: its size, that of its first part, and versions (ARJ's technote).
  private static func isArj(_ head: RawSpan) -> Bool {
    guard head.hasBytes([0x60, 0xEA]),
      let size = try? head.littleEndianInteger(at: 2, as: UInt16.self), let first = head[at: 4],
      let kind = head[at: 10]
    else { return false }
    return (30...2600).contains(size) && (30...size).contains(UInt16(first)) && kind == 2
  }

  /// A session key for a public key, or for a passphrase, before what it encrypts (RFC 9580, §5.1, §5.3).
  private static func isMessage(_ head: RawSpan) -> Bool {
    let algorithms: Set<UInt8> = [1, 2, 16, 18, 25, 26]
    switch head[at: 0] {
    case 0x84: return head[at: 2] == 3 && algorithms.contains(head[at: 11] ?? 0)
    case 0x85:
      guard let size = try? head.integer(at: 1, as: UInt16.self) else { return false }
      return size < 2_048 && head[at: 3] == 3 && algorithms.contains(head[at: 12] ?? 0)
    case 0x8C, 0xC3:
      let iterated = head.hasBytes([0x0D, 4], at: 1) && head[at: 4] == 3
      return iterated && (1...13).contains(head[at: 3] ?? 0) && (1...14).contains(head[at: 5] ?? 0)
    case 0xC1:
      let long = (192..<224).contains(head[at: 1] ?? 0) ? 1 : 0
      return head[at: 2 + long] == 3 && algorithms.contains(head[at: 11 + long] ?? 0)
    default: return false
    }
  }
}
