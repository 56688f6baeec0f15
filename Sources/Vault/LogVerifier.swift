import SecretBytes
import VaultKeys

/// Checks that a write-ahead log belongs to the database it lies beside, before SQLite sees it.
///
/// SQLite trusts a log by its own checksums, which need no key: a log of another database would be
/// written into this one when it is opened, and destroy it. So every page that SQLite would take from
/// the log must carry this database's authentication code. (An older log of the same database passes:
/// nothing in the files tells it apart.)
///
///     header  magic 4 ‖ version 4 ‖ page size 4 ‖ sequence 4 ‖ salts 8 ‖ checksum 8
///     frame   page number 4 ‖ size after commit 4 ‖ salts 8 ‖ checksum 8 ‖ page
struct LogVerifier {
  private static let headerCount = 32
  private static let frameCount = 24 + CipherFormat.pageSize
  /// The lowest bit of the magic says in which byte order checksums are computed.
  private static let magic: UInt32 = 0x377f_0682

  let format: CipherFormat

  /// Throws `staleSidecar` if a committed page of the log is not the database's.
  func verify(
    log path: String, of database: String, key: borrowing SecretBytes
  ) throws(VaultError) {
    let size = Disk.size(path) ?? 0
    guard size > 0 else { return }
    let header = try onDisk { () throws(DiskFailure) in
      try Disk.read(path, limit: Self.headerCount)
    }
    guard var sum = LogChecksum(header: header, magic: Self.magic) else {
      // SQLite starts such a log over: nothing of it is used.
      return
    }
    let salt = try onDisk { () throws(DiskFailure) in try Disk.read(database, limit: 16) }
    let code = try PageCode(format: format, key: key, salt: salt)
    var waiting: [Bool] = []
    for offset in stride(from: Self.headerCount, to: size, by: Self.frameCount) {
      let frame = try onDisk { () throws(DiskFailure) in
        try Disk.read(path, at: offset, limit: Self.frameCount)
      }
      guard frame.count == Self.frameCount, frame[8..<16].elementsEqual(header[16..<24]),
        sum.matches(frame)
      else { return }
      let number = Int(frame.bigEndian(at: 0))
      waiting.append(code.isGenuine(frame[24...], number: number))
      if frame.bigEndian(at: 4) != 0 {
        guard waiting.allSatisfy({ $0 }) else { throw .staleSidecar }
        waiting = []
      }
    }
  }
}

/// The running checksum over a log (SQLite file format, §4.2).
private struct LogChecksum {
  private var first: UInt32 = 0
  private var second: UInt32 = 0
  private let isBigEndian: Bool

  /// Nothing if the header is not that of a log with our page size.
  init?(header: [UInt8], magic: UInt32) {
    guard header.count == 32, header.bigEndian(at: 0) & ~1 == magic,
      header.bigEndian(at: 8) == UInt32(CipherFormat.pageSize)
    else { return nil }
    isBigEndian = header.bigEndian(at: 0) & 1 == 1
    add(header[0..<24])
    guard first == header.bigEndian(at: 24), second == header.bigEndian(at: 28) else {
      return nil
    }
  }

  /// Whether the frame continues the log.
  mutating func matches(_ frame: [UInt8]) -> Bool {
    add(frame[0..<8])
    add(frame[24...])
    return first == frame.bigEndian(at: 16) && second == frame.bigEndian(at: 20)
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
        first &+= word(bytes, offset) &+ second
        second &+= word(bytes, offset + 4) &+ first
      }
    }
  }

  private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    let stored = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return isBigEndian ? UInt32(bigEndian: stored) : UInt32(littleEndian: stored)
  }
}

extension [UInt8] {
  fileprivate func bigEndian(at offset: Int) -> UInt32 {
    self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
