import Bytes

/// A CMS SignedData (RFC 5652, §5): what was signed, and the certificates that came with it. Profiles
/// and code signatures are such. Nothing is verified: whom to trust is not for a scanner to say.
package struct SignedData: Equatable, Sendable {
  /// The signed bytes; empty where the signature is detached.
  package var content: [UInt8]
  /// Where the content lies, if in one piece.
  package var contentRange: Range<Int>?
  /// The certificates, each in DER.
  package var certificates: [Range<Int>] = []

  private static let signedDataType = "1.2.840.113549.1.7.2"

  /// Whether the bytes start a ContentInfo of this type: sequence, then its identifier.
  package static func recognises(_ head: RawSpan) -> Bool {
    guard head[at: 0] == DERItem.sequence, let first = head[at: 1] else { return false }
    let start = first > 0x80 ? 2 + Int(first & 0x7F) : 2
    return head.hasBytes(
      [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02], at: start)
  }

  package init?(parsing bytes: RawSpan) {
    guard let whole = bytes.derItem(at: 0), whole.identifier == DERItem.sequence else { return nil }
    let parts = bytes.derItems(in: whole.content, limit: 2)
    guard parts.count == 2, bytes.derObjectIdentifier(of: parts[0]) == Self.signedDataType,
      let signed = bytes.derItem(
        at: parts[1].content.lowerBound, before: parts[1].content.upperBound)
    else { return nil }
    // version, digestAlgorithms, encapContentInfo, [0] certificates, [1] lists, signerInfos.
    let fields = bytes.derItems(in: signed.content, limit: 16)
    guard fields.count >= 3, fields[2].identifier == DERItem.sequence else { return nil }
    content = []
    let encapsulated = bytes.derItems(in: fields[2].content, limit: 2)
    if encapsulated.count == 2,
      let octets = bytes.derItems(in: encapsulated[1].content, limit: 1).first
    {
      content = bytes.derOctets(of: octets)
      if !octets.isConstructed { contentRange = octets.content }
    }
    if let field = fields.first(where: { $0.identifier == 0xA0 }) {
      certificates = bytes.derItems(in: field.content, limit: 64).map(\.range)
    }
  }
}

/// What an X.509 certificate says of itself (RFC 5280, §4.1).
package struct Certificate: Equatable, Sendable {
  package var subject: [String: String]
  package var issuer: [String: String]
  /// As written: `20260131000000Z`, years in four digits.
  package var notBefore: String
  package var notAfter: String
  /// Object identifier of the public key's algorithm.
  package var keyAlgorithm: String

  /// The common name, or else the organisation.
  package var name: String? { subject["CN"] ?? subject["O"] }

  package init?(parsing bytes: RawSpan) {
    guard let whole = bytes.derItem(at: 0), whole.identifier == DERItem.sequence,
      let body = bytes.derItem(at: whole.content.lowerBound, before: whole.content.upperBound),
      body.identifier == DERItem.sequence
    else { return nil }
    var fields = bytes.derItems(in: body.content, limit: 16)
    // An explicit version stands first, unless it is the first version.
    if fields.first?.identifier == 0xA0 { fields.removeFirst() }
    guard fields.count >= 6, fields[0].identifier == DERItem.integer else { return nil }
    let times = bytes.derItems(in: fields[3].content, limit: 2)
    guard times.count == 2, let notBefore = Self.time(times[0], in: bytes),
      let notAfter = Self.time(times[1], in: bytes)
    else { return nil }
    self.notBefore = notBefore
    self.notAfter = notAfter
    issuer = Self.names(in: fields[2], of: bytes)
    subject = Self.names(in: fields[4], of: bytes)
    let algorithm = bytes.derItems(in: fields[5].content, limit: 1).first
    keyAlgorithm =
      algorithm.flatMap { bytes.derItems(in: $0.content, limit: 1).first }
      .flatMap { bytes.derObjectIdentifier(of: $0) } ?? ""
  }

  /// UTCTime has two digits of the year: 50 and up are of the last century (§4.1.2.5.1).
  private static func time(_ item: DERItem, in bytes: RawSpan) -> String? {
    let text = bytes.clamped(to: item.content).repairedText()
    guard item.content.count <= 32 else { return nil }
    switch item.identifier {
    case 0x17: return (text >= "50" ? "19" : "20") + text
    case 0x18: return text
    default: return nil
    }
  }

  private static func names(in item: DERItem, of bytes: RawSpan) -> [String: String] {
    let known = ["2.5.4.3": "CN", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C"]
    var names: [String: String] = [:]
    for set in bytes.derItems(in: item.content, limit: 32) {
      for pair in bytes.derItems(in: set.content, limit: 4) {
        let parts = bytes.derItems(in: pair.content, limit: 2)
        guard parts.count == 2, let type = bytes.derObjectIdentifier(of: parts[0]),
          let name = known[type]
        else { continue }
        names[name] = bytes.clamped(to: parts[1].content).clamped(to: 0..<512).repairedText()
      }
    }
    return names
  }
}
