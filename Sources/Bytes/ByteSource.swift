/// Bytes that can be read at any offset: a file, or a member held in memory.
public protocol ByteSource {
  /// Size in bytes when the source was opened.
  var byteCount: Int { get }

  /// Fills `buffer` from `offset` on and says how many bytes were there; fewer than asked for only
  /// at the end of the source.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadFailure) -> Int

  /// `count` bytes at `offset`, fewer at the end of the source.
  func bytes(at offset: Int, count: Int) throws(ReadFailure) -> [UInt8]
}

/// The system refused a read: the number it gave (errno).
public struct ReadFailure: Error, Equatable, Sendable {
  public var errno: Int32

  public init(errno: Int32) {
    self.errno = errno
  }
}

extension ByteSource {
  /// A copy of `count` bytes at `offset`, fewer at the end of the source.
  public func bytes(at offset: Int, count: Int) throws(ReadFailure) -> [UInt8] {
    guard offset >= 0, count > 0, offset < byteCount else { return [] }
    let wanted = min(count, byteCount - offset)
    var failure: ReadFailure?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      do throws(ReadFailure) {
        filled = unsafe try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// Bytes held in memory: an archive member, a decompressed value, a test's fixture.
public struct MemorySource: ByteSource, Sendable {
  public let bytes: [UInt8]

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  public var byteCount: Int { bytes.count }

  /// The bytes themselves where all are asked for, else a copy.
  public func bytes(at offset: Int, count: Int) throws(ReadFailure) -> [UInt8] {
    if offset == 0, count >= bytes.count { return bytes }
    guard offset >= 0, count > 0, offset < bytes.count else { return [] }
    return Array(bytes[offset..<offset + min(count, bytes.count - offset)])
  }

  public func read(
    at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ReadFailure) -> Int {
    guard offset >= 0, offset < bytes.count else { return 0 }
    let count = min(buffer.count, bytes.count - offset)
    unsafe bytes.withUnsafeBytes { stored in
      unsafe buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: stored[offset..<offset + count]))
    }
    return count
  }
}
