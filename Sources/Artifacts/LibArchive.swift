import Bytes
import CAllocationBound
import CArchive
import Glibc

/// libarchive reading from a source, one format or filter at a time, so that what it takes a source for
/// never depends on bidding.
///
/// It reads through callbacks and never opens or writes a file. How much it may read in all is bounded by
/// the size of the source: a hostile index cannot send it back and forth without end.
final class LibArchive {
  private static let blockSize = 128 << 10

  static var version: String { String(cString: archive_version_string()) }

  private let archive: OpaquePointer
  private let source: any ByteSource
  private let room = UnsafeMutableRawBufferPointer.allocate(
    byteCount: LibArchive.blockSize, alignment: 16)
  private var position = 0
  /// Where in the source the bytes in `room` lie.
  private var blockRange = 0..<0
  private var budget: Int
  /// The read that failed, if one did.
  private(set) var failure: ReadFailure?
  /// Whether the bound on reading cut the archive off.
  private(set) var isOutOfBudget = false

  /// What the library may hold while it reads.
  let bound = UnsafeMutablePointer<allocation_bound>.allocate(capacity: 1)
  /// Bytes that came out since a window was asked for that is larger than may be filled.
  private var windowFilled = 0
  private(set) var isWindowFull = false
  /// Whether data of the current entry may be left.
  private(set) var isEntryOpen = false

  /// Whether reading data gave a warning: a checksum that does not match.
  private(set) var hasWarned = false

  /// Opens the source; `prepare` says which formats and filters count.
  init?(
    _ source: any ByteSource, memory: Int = LibArchive.memory, prepare: (OpaquePointer) -> Int32
  ) {
    guard let archive = archive_read_new() else { return nil }
    bound.initialize(to: allocation_bound(limit: memory, held: 0, refused: 0, windows: 0))
    self.archive = archive
    self.source = source
    budget = source.byteCount.multipliedReportingOverflow(by: 8).partialValue
    if budget < source.byteCount { budget = .max }
    budget = max(budget, 64 << 20)
    guard prepare(archive) >= ARCHIVE_WARN else { return nil }
    archive_read_set_callback_data(archive, Unmanaged.passUnretained(self).toOpaque())
    archive_read_set_read_callback(archive) { _, client, start in
      LibArchive.from(client)?.read(start) ?? Int(ARCHIVE_FATAL)
    }
    archive_read_set_skip_callback(archive) { _, client, count in
      LibArchive.from(client)?.skip(Int(count)) ?? 0
    }
    archive_read_set_seek_callback(archive) { _, client, offset, whence in
      LibArchive.from(client)?.seek(offset, whence) ?? la_int64_t(ARCHIVE_FATAL)
    }
  }

  deinit {
    archive_read_free(archive)
    room.deallocate()
    bound.deallocate()
  }

  var byteCount: Int { source.byteCount }

  /// Opens the archive; a warning counts as success.
  func open() -> Bool {
    bounded { archive_read_open1(archive) } >= ARCHIVE_WARN
  }

  /// What libarchive says went wrong last.
  var problem: String {
    archive_error_string(archive).map { String(cString: $0) } ?? "unknown error"
  }

  var hasEncryptedEntries: Bool {
    archive_read_has_encrypted_entries(archive) > 0
  }

  /// A text of an entry, its bytes without the end, bounded. The library ends the process where it finds
  /// ENOMEM in errno, even when that is left over from something else, so it is cleared first.
  static func text(
    _ field: (OpaquePointer?) -> UnsafePointer<CChar>?, of entry: OpaquePointer
  ) -> [UInt8]? {
    errno = 0
    guard let text = field(entry) else { return nil }
    return [UInt8](UnsafeRawBufferPointer(start: text, count: strnlen(text, 65_536)))
  }

  enum Step {
    case entry(OpaquePointer)
    case warned(OpaquePointer)
    case end
    case failed
  }

