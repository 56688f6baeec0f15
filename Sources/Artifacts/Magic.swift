import CMagic
import Synchronization

/// libmagic, for the names of formats that nothing here knows. Its database is loaded when it is first
/// asked; its handle serves one caller at a time.
enum Magic {
  /// How much of a file it is shown.
  static let reach = 64 << 10

  private static let handle = Mutex<Handle?>(nil)

  /// What it says of these bytes, or nothing where it does not know either.
  static func kind(of bytes: [UInt8]) -> Identification? {
    let mime: String? = handle.withLock { handle in
      if handle == nil { handle = Handle() }
      return handle?.mime(of: bytes)
    }
    guard let mime, mime != "application/octet-stream" else { return nil }
    let kind = mime.split(separator: "/").last.map(String.init) ?? mime
    return Identification(kind: kind.hasPrefix("x-") ? String(kind.dropFirst(2)) : kind, mime: mime)
  }

  /// An open database; a failed load is remembered and answers nothing.
  private final class Handle: @unchecked Sendable {
    private let cookie: magic_t?
    private let isLoaded: Bool

    init() {
      // Own signatures came first: no look into archives, no tests for text.
      let flags =
        MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_TAR | MAGIC_NO_CHECK_CDF
        | MAGIC_NO_CHECK_ELF | MAGIC_NO_CHECK_TOKENS | MAGIC_NO_CHECK_ENCODING
      cookie = magic_open(flags)
      isLoaded = cookie.map { magic_load($0, nil) == 0 } ?? false
    }

    deinit {
      if let cookie { magic_close(cookie) }
    }

    func mime(of bytes: [UInt8]) -> String? {
      guard isLoaded, let cookie else { return nil }
      return bytes.withUnsafeBytes { buffer in
        magic_buffer(cookie, buffer.baseAddress, buffer.count).map { String(cString: $0) }
      }
    }
  }
}
