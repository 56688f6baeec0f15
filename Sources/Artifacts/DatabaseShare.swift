import Findings
import SQLiteFormat

/// What reading some pages of a database brought up that concerns all of it.
struct DatabaseShare: ReaderShare {
  /// What was done to the map of the pages; done again in order it gives the map of the whole.
  enum Event: Sendable {
    case fault(UInt32, String)
    case role(UInt32, PageRole)
    /// A page with deleted records that go on in other pages.
    case spilled(UInt32)
    /// The pages of a live record's chain: its first, how many, the tree, the cell's page.
    case chain(UInt32, Int, Int, UInt32)
  }

  var events: [Event]
  /// Faults beyond those among the events.
  var faultsMore: Int
  var links: [UInt32: FreedChains.Link]
  var residue: Place?
  var freeblockCount: Int
  var gapBytes: Int
  var residueRecords: Int
  var densePages: Int
}
