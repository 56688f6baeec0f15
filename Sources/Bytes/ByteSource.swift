/// Bytes that can be read at any offset: a file, or a member held in memory.
public protocol ByteSource {
  /// Size in bytes when the source was opened.
  var byteCount: Int { get }

  /// Fills `buffer` from `offset` on and says how many bytes were there; fewer than asked for only
  /// at the end of the source.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadFailure) -> Int

  /// `count` bytes at `offset`, fewer at the end of the source.
  func bytes(at offset: Int, count: Int) throws(ReadFailure) -> [UInt8]

  /// The next stretch at or behind `offset` that is stored; what lies before it is a hole, and reads as zeros.
  /// Empty at the end of the source where nothing more is.
  func storedRange(from offset: Int) -> Range<Int>

  /// An open file of the system with just these bytes, for a program that is to read them itself; nothing
  /// where there is none.
  var openFile: Int32? { get }
}

/// The system refused a read: the number it gave (errno).
public struct ReadFailure: Error, Equatable, Sendable {
  public var errno: Int32

  public init(errno: Int32) {
    self.errno = errno
  }
}

extension ByteSource {
  public var openFile: Int32? { nil }

  /// All of it, unless a source knows better.
  public func storedRange(from offset: Int) -> Range<Int> { offset..<max(offset, byteCount) }

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
