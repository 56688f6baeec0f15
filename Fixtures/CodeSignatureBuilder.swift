import Bytes

/// Writes embedded code signatures: a SuperBlob with one CodeDirectory or two, entitlements in either
/// form, and lies about them where a test wants some.
package struct CodeSignatureBuilder {
  package var identifier = "org.example.tidal"
  package var team: String? = "A1B2C3D4E5"
  package var version: UInt32 = 0x20400
  /// Hash types of the CodeDirectories, the first and the alternate ones: 1 SHA-1, 2 SHA-256.
  package var hashTypes: [UInt8] = [2]
  package var entitlements: String?
  package var derEntitlements: [UInt8]?
  /// Bytes of the CMS blob; none is an ad-hoc signature.
  package var cms: [UInt8] = []
  /// Changes this byte of the entitlements after they were hashed.
  package var tamperedEntitlement: Int?

  package init() {}

  private static let pageExponent: UInt8 = 12

  private var blobs: [(slot: UInt32, magic: UInt32, payload: [UInt8])] {
    var blobs: [(slot: UInt32, magic: UInt32, payload: [UInt8])] = []
    if let entitlements { blobs.append((5, 0xFADE_7171, Array(entitlements.utf8))) }
    if let derEntitlements { blobs.append((7, 0xFADE_7172, derEntitlements)) }
    blobs.append((0x10000, 0xFADE_0B01, cms))
    return blobs
  }

  private static func blob(_ magic: UInt32, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(magic)
    bytes.appendBigEndian(UInt32(payload.count + 8))
    return bytes + payload
  }

  private static func digest(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    (type == 1 ? Digest.sha1 : Digest.sha256)(bytes.span.bytes)
  }

  /// Size of the signature of a program of `codeSize` bytes.
  package func size(codeSize: Int) -> Int {
    signature(of: [UInt8](repeating: 0, count: codeSize)).count
  }

  package func signature(of code: [UInt8]) -> [UInt8] {
    var parts: [(slot: UInt32, bytes: [UInt8])] = []
    for (index, type) in hashTypes.enumerated() {
      parts.append((index == 0 ? 0 : 0xFFF + UInt32(index), directory(type, of: code)))
    }
    for blob in blobs {
      var bytes = Self.blob(blob.magic, blob.payload)
      if blob.slot == 5, let tamperedEntitlement { bytes[8 + tamperedEntitlement] ^= 1 }
      parts.append((blob.slot, bytes))
    }
    var offset = 12 + parts.count * 8
    var index: [UInt8] = []
    for part in parts {
      index.appendBigEndian(part.slot)
      index.appendBigEndian(UInt32(offset))
      offset += part.bytes.count
    }
    var bytes: [UInt8] = []
    for word in [0xFADE_0CC0, UInt32(offset), UInt32(parts.count)] { bytes.appendBigEndian(word) }
    return bytes + index + parts.flatMap(\.bytes)
  }

  /// A CodeDirectory: header, identifier, team, special hashes downwards from the code hashes.
  private func directory(_ type: UInt8, of code: [UInt8]) -> [UInt8] {
    let hashSize = type == 1 ? 20 : 32
    let pages = (code.count + 4095) / 4096
    let headerSize = version >= 0x20400 ? 88 : 52
    let identifierEnd = headerSize + identifier.utf8.count + 1
    let teamEnd = identifierEnd + (team.map { $0.utf8.count + 1 } ?? 0)
    let hashOffset = teamEnd + 7 * hashSize
    var bytes: [UInt8] = []
    for word in [
      version, 0, UInt32(hashOffset), UInt32(headerSize), 7, UInt32(pages), UInt32(code.count),
    ] {
      bytes.appendBigEndian(word)
    }
    bytes += [UInt8(hashSize), type, 0, Self.pageExponent]
    bytes.appendBigEndian(UInt32(0))
    bytes.appendBigEndian(UInt32(0))
    bytes.appendBigEndian(team == nil ? 0 : UInt32(identifierEnd))
    bytes += [UInt8](repeating: 0, count: headerSize - 8 - bytes.count)
    bytes += Array(identifier.utf8) + [0]
    if let team { bytes += Array(team.utf8) + [0] }
    let hashed = blobs
    for slot in stride(from: UInt32(7), to: 0, by: -1) {
      let blob = hashed.first { $0.slot == slot }
      bytes +=
        blob.map { Self.digest(type, Self.blob($0.magic, $0.payload)) }
        ?? [UInt8](repeating: 0, count: hashSize)
    }
    for page in 0..<pages {
      bytes += Self.digest(type, Array(code[page * 4096..<min(code.count, (page + 1) * 4096)]))
    }
    return Self.blob(0xFADE_0C02, bytes)
  }
}

/// Writes DER (X.690) from the inside out.
package enum DERBuilder {
  package static func item(_ identifier: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    if count < 0x80 { return [identifier, UInt8(count)] + content }
    let digits = PropertyListBuilder.bigEndian(UInt64(count), size: 4).drop { $0 == 0 }
    return [identifier, 0x80 | UInt8(digits.count)] + digits + content
  }

  package static func text(_ text: String) -> [UInt8] { item(0x0C, Array(text.utf8)) }

  package static func sequence(_ parts: [UInt8]...) -> [UInt8] { item(0x30, Array(parts.joined())) }

  package static func objectIdentifier(_ arcs: [UInt64]) -> [UInt8] {
    var content = [UInt8(arcs[0] * 40 + arcs[1])]
    for arc in arcs.dropFirst(2) {
      var groups = [UInt8(arc & 0x7F)]
      var rest = arc >> 7
      while rest > 0 {
        groups.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      content += groups
    }
    return item(0x06, content)
  }

  /// Entitlements: pairs of key and encoded value.
  package static func entitlements(_ pairs: [(String, [UInt8])]) -> [UInt8] {
    let entries = pairs.flatMap { sequence(text($0.0), $0.1) }
    return item(0x70, item(0x02, [1]) + item(0xB0, entries))
  }

  package static let yes = item(0x01, [0xFF])

  /// Signed data with its content inside and no signer, as a container of a profile.
  package static func signedData(_ content: [UInt8], certificates: [[UInt8]] = []) -> [UInt8] {
    let data = objectIdentifier([1, 2, 840, 113549, 1, 7, 1])
    var fields = item(0x02, [1]) + item(0x31, [])
    fields += sequence(data, item(0xA0, item(0x04, content)))
    if !certificates.isEmpty { fields += item(0xA0, Array(certificates.joined())) }
    fields += item(0x31, [])
    return sequence(
      objectIdentifier([1, 2, 840, 113549, 1, 7, 2]), item(0xA0, item(0x30, fields)))
  }

  /// An unsigned certificate that names somebody.
  package static func certificate(
    subject: String, notBefore: String = "250101000000Z", notAfter: String = "270101000000Z"
  ) -> [UInt8] {
    func name(_ text: String) -> [UInt8] {
      sequence(item(0x31, sequence(objectIdentifier([2, 5, 4, 3]), self.text(text))))
    }
    let algorithm = sequence(objectIdentifier([1, 2, 840, 10045, 2, 1]))
    let body = sequence(
      item(0xA0, item(0x02, [2])), item(0x02, [7]), algorithm, name("Example Authority"),
      sequence(item(0x17, Array(notBefore.utf8)), item(0x17, Array(notAfter.utf8))), name(subject),
      sequence(algorithm, item(0x03, [0, 4])))
    return sequence(body, algorithm, item(0x03, [0]))
  }
}