  /// The next entry.
  func next() -> Step {
    guard passWindow() else { return .failed }
    var entry: OpaquePointer?
    for _ in 0..<3 {
      errno = 0
      let result = bounded { archive_read_next_header(archive, &entry) }
      isEntryOpen = true
      switch result {
      case ARCHIVE_OK: return entry.map(Step.entry) ?? .failed
      case ARCHIVE_WARN: return entry.map(Step.warned) ?? .failed
      case ARCHIVE_EOF: return .end
      case ARCHIVE_RETRY: continue
      default: return .failed
      }
    }
    return .failed
  }

  enum Block {
    /// Bytes, and where in the entry they lie: between two blocks there may be a hole.
    case bytes(UnsafeRawBufferPointer, at: Int)
    case end
    /// Something is wrong with this entry; the next one may be well.
    case failed(isFatal: Bool)
  }

  /// More bytes of the current entry.
  func nextBlock() -> Block {
    let block = block()
    guard case .bytes(let bytes, _) = block else {
      isEntryOpen = false
      return block
    }
    guard bound.pointee.windows > Self.largestWindow else {
      windowFilled = 0
      return block
    }
    windowFilled += bytes.count
    isWindowFull = windowFilled > Self.largestWindow
    return isWindowFull ? .failed(isFatal: true) : block
  }

  private func block() -> Block {
    var start: UnsafeRawPointer?
    var count = 0
    var offset: la_int64_t = 0
    for _ in 0..<3 {
      errno = 0
      switch bounded({ archive_read_data_block(archive, &start, &count, &offset) }) {
      case ARCHIVE_WARN:
        hasWarned = true
        return .bytes(UnsafeRawBufferPointer(start: start, count: count), at: Int(offset))
      case ARCHIVE_OK:
        return .bytes(UnsafeRawBufferPointer(start: start, count: count), at: Int(offset))
      case ARCHIVE_EOF: return .end
      case ARCHIVE_RETRY: continue
      case ARCHIVE_FATAL: return .failed(isFatal: true)
      default: return .failed(isFatal: false)
      }
    }
    return .failed(isFatal: true)
  }

  /// The reader behind a callback: the pointer is the one `init` gave, and the object outlives the
  /// archive that calls back.
  private static func from(_ client: UnsafeMutableRawPointer?) -> LibArchive? {
    client.map { Unmanaged<LibArchive>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Where bytes that the library handed out lie in the source, if it handed them out as they were read:
  /// it does that for formats that do not compress.
  func sourceOffset(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let base = room.baseAddress, !bytes.isEmpty else {
      return nil
    }
    let distance = start - UnsafeRawPointer(base)
    guard distance >= 0, distance <= blockRange.count, bytes.count <= blockRange.count - distance
    else { return nil }
    return blockRange.lowerBound + distance
  }

  private func read(_ start: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int {
    guard budget > 0 else {
      isOutOfBudget = true
      return Int(ARCHIVE_FATAL)
    }
    // What the source needs is none of the library's.
    let bound = allocation_bound_enter(nil)
    defer { _ = allocation_bound_enter(bound) }
    do throws(ReadFailure) {
      let count = try source.read(at: position, into: room)
      blockRange = position..<position + count
      position += count
      budget -= max(count, 512)
      start?.pointee = UnsafeRawPointer(room.baseAddress)
      return count
    } catch {
      failure = error
      return Int(ARCHIVE_FATAL)
    }
  }

  private func skip(_ count: Int) -> la_int64_t {
    let skipped = max(0, min(count, source.byteCount - position))
    position += skipped
    return la_int64_t(skipped)
  }

  /// `whence` is SEEK_SET, SEEK_CUR or SEEK_END: 0, 1 and 2 on every system.
  private func seek(_ offset: la_int64_t, _ whence: Int32) -> la_int64_t {
    let base = whence == 0 ? 0 : whence == 1 ? position : source.byteCount
    let (target, overflow) = base.addingReportingOverflow(Int(offset))
    guard !overflow, target >= 0 else { return la_int64_t(ARCHIVE_FATAL) }
    budget -= 512
    position = min(target, source.byteCount)
    return la_int64_t(position)
  }
}
