package import Bytes

/// An embedded code signature: a SuperBlob of blobs, each in a numbered slot (xnu `cs_blobs.h`). All
/// numbers are big-endian.
package struct CodeSignature: Sendable {
  /// Slots of the SuperBlob; special slot −n of a CodeDirectory hashes the blob of slot n.
  package enum Slot: UInt32, Sendable {
    case codeDirectory = 0
    case info = 1
    case requirements = 2
    case resources = 3
    case entitlements = 5
    case derEntitlements = 7
    case signature = 0x10000
  }

  /// How a blob's hash in a CodeDirectory compares with the blob.
  package enum Agreement: String, Sendable {
    case matches, differs
    /// The directory has no hash in that slot.
    case unhashed
    /// The directory hashes something that the signature does not hold.
    case absent
  }

  /// CodeDirectory: magic, length, version, flags, offset of hashes, offset of identifier, special and
  /// code slot counts, code limit, hash size, hash type, platform, page size.
  package struct Directory: Equatable, Sendable {
    package var version: UInt32
    package var flags: UInt32
    package var identifier: String
    package var team: String?
    package var hashType: UInt8
    /// Exponent of the page size; 0 is one page of any size.
    package var pageExponent: UInt8
    package var codeLimit: Int
    package var hashSize: Int
    package var specialCount: Int
    package var codeCount: Int
    var hashes: Int
    var blob: Range<Int>

    package var hashName: String {
      switch hashType {
      case 1: "sha1"
      case 2: "sha256"
      case 3: "sha256-truncated"
      case 4: "sha384"
      default: "hash-\(hashType)"
      }
    }

    /// CS_ADHOC: signed by nobody.
    package var isAdHoc: Bool { flags & 2 != 0 }

    func digest(_ bytes: RawSpan) -> [UInt8]? {
      switch hashType {
      case 1: Digest.sha1(bytes)
      case 2: Digest.sha256(bytes)
      case 3: Array(Digest.sha256(bytes).prefix(20))
      case 4: Digest.sha384(bytes)
      default: nil
      }
    }
  }

  private static let largestBlobCount = 256

  /// Blobs by slot, as ranges of the signature.
  private var blobs: [UInt32: Range<Int>] = [:]
  /// The CodeDirectories: the first, then alternate ones.
  package private(set) var directories: [Directory] = []
  private let bytes: [UInt8]
  /// Whether blobs lie outside the signature or overlap its end.
  package private(set) var isDamaged = false

  /// SuperBlob: magic 0xfade0cc0, length, count, then type and offset of each blob.
  package init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    let span = unsafe bytes.span.bytes
    guard (try? span.integer(at: 0, as: UInt32.self)) == 0xFADE_0CC0,
      let count = try? span.integer(at: 8, as: UInt32.self)
    else { return nil }
    for index in 0..<min(Int(count), Self.largestBlobCount) {
      guard let type = try? span.integer(at: 12 + index * 8, as: UInt32.self),
        let offset = try? span.integer(at: 16 + index * 8, as: UInt32.self),
        let length = try? span.integer(at: Int(offset) + 4, as: UInt32.self),
        length >= 8, Int(length) <= span.byteCount - Int(offset)
      else {
        isDamaged = true
        continue
      }
      blobs[type] = blobs[type] ?? Int(offset)..<Int(offset) + Int(length)
    }
    isDamaged = isDamaged || Int(count) > Self.largestBlobCount
    for slot in blobs.keys.sorted() where slot == 0 || (0x1000..<0x1010).contains(slot) {
      if let range = blobs[slot], let directory = directory(at: range, in: span) {
        directories.append(directory)
      } else {
        isDamaged = true
      }
    }
  }

  private func directory(at blob: Range<Int>, in span: RawSpan) -> Directory? {
    let start = blob.lowerBound
    let bytes = span.clamped(to: blob)
    guard (try? bytes.integer(at: 0, as: UInt32.self)) == 0xFADE_0C02,
      let version = try? bytes.integer(at: 8, as: UInt32.self),
      let flags = try? bytes.integer(at: 12, as: UInt32.self),
      let hashes = try? bytes.integer(at: 16, as: UInt32.self),
      let name = try? bytes.integer(at: 20, as: UInt32.self),
      let special = try? bytes.integer(at: 24, as: UInt32.self),
      let code = try? bytes.integer(at: 28, as: UInt32.self),
      let limit = try? bytes.integer(at: 32, as: UInt32.self),
      let size = bytes[at: 36], let type = bytes[at: 37], let page = bytes[at: 39]
    else { return nil }
    var team: String?
    if version >= 0x20200, let offset = try? bytes.integer(at: 48, as: UInt32.self), offset != 0 {
      team = Self.text(bytes, at: Int(offset))
    }
    return Directory(
      version: version, flags: flags, identifier: Self.text(bytes, at: Int(name)) ?? "", team: team,
      hashType: type, pageExponent: page, codeLimit: Int(limit), hashSize: Int(size),
      specialCount: Int(special), codeCount: Int(code), hashes: start + Int(hashes), blob: blob)
  }

  private static func text(_ bytes: RawSpan, at offset: Int) -> String? {
    guard offset < bytes.byteCount else { return nil }
    let stored = bytes.clamped(to: offset..<offset + 1024)
    return stored.clamped(to: 0..<(stored.firstOffset(of: 0) ?? stored.byteCount)).repairedText()
  }

  /// Where a blob lies in the signature, its 8 bytes of magic and length left out.
  package func payload(of slot: Slot) -> Range<Int>? {
    blobs[slot.rawValue].map { $0.lowerBound + 8..<$0.upperBound }
  }

  /// The bytes of a blob behind its magic and length.
  package func payloadBytes(of slot: Slot) -> [UInt8]? {
    payload(of: slot).map { Array(bytes[$0]) }
  }

  /// Whether a directory's hash of a slot is that of the blob in the slot.
  package func agreement(of slot: Slot, in directory: Directory) -> Agreement {
    let number = Int(slot.rawValue)
    let stored = hash(special: number, of: directory)
    guard let blob = blobs[slot.rawValue] else {
      return stored.map { $0.allSatisfy { $0 == 0 } } ?? true ? .unhashed : .absent
    }
    guard let stored, !stored.allSatisfy({ $0 == 0 }) else { return .unhashed }
    let found = directory.digest(unsafe bytes.span.bytes.clamped(to: blob))
    return found.map { Array($0.prefix(stored.count)) } == stored ? .matches : .differs
  }

  /// The hash that a directory keeps of something outside the signature: Info.plist, resources.
  package func hash(special number: Int, of directory: Directory) -> [UInt8]? {
    guard number >= 1, number <= directory.specialCount, directory.hashSize > 0,
      number * directory.hashSize <= directory.hashes - directory.blob.lowerBound
    else { return nil }
    return stored(at: directory.hashes - number * directory.hashSize, of: directory)
  }

  private func stored(at start: Int, of directory: Directory) -> [UInt8]? {
    guard start >= directory.blob.lowerBound,
      directory.blob.upperBound - start >= directory.hashSize
    else { return nil }
    return Array(bytes[start..<start + directory.hashSize])
  }

  /// Numbers of the pages of the program that are not what a directory hashed; at most `limit`.
  package func changedPages(
    of directory: Directory, in source: any ByteSource, slice: Range<Int>, limit: Int = 16
  ) throws(ReadFailure) -> [Int] {
    let size = directory.pageExponent == 0 ? directory.codeLimit : 1 << Int(directory.pageExponent)
    guard (1...24).contains(directory.pageExponent) || directory.pageExponent == 0, size > 0,
      size <= 64 << 20
    else { return [] }
    var changed: [Int] = []
    for page in 0..<min(directory.codeCount, directory.codeLimit / size + 1) {
      let start = page * size
      let count = min(size, directory.codeLimit - start)
      guard count > 0, start < slice.count,
        let wanted = stored(at: directory.hashes + page * directory.hashSize, of: directory)
      else { break }
      let bytes = try source.bytes(
        at: slice.lowerBound + start, count: min(count, slice.count - start))
      guard let digest = directory.digest(unsafe bytes.span.bytes) else { return [] }
      if Array(digest.prefix(wanted.count)) != wanted { changed.append(page) }
      if changed.count >= limit { break }
    }
    return changed
  }
}
