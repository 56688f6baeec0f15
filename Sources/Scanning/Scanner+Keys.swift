import Bytes
import Findings
import RuleEngine
import SQLiteFormat

/// Tries keys that were found in clear on the encrypted databases of the same scan: a key beside its
/// database makes the encryption worth nothing.
struct FoundKeys {
  let maker: FindingMaker
  private let candidates: [KeyCandidate]

  static let rule = RuleDescription(
    id: "storage.key-in-clear", title: "Key of an encrypted database in clear",
    severity: .critical,
    remedy: "Change the database's key and keep the new one in a keychain or wrapped; remove this"
      + " copy.",
    controls: ControlOutcomes.ofNeedles)

  init(_ keys: [KeyCandidate], maker: FindingMaker) {
    self.maker = maker
    let all = keys.sorted { Finding.precedes($0.finding, $1.finding) }
    var unique: [KeyCandidate] = []
    for candidate in all where unique.count < KeyCandidate.most {
      if !unique.contains(where: { $0.key == candidate.key }) { unique.append(candidate) }
    }
    candidates = unique
  }

  var isEmpty: Bool { candidates.isEmpty }

  /// The candidates that open a file.
  func opening(_ file: WalkedFile) -> [KeyCandidate] {
    guard let source = try? FileSource(file.path) else { return [] }
    let opener = CipherOpener(source, keys: candidates.map(\.key))
    var passphrases = 0
    return candidates.indices.compactMap { index in
      if case .passphrase = candidates[index].key {
        passphrases += 1
        if passphrases > KeyCandidate.mostPassphrases { return nil }
      }
      return opener.open(with: index) == nil ? nil : candidates[index]
    }
  }

  /// What is to be said of a key that lies in clear and opens a database.
  func finding(_ candidate: KeyCandidate, opens database: String) -> Finding {
    var finding = candidate.finding
    finding.fingerprint = maker.key.fingerprint(
      of: [Self.rule.id, finding.path, finding.context.key ?? "", database], value: nil,
      bitsOfValue: 0)
    finding.rule = Self.rule.id
    finding.title = Self.rule.title
    finding.severity = Self.rule.severity
    finding.message = "a key that lies here in clear opens the encrypted database \(database)"
    finding.remedy = Self.rule.remedy
    finding.controls = Self.rule.controls
    finding.needle = nil
    finding.form = nil
    finding.also = [database]
    return finding
  }
}
