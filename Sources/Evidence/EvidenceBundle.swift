import Bytes

/// A report with everything a second person needs to check it: hashes of all inputs, versions of tool
/// and rules, and a signature, in one file.
package struct EvidenceBundle: Sendable {
  package private(set) var manifest: Manifest
  package private(set) var members: [Tar.Member]
  /// The signature of the manifest and the key that it claims to be by.
  package private(set) var signature: Signature?

  package struct Signature: Equatable, Sendable {
    package var signer: VerifyingKey
    package var bytes: [UInt8]
  }

  /// - Parameter members: the report in its formats, and the list of inputs.
  package init(_ manifest: Manifest, members: [Tar.Member]) {
    self.manifest = manifest
    self.members = members.sorted { $0.name < $1.name }
    self.manifest.members = self.members.map { Manifest.Member($0) }
  }

  package mutating func sign(with key: borrowing SigningKey) throws(SigningKey.Failure) {
    let signer = try key.verifyingKey
    signature = Signature(
      signer: signer, bytes: try key.signature(of: Array(manifest.text.utf8)))
  }

  /// The file: the manifest first, its signature next, then the members.
  package var bytes: [UInt8] {
    var all = [Tar.Member(name: Manifest.name, bytes: Array(manifest.text.utf8))]
    if let signature {
      let text = "ed25519 \(signature.signer.bytes.hexadecimal)\n\(signature.bytes.hexadecimal)\n"
      all.append(Tar.Member(name: Manifest.signatureName, bytes: Array(text.utf8)))
    }
    return Tar.bytes(of: all + members)
  }

  /// What is wrong with a file that should be a bundle.
  package enum Damage: Error, Equatable {
    case archive(offset: Int)
    case manifest
    case signature
  }

  package init(parsing bytes: [UInt8]) throws(Damage) {
    var all: [Tar.Member]
    do throws(Tar.Damage) {
      all = try Tar.members(in: bytes)
    } catch {
      throw .archive(offset: error.offset)
    }
    guard let first = all.first, first.name == Manifest.name,
      let text = String(validating: first.bytes, as: UTF8.self),
      let manifest = Manifest(text: text), manifest.text == text
    else { throw .manifest }
    all.removeFirst()
    self.manifest = manifest
    if let next = all.first, next.name == Manifest.signatureName {
      guard let signature = Signature(parsing: next.bytes) else { throw .signature }
      self.signature = signature
      all.removeFirst()
    }
    members = all
  }

  package func member(_ name: String) -> [UInt8]? { members.first { $0.name == name }?.bytes }

  /// Members whose bytes are not those that the manifest names, that it does not name, or that are gone.
  package var changedMembers: [String] {
    let stated = Set(manifest.members.map(\.name))
    var changed = members.map(\.name).filter { !stated.contains($0) }
    for entry in manifest.members {
      guard let member = members.first(where: { $0.name == entry.name }),
        Manifest.Member(member) == entry
      else {
        changed.append(entry.name)
        continue
      }
    }
    return changed.sorted()
  }

  /// Whether the manifest is what the key named beside the signature signed.
  package var hasValidSignature: Bool {
    guard let signature else { return false }
    return signature.signer.verifies(signature.bytes, of: Array(manifest.text.utf8))
  }
}

extension EvidenceBundle.Signature {
  /// Two lines: the algorithm with the public key, and the signature, in hexadecimal.
  fileprivate init?(parsing bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 3, lines[2].isEmpty, lines[0].hasPrefix("ed25519 "),
      let key = [UInt8](hexadecimal: String(lines[0].dropFirst(8))), key.count == 32,
      let signature = [UInt8](hexadecimal: String(lines[1])), signature.count == 64
    else { return nil }
    self.init(signer: VerifyingKey(bytes: key), bytes: signature)
  }
}
