import Evidence
import Testing

@Suite struct `An evidence bundle` {
  private static let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"

  private static func bundle() throws -> EvidenceBundle {
    var manifest = Manifest()
    manifest.tool = "vestige 0.0.0"
    manifest.made = "2026-01-02T03:04:05Z"
    manifest.environment = ["system 100% \n sure"]
    manifest.options = ["--packs=secrets"]
    manifest.rules = [Manifest.Rule(path: "secrets/jwt.yaml", text: "id: secrets.jwt\n")]
    var bundle = EvidenceBundle(
      manifest,
      members: [
        Tar.Member(name: "report.json", bytes: Array("{}".utf8)),
        Tar.Member(name: "inputs.sha256", bytes: []),
      ])
    try bundle.sign(with: SigningKey(text: seed))
    return bundle
  }

  @Test func `is signed as RFC 8032 says`() throws {
    // §7.1, test 1, by its published key; the seed above is another.
    let key = try SigningKey(
      text: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    #expect(
      try key.verifyingKey.bytes
        == VerifyingKey(text: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")?
        .bytes)
    let signature = try key.signature(of: [])
    #expect(try key.verifyingKey.verifies(signature, of: []))
    #expect(try !key.verifyingKey.verifies(signature, of: [0]))
  }

  @Test func `reads back as it was written`() throws {
    let bundle = try Self.bundle()
    let read = try EvidenceBundle(parsing: bundle.bytes)
    #expect(read.manifest == bundle.manifest)
    #expect(read.members == bundle.members)
    #expect(read.hasValidSignature)
    #expect(read.changedMembers.isEmpty)
    #expect(read.bytes == bundle.bytes)
    #expect(try Self.bundle().bytes == bundle.bytes)
  }

  @Test func `notices any changed byte`() throws {
    let bytes = try Self.bundle().bytes
    for offset in bytes.indices {
      var changed = bytes
      changed[offset] ^= 1
      guard let read = try? EvidenceBundle(parsing: changed) else { continue }
      #expect(!read.hasValidSignature || !read.changedMembers.isEmpty, "byte \(offset)")
    }
  }

  @Test func `cut short anywhere is damage`() throws {
    let bytes = try Self.bundle().bytes
    for length in stride(from: 0, to: bytes.count, by: 61) {
      #expect(throws: EvidenceBundle.Damage.self) {
        try EvidenceBundle(parsing: Array(bytes.prefix(length)))
      }
    }
    #expect(throws: EvidenceBundle.Damage.self) { try EvidenceBundle(parsing: bytes + [0]) }
  }

  @Test func `signed by somebody else does not pass for one's own`() throws {
    var bundle = try Self.bundle()
    let own = bundle.signature?.signer
    try bundle.sign(with: SigningKey(text: String(repeating: "42", count: 32)))
    let read = try EvidenceBundle(parsing: bundle.bytes)
    #expect(read.hasValidSignature)
    #expect(read.signature?.signer != own)
  }

  @Test(arguments: [
    "", "zz", "9d61", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----",
  ])
  func `takes no text for a key that is none`(text: String) {
    #expect(throws: SigningKey.Failure.notAKey) { _ = try SigningKey(text: text) }
  }

  @Test func `takes keys as openssl writes them`() throws {
    let secret = """
      -----BEGIN PRIVATE KEY-----
      MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
      -----END PRIVATE KEY-----
      """
    let shown = """
      -----BEGIN PUBLIC KEY-----
      MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
      -----END PUBLIC KEY-----
      """
    let key = try SigningKey(text: secret)
    #expect(try VerifyingKey(text: shown) == key.verifyingKey)
  }
}
