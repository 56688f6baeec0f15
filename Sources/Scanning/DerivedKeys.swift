import Artifacts
import Bytes
import Findings
import RuleEngine
import SQLiteFormat

/// The keys that a given key becomes inside SQLCipher, as needles: who holds one of them needs neither the
/// passphrase nor the key itself, and a dump of memory shows them where it no longer shows those.
package struct DerivedKeys {
  /// Encrypted files that a passphrase is tried on: each takes a good part of a second.
  static let mostFilesOfPassphrases = 64
  /// Encrypted files that raw keys are tried on.
  package static let mostFiles = 4096
  /// A passphrase shorter than this would be seen by chance.
  private static let shortestPassphrase = 8

  /// The keys given and what they become in the files they open.
  private(set) var needles: [Needle] = []
  /// The files whose derived keys are not among the needles, though they may be.
  private(set) var diagnostics: [Diagnostic] = []

  init(of options: ScanOptions) {
    guard !options.keys.isEmpty else { return }
    var secrets = Secrets()
    for (index, key) in options.keys.enumerated() {
      secrets.addGiven(key, number: index + 1)
    }
    for file in encryptedFiles(options) {
      for opened in CipherOpener(file.source, keys: options.keys).open() {
        let number = opened.keyIndex + 1
        secrets.add(opened.cipherKey, "cipher key of key \(number) for \(file.name)")
        if let hmacKey = opened.hmacKey {
          secrets.add(hmacKey, "HMAC key of key \(number) for \(file.name)")
        }
      }
    }
    needles = secrets.needles(except: options.needles)
  }

  /// Encrypted databases: files of their own, and members of archives.
  private mutating func encryptedFiles(
    _ options: ScanOptions
  ) -> [(name: String, source: any ByteSource)] {
    var walk = Walk(include: options.include, exclude: options.exclude)
    do throws(Walk.MissingPath) { try walk.add(options.paths) } catch { return [] }
    let most =
      options.keys.contains(where: \.isPassphrase) ? Self.mostFilesOfPassphrases : Self.mostFiles
    var found: [(name: String, source: any ByteSource)] = []
    for file in walk.files where file.byteCount >= 512 {
      guard let source = try? FileSource(file.path) else { continue }
      var more: [(name: String, source: any ByteSource)] = []
      if CipherReader.isEncrypted(source) {
        more = [(file.name, source)]
      } else {
        let search = MemberSearch.members(
          of: source, name: file.path.lastName.description, limits: options.limits)
        if search.isExhausted { tell(file.name, .limitExpansion, "it holds more than is unpacked") }
        more = search.found.map { member in
          (Locator(file: file.name).inside(member.steps).description, MemorySource(member.head))
        }
      }
      found += more.prefix(most - found.count)
      guard found.count < most || more.isEmpty else {
        tell(file.name, .limitCount, "\(most) encrypted databases were tried before it")
        return found
      }
    }
    return found
  }

  private mutating func tell(_ file: String, _ code: Diagnostic.Code, _ reason: String) {
    diagnostics.append(
      Diagnostic(
        path: file, locator: file, code: code,
        message: "what the given keys become inside its databases is not looked for: \(reason)",
        remedy: "scan it by itself with the same --key"))
  }

  /// Secrets without doubles, in the order in which they were added.
  private struct Secrets {
    private var known: Set<[UInt8]> = []
    private var found: [Needle] = []

    mutating func addGiven(_ key: DatabaseKey, number: Int) {
      switch key.material {
      case .passphrase(let text, _):
        guard text.count >= shortestPassphrase, known.insert(text).inserted,
          let value = String(validating: text, as: UTF8.self)
        else { return }
        found.append(
          Needle(
            id: "key \(number)", kind: .passphrase, value: value, severity: .critical,
            note: "passphrase of an encrypted database"))
      case .raw(let raw), .rawWithSalt(let raw, _): add(raw, "key \(number)")
      case .rawWithHMACKey(let raw, let hmacKey, _):
        add(raw, "key \(number)")
        add(hmacKey, "HMAC key of key \(number)")
      case .old: break
      }
    }

    mutating func add(_ key: [UInt8], _ id: String) {
      guard Set(key).count > 4, known.insert(key).inserted else { return }
      found.append(
        Needle(
          id: id, kind: .keyHex, value: key.hexadecimal, severity: .critical,
          note: "opens an encrypted database"))
    }

    /// A value that is a needle already keeps the name that a person gave it.
    func needles(except given: [Needle]) -> [Needle] {
      let values = Set(given.map { $0.value.lowercased() })
      return found.filter { !values.contains($0.value.lowercased()) }
    }
  }
}
