package import Bytes

/// A database as it was at one commit: pages from the log where it has them, from the database file
/// where it does not.
package struct LogView: PageStore {
  package let geometry: PageGeometry
  package let pageCount: UInt32
  private let log: any ByteSource
  private let index: LogIndex
  private let generation: Int
  private let last: Int
  private let database: DatabaseFile?

  /// `last` is the last frame (from 0) that counts; `pageCount` the size of the database then.
  package init(
    log: any ByteSource, index: LogIndex, generation: Int, last: Int, pageCount: UInt32,
    database: DatabaseFile?, geometry: PageGeometry
  ) {
    self.log = log
    self.index = index
    self.generation = generation
    self.last = last
    self.database = database
    self.geometry = geometry
    let most = UInt32(clamping: index.frames.count).addingReportingOverflow(
      database?.pageCount ?? 0)
    let highest = index.highestPage
    let bound = most.overflow ? UInt32.max : max(most.partialValue, min(highest, 1 << 20))
    self.pageCount = min(pageCount == 0 ? bound : pageCount, bound)
  }

  package func read(from page: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let room = min(buffer.count, geometry.pageSize)
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
    guard let offset = sourceOffset(of: page) else {
      return unsafe database?.read(from: page, into: part) ?? 0
    }
    do throws(ReadFailure) {
      return unsafe try log.read(at: offset, into: part)
    } catch {
      return 0
    }
  }

  package func sourceOffset(of page: UInt32) -> Int? {
    index.frame(of: page, generation: generation, upTo: last).map(index.pageOffset(ofFrame:))
  }
}
