/// The sizes that decide where things lie in a page: everything in a database follows from them
/// (SQLite file format, §1.3.2, §1.5, §1.6).
package struct PageGeometry: Equatable, Sendable {
  package static let largestPage = 65_536

  /// A power of two from 512 to 65536.
  package var pageSize: Int
  /// Bytes at the end of every page that SQLite does not use; SQLCipher keeps IV and HMAC there.
  package var reserved: Int
  /// False for pages of a temporary database or for single pages, before which no file header lies.
  package var hasFileHeader = true

  /// Nothing where no database can have these sizes: at least 480 bytes of a page must be usable.
  package init?(pageSize: Int, reserved: Int) {
    guard pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else { return nil }
    guard reserved >= 0, reserved <= 255, pageSize - reserved >= 480 else { return nil }
    self.pageSize = pageSize
    self.reserved = reserved
  }

  /// Bytes of a page that b-trees and overflow chains use: U of the format's document.
  package var usable: Int { pageSize - reserved }

  /// The longest payload that stays whole in a cell: X.
  package func maxLocal(isTable: Bool) -> Int {
    isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
  }

  /// The least that a spilled payload keeps in its cell: M.
  package var minLocal: Int { (usable - 12) * 32 / 255 - 23 }

  /// How much of a payload of `count` bytes lies in its cell.
  package func localCount(of count: Int, isTable: Bool) -> Int {
    let most = maxLocal(isTable: isTable)
    guard count > most else { return count }
    let kept = minLocal + (count - minLocal) % (usable - 4)
    return kept <= most ? kept : minLocal
  }

  /// Content bytes of an overflow page: all but the number of the next one.
  package var overflowCapacity: Int { usable - 4 }

  /// The page that holds the file's lock bytes, at 1 GiB; it never holds content (§1.4).
  package var lockPage: UInt32 { UInt32(1_073_741_824 / pageSize) + 1 }

  /// Pages that one pointer-map page describes, itself included.
  private var pointerMapStride: UInt32 { UInt32(usable / 5) + 1 }

  /// The pointer-map page that describes `page` in an auto-vacuum database (§1.8).
  package func pointerMapPage(for page: UInt32) -> UInt32 {
    guard page >= 2 else { return 0 }
    let stride = pointerMapStride
    let map = (page - 2) / stride * stride + 2
    return map == lockPage ? map + 1 : map
  }

  /// Whether `page` is a pointer-map page of an auto-vacuum database.
  package func isPointerMapPage(_ page: UInt32) -> Bool {
    page >= 2 && pointerMapPage(for: page) == page
  }

  /// Where `page` starts in the file.
  package func offset(of page: UInt32) -> Int {
    (Int(page) - 1) * pageSize
  }

  /// Where the b-tree header of `page` starts in it: the first page has the file header before it.
  package func headerOffset(of page: UInt32) -> Int {
    page == 1 && hasFileHeader ? DatabaseHeader.byteCount : 0
  }
}
