import CCrypto

/// The hashes that file formats name, by libcrypto: for comparing with what a file says of itself.
public enum Digest: String, CaseIterable, Sendable {
  case sha1, sha256, sha384

  /// Bytes of a digest.
  public var size: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha384: 48
    }
  }

  /// The digest of one piece of data.
  public func callAsFunction(_ bytes: RawSpan) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      unsafe bytes.withUnsafeBytes { data in
        _ = unsafe EVP_Digest(data.baseAddress, data.count, buffer.baseAddress, nil, kind, nil)
      }
      count = size
    }
  }

  private var kind: OpaquePointer? {
    switch self {
    case .sha1: unsafe EVP_sha1()
    case .sha256: unsafe EVP_sha256()
    case .sha384: unsafe EVP_sha384()
    }
  }
}
