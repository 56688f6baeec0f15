import Artifacts
import Bytes
import Findings
import SQLiteFormat

/// What can be said of a file as a whole, by its name, its mode and what lies beside it.
struct FileSurroundings {
  let path: RawPath
  let status: FileStatus
  let sibling: (String) -> (any ByteSource)?

  /// Observations, given what the scan of the file itself made of it.
  func observations(kind: String, encrypted: InputRecord.Encrypted) -> [Observation] {
    guard status.byteCount > 0 else { return [] }
    var all: [Observation] = []
    if let orphan = orphan(kind) { all.append(orphan) }
    let copy = kind == "sqlite" && encrypted == .no ? clearCopy : nil
    if let copy { all.append(copy) }
    // A copy of an encrypted store often bears its name: that was said.
    if let claim = claim(kind, encrypted, isCopy: copy != nil) { all.append(claim) }
    // Random bytes of a suitable size may be any volume, filter or firmware.
    let isStore =
      kind.hasPrefix("sqlite") || kind == "sqlcipher" && CopyName.namesStore(name)
    if isStore, FileAccess.isReadableByAll(path, mode: status.mode) {
      all.append(
        Observation(
          .worldReadable,
          "it may be read by every user of the machine (mode \(String(status.mode & 0o777, radix: 8)))",
          values: ["encrypted": encrypted.rawValue]))
    }
    return all
  }

  private var name: String { path.lastName.description }

  /// A log or journal whose database is gone.
  private func orphan(_ kind: String) -> Observation? {
    let suffixes = ["sqlite-wal": "-wal", "sqlite-journal": "-journal"]
    guard let suffix = suffixes[kind], name.hasSuffix(suffix), name.count > suffix.count,
      sibling(String(name.dropLast(suffix.count))) == nil
    else { return nil }
    return Observation(
      .orphanSidecar, "the database it belongs to is not beside it: its pages outlived it")
  }

  /// A readable database whose name says that it is a copy of an encrypted one that lies beside it.
  private var clearCopy: Observation? {
    for other in CopyName.originals(of: name) where other != name {
      guard let source = sibling(other), CipherReader.isEncrypted(source) else { continue }
      return Observation(
        .clearCopy, "a readable database beside \(other), which is encrypted",
        values: ["original": other])
    }
    return nil
  }

  /// Readable, whatever its name says.
  private func claim(
    _ kind: String, _ encrypted: InputRecord.Encrypted, isCopy: Bool
  ) -> Observation? {
    guard kind == "sqlite", encrypted == .no, !isCopy, CopyName.claimsEncryption(name) else {
      return nil
    }
    return Observation(.notEncrypted, "its name says that it is encrypted; it is not")
  }
}

/// What the name of a database says of it.
enum CopyName {
  private static let extensions = ["db", "sqlite", "sqlite3", "sqlcipher", "store", "db3"]
  /// Endings of names of copies; a longer one stands before one that it ends with.
  private static let endings = [
    "-backup", "_backup", ".backup", " backup", "backup", "-bak", "_bak", ".bak", "-old", "_old",
    ".old", ".orig", "-copy", "_copy", " copy", ".copy", ".save", "~", ".tmp", "-tmp", "_tmp",
    "-plaintext", "_plaintext", ".plaintext", "-plain", "_plain", ".plain", "-decrypted",
    "_decrypted", ".decrypted", "-unencrypted", "_unencrypted", "-clear", "_clear", "-migration",
    "_migration", "-migrated", "_migrated", "-export", "_export", "-temp", "_temp", ".0", ".1",
    ".2", ".3", "-1", "-2", "_1", "_2", " 2", " (1)",
  ]
  /// What an encrypted copy of a plain name is called.
  private static let encryptedEndings = [
    "-encrypted", "_encrypted", ".encrypted", "-enc", "_enc", ".enc", "-cipher", "_cipher",
    "-sqlcipher", "_sqlcipher", "-secure", "_secure", ".sqlcipher",
  ]

  /// Whether a file that only looks like ciphertext is called as stores are.
  static func namesStore(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["db", "sql", "store", "vault", "cipher", "wallet", "secret", "secure"].contains {
      name.contains($0)
    }
  }

  /// Names of the files that `name` may be a copy of, or that may be its encrypted copy.
  static func originals(of name: String) -> [String] {
    var found: [String] = []
    func add(_ name: String) {
      if !name.isEmpty, !found.contains(name) { found.append(name) }
    }
    for ending in endings where name.lowercased().hasSuffix(ending) && name.count > ending.count {
      let base = String(name.dropLast(ending.count))
      add(base)
      if split(base).extension.isEmpty { for other in extensions { add("\(base).\(other)") } }
    }
    let (stem, ext) = split(name)
    guard !ext.isEmpty else { return found }
    for ending in endings where stem.lowercased().hasSuffix(ending) && stem.count > ending.count {
      let base = String(stem.dropLast(ending.count))
      add("\(base).\(ext)")
      for other in extensions { add("\(base).\(other)") }
    }
    for ending in encryptedEndings {
      add("\(stem)\(ending).\(ext)")
      add("\(stem)\(ending)")
      add("\(name)\(ending)")
    }
    return found
  }

  private static func split(_ name: String) -> (stem: String, extension: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[name.index(after: dot)...]))
  }

  /// Whether a word of the name claims that its content is encrypted.
  static func claimsEncryption(_ name: String) -> Bool {
    let words = name.lowercased().split { !$0.isLetter }
    let denied = ["unencrypted", "decrypted", "plaintext", "plain", "not", "non", "un"]
    guard !words.contains(where: { denied.contains(String($0)) }) else { return false }
    return words.contains { ["encrypted", "sqlcipher", "cipher", "enc"].contains($0) }
  }
}
