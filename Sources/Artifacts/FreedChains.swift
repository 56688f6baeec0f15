import Bytes
import Findings
import SQLiteFormat

/// Which deleted records the freed overflow pages belonged to, so that a raw hit in one of them can
/// be given its table and column.
final class FreedChains {
  struct Link: Sendable {
    /// Page and start of the cell that the chain began in.
    var page: UInt32
    var cell: Int
    /// Place in the payload of the first content byte, and where that lies in the page.
    var offset: Int
    var pageOffset: Int
  }

  private(set) var links: [UInt32: Link] = [:]
  private static let mostLinks = 200_000

  func note(_ payload: Payload, of carved: CarvedRecord, from page: UInt32) {
    for part in payload.parts where part.page != page && links.count < Self.mostLinks {
      links[part.page] = Link(
        page: page, cell: carved.range.lowerBound, offset: part.offset, pageOffset: part.pageOffset)
    }
  }

  /// Adds what was learned of other pages.
  func add(_ others: [UInt32: Link]) {
    guard links.count + others.count <= Self.mostLinks else { return }
    links.merge(others) { $1 }
  }

  func link(of page: UInt32) -> Link? { links[page] }
}
