package import Bytes

/// Pages that belong together: a database file, a view of it through a log, the originals in a
/// journal.
package protocol PageStore {
  var geometry: PageGeometry { get }
  var pageCount: UInt32 { get }

  /// Fills `buffer` with the pages from `page` on and says how many bytes are there; a store whose
  /// pages do not follow one another gives one page.
  func read(from page: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int

  /// Where the page lies in the source that is being read; nothing where it lies in another file or
  /// shows in none (decrypted).
  func sourceOffset(of page: UInt32) -> Int?
}

/// The pages of a database file as they follow one another.
package struct DatabaseFile: PageStore {
  package let source: any ByteSource
  package let geometry: PageGeometry
  /// Whole pages that the file holds; a last partial one is not among them.
  package let pageCount: UInt32
  /// Whether bytes of the source are bytes of the outer file.
  package let showsBytes: Bool

  package init(source: any ByteSource, geometry: PageGeometry, showsBytes: Bool = true) {
    self.source = source
    self.geometry = geometry
    self.showsBytes = showsBytes
    pageCount = UInt32(clamping: source.byteCount / geometry.pageSize)
  }

  package func read(from page: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard page >= 1, page <= pageCount else { return 0 }
    return unsafe (try? source.read(at: geometry.offset(of: page), into: buffer)) ?? 0
  }

  package func sourceOffset(of page: UInt32) -> Int? {
    showsBytes ? geometry.offset(of: page) : nil
  }
}

/// Keeps the pages that were read last, a few windows of neighbouring pages, so that a chain costs
/// one read a window and not one a page.
package final class PageCache {
  package let store: any PageStore
  private var windows: [(first: UInt32, bytes: [UInt8])] = []
  private var oldest = 0
  private let windowSize: Int
  private let windowCount = 8

  package init(_ store: any PageStore, windowSize: Int = 65_536) {
    self.store = store
    self.windowSize = max(windowSize, store.geometry.pageSize)
  }

  /// Runs `body` on the page's bytes; nothing where the page is not there whole.
  package func withPage<Value>(_ page: UInt32, _ body: (RawSpan) -> Value) -> Value? {
    guard page >= 1, page <= store.pageCount else { return nil }
    let size = store.geometry.pageSize
    for window in windows where page >= window.first {
      let offset = Int(page - window.first) * size
      guard offset <= window.bytes.count - size else { continue }
      return unsafe body(window.bytes.span.bytes.clamped(to: offset..<offset + size))
    }
    guard let bytes = load(page), bytes.count >= size else { return nil }
    return unsafe body(bytes.span.bytes.clamped(to: 0..<size))
  }

  /// The same for a page whose neighbours are of no interest: nothing is read ahead or kept.
  package func withLonePage<Value>(_ page: UInt32, _ body: (RawSpan) -> Value) -> Value? {
    guard page >= 1, page <= store.pageCount else { return nil }
    let size = store.geometry.pageSize
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      filled = unsafe store.read(from: page, into: UnsafeMutableRawBufferPointer(buffer))
    }
    guard bytes.count == size else { return nil }
    return unsafe body(bytes.span.bytes)
  }

  private func load(_ page: UInt32) -> [UInt8]? {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: windowSize) { buffer, filled in
      filled = unsafe store.read(from: page, into: UnsafeMutableRawBufferPointer(buffer))
    }
    guard !bytes.isEmpty else { return nil }
    if windows.count < windowCount {
      windows.append((page, bytes))
    } else {
      windows[oldest] = (page, bytes)
      oldest = (oldest + 1) % windowCount
    }
    return bytes
  }
}
