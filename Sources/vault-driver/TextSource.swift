import DriverProtocol
import SecretBytes
import Synchronization
import Vault
import VaultKeys

/// Bytes that are given out, or taken in, piece by piece.
final class TextSource: Sendable {
  private let bytes: Mutex<[UInt8]>

  init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

  func next(_ count: Int) -> [UInt8] {
    bytes.withLock { bytes in
      let part = Array(bytes.prefix(count))
      bytes.removeFirst(part.count)
      return part
    }
  }

  func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }

  var all: [UInt8] { bytes.withLock { $0 } }
}

extension DriverRequest {
  /// A password, in guarded memory.
  func secret(_ name: String) throws(Refusal) -> SecretBytes {
    var bytes = Array(try text(name).utf8)
    return SecretBytes(wiping: &bytes)
  }
}

extension VaultError {
  /// What it is in the words of the protocol.
  var kind: Refusal.Kind {
    switch self {
    case .key(.wrongPassword): .wrongPassword
    case .notAVault, .storeMissing, .slotsMissing, .noSuchProfile, .orphanStore: .missing
    case .key, .secrets, .wrongKeyOrCorrupt, .pageDamaged, .damaged, .staleSidecar, .schemaUnknown,
      .attachmentDamaged, .plaintextFound, .cipherFormatUnsupported:
      .damaged
    case .alreadyExists: .exists
    case .notFound: .notFound
    case .schemaTooNew: .schemaTooNew
    case .migrationNeeded: .migrationNeeded
    case .busy: .busy
    case .full, .notEnoughSpace, .indexNotCleaned: .full
    case .io: .io
    case .closed: .locked
    case .erasePending, .eraseIncomplete: .erasing
    case .taken, .outOfMemory, .wrongLibrary, .cancelled, .abandoned, .leakedStatement, .limit,
      .refused:
      .refused
    }
  }
}
