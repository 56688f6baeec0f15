import CSodium
import SecretBytes
import VaultKeys

/// How an attachment lies in its file: libsodium's secretstream, so that it is read and written piece
/// by piece and a piece that is missing, moved or added is found.
///
///     header 24 ‖ pieces of 65,536 bytes + 17, the last one shorter and marked as the last
///
/// Profile and file name are authenticated with the first piece.
enum AttachmentCipher {
  static let pieceCount = 65_536
  static let headerCount = 24
  static let sealedPieceCount = pieceCount + 17

  /// What the first piece is bound to.
  static func context(_ profile: ProfileIdentifier, file: [UInt8]) -> [UInt8] {
    Array("vault/attachment/v1".utf8) + profile.bytes + file
  }
}

/// Seals pieces in order.
struct AttachmentSealer: ~Copyable {
  private let state: SecretBytes
  private var context: [UInt8]
  let header: [UInt8]

  init(key: borrowing SecretBytes, context: [UInt8]) {
    Random.prepare()
    self.context = context
    state = SecretBytes(zeroCount: crypto_secretstream_xchacha20poly1305_statebytes())
    var header = [UInt8](repeating: 0, count: AttachmentCipher.headerCount)
    state.withMutableBytes { state in
      key.withBytes { key in
        _ = crypto_secretstream_xchacha20poly1305_init_push(
          state.stream, &header, key.bound)
      }
    }
    self.header = header
  }

  mutating func seal(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
    let tag =
      isLast
      ? crypto_secretstream_xchacha20poly1305_tag_final()
      : crypto_secretstream_xchacha20poly1305_tag_message()
    var sealed = [UInt8](repeating: 0, count: piece.count + 17)
    let context = context
    state.withMutableBytes { state in
      _ = crypto_secretstream_xchacha20poly1305_push(
        state.stream, &sealed, nil, piece, UInt64(piece.count), context, UInt64(context.count),
        UInt8(tag))
    }
    self.context = []
    return sealed
  }
}

/// Opens pieces in order.
struct AttachmentOpener: ~Copyable {
  private let state: SecretBytes
  private var context: [UInt8]
  private(set) var isAtEnd = false

  private init(state: consuming SecretBytes, context: [UInt8]) {
    self.state = state
    self.context = context
  }

  /// Nothing if the header is cut off.
  static func start(
    key: borrowing SecretBytes, header: [UInt8], context: [UInt8]
  ) -> AttachmentOpener? {
    guard header.count == AttachmentCipher.headerCount else { return nil }
    Random.prepare()
    let state = SecretBytes(zeroCount: crypto_secretstream_xchacha20poly1305_statebytes())
    let result = state.withMutableBytes { state in
      key.withBytes { key in
        crypto_secretstream_xchacha20poly1305_init_pull(state.stream, header, key.bound)
      }
    }
    guard result == 0 else { return nil }
    return AttachmentOpener(state: state, context: context)
  }

  /// The content of a piece, or nothing if it is not the next one as it was written.
  mutating func open(_ sealed: [UInt8]) -> [UInt8]? {
    guard sealed.count >= 17, !isAtEnd else { return nil }
    var piece = [UInt8](repeating: 0, count: sealed.count - 17)
    var tag: UInt8 = 0
    let context = context
    let result = piece.withUnsafeMutableBufferPointer { piece in
      state.withMutableBytes { state in
        crypto_secretstream_xchacha20poly1305_pull(
          state.stream, piece.baseAddress, nil, &tag, sealed, UInt64(sealed.count), context,
          UInt64(context.count))
      }
    }
    guard result == 0 else { return nil }
    self.context = []
    isAtEnd = tag == UInt8(crypto_secretstream_xchacha20poly1305_tag_final())
    return piece
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate var stream: UnsafeMutablePointer<crypto_secretstream_xchacha20poly1305_state> {
    UnsafeMutableRawPointer(bound).assumingMemoryBound(
      to: crypto_secretstream_xchacha20poly1305_state.self)
  }
}
