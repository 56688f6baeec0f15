import Bytes
import Findings
import SQLiteFormat

/// Names the places of one stored image of a page.
struct ImageLocator {
  let database: Database
  let image: PageImage
  private let records: [FoundRecord]

  init(_ image: PageImage, in bytes: RawSpan, database: Database) {
    self.database = database
    self.image = image
    records = database.records(in: bytes, page: image.page, role: image.role, tree: image.tree)
  }

  /// The place of a range of the page: a value of a record, or the part of the page it lies in.
  func place(of range: Range<Int>, in bytes: RawSpan) -> Place {
    let holding = records.filter { $0.carved.range.overlaps(range) }
    let best = holding.max { one, other in
      one.carved.range.clamped(to: range).count < other.carved.range.clamped(to: range).count
    }
    guard let best else {
      let region = database.region(
        at: range.lowerBound, in: bytes, page: image.page, role: image.role)
      return image.place(of: range, region: region, in: database)
    }
    let places = RecordPlaces(best, in: bytes, payload: nil, image: image, database: database)
    let value = best.carved.record.values.enumerated().max { one, other in
      best.carved.localRange(of: one.element).clamped(to: range).count
        < best.carved.localRange(of: other.element).clamped(to: range).count
    }
    let pieces = image.sourceRange(range).map {
      [Piece(offset: 0, source: $0.lowerBound, count: $0.count)]
    }
    guard let value, best.carved.localRange(of: value.element).overlaps(range) else {
      if best.carved.rowidRange == range { return places.place(ofRowid: pieces) }
      return places.place(ofValue: Int.max, pieces: pieces)
    }
    return places.place(ofValue: value.offset, pieces: pieces)
  }
}

/// Names the places of a database file.
final class DatabaseLocator: PlaceLocator {
  private let database: Database
  private let scan: DatabaseScan
  private let byteCount: Int
  private var last: ImageLocator?

  init(_ scan: DatabaseScan, byteCount: Int) {
    database = scan.database
    self.scan = scan
    self.byteCount = byteCount
  }

  func place(of range: Range<Int>) -> Place? {
    guard range.lowerBound >= 0, range.upperBound <= byteCount else { return nil }
    let size = database.geometry.pageSize
    let page = UInt32(clamping: range.lowerBound / size + 1)
    let start = database.geometry.offset(of: page)
    let within = range.lowerBound - start..<min(range.upperBound - start, size)
    guard page <= database.pages.store.pageCount else {
      let piece = Piece(offset: 0, source: range.lowerBound, count: range.count)
      return Place(steps: ["trailing"], liveness: .slack, origin: .pieces([piece]))
    }
    if let place = currentPlace(of: within, page: page) { return place }
    if let place = overflowPlace(of: within, page: page) { return place }
    if let place = freedPlace(of: within, page: page) { return place }
    return database.pages.withPage(page) { bytes in
      let locator: ImageLocator
      if let last, last.image.page == page {
        locator = last
      } else {
        locator = ImageLocator(scan.image(of: page), in: bytes, database: database)
        last = locator
      }
      return locator.place(of: within, in: bytes)
    }
  }

  /// Where a page counts only with what lies beside the file, its place in that view.
  private func currentPlace(of range: Range<Int>, page: UInt32) -> Place? {
    guard let current = scan.current, let view = current.database,
      current.standing(of: page, in: database) == .other,
      let image = current.image(of: page, prefix: scan.prefix)
    else { return nil }
    let piece = Piece(
      offset: 0, source: database.geometry.offset(of: page) + range.lowerBound, count: range.count)
    if let place = view.overflowPlace(of: range, page: page, pieces: [piece], image: { _ in image })
    {
      return place
    }
    return view.pages.withPage(page) {
      ImageLocator(image, in: $0, database: view).place(of: range, in: $0)
    }
  }

  private func overflowPlace(of range: Range<Int>, page: UInt32) -> Place? {
    let pieces = database.pages.store.sourceOffset(of: page).map {
      [Piece(offset: 0, source: $0 + range.lowerBound, count: range.count)]
    }
    var place = database.overflowPlace(
      of: range, page: page, pieces: pieces, image: { scan.image(of: $0) })
    // The row's own page may have another version in the log, and this one be as it was.
    if let worth = place?.liveness, worth != .slack {
      place?.liveness = scan.liveness(of: page, .overflow)
    }
    return place
  }

  /// The value of a deleted record that a freed overflow page holds a part of.
  private func freedPlace(of range: Range<Int>, page: UInt32) -> Place? {
    guard let link = scan.freedChains.link(of: page), range.lowerBound >= link.pageOffset else {
      return nil
    }
    // A page that has since been a b-tree page is read as such.
    let isTree = database.pages.withPage(page) {
      BTreePage(parsing: $0, headerOffset: 0)?.isPlausible(geometry: database.geometry) == true
    }
    guard isTree == false else { return nil }
    var image = scan.image(of: link.page)
    let role = database.role(of: page)
    let start = database.pages.store.sourceOffset(of: page)
    let pieces = start.map {
      [Piece(offset: 0, source: $0 + range.lowerBound, count: range.count)]
    }
    return database.pages.withPage(link.page) { bytes -> Place? in
      let records = database.records(
        in: bytes, page: link.page, role: image.role, tree: image.tree)
      let owner = records.first { $0.carved.range.lowerBound == link.cell && !$0.isLive }
      guard let owner else { return nil }
      let offset = link.offset + range.lowerBound - link.pageOffset
      guard offset < owner.carved.payloadCount else { return nil }
      image.role = role
      let places = RecordPlaces(owner, in: bytes, payload: nil, image: image, database: database)
      let column = owner.carved.record.values.firstIndex { $0.range.contains(offset) }
      var place = places.place(ofValue: column ?? Int.max, pieces: pieces)
      place.context.page = Int(page)
      place.context.role = role.name
      place.liveness = .deleted
      return place
    } ?? nil
  }
}

extension Database {
  /// The value that a part of an overflow page belongs to: the chain is climbed to the cell it starts
  /// from.
  ///
  /// - Parameter image: the image of the page that the cell lies on, or that the place is to be named by.
  func overflowPlace(
    of range: Range<Int>, page: UInt32, pieces: [Piece]?, image: (UInt32) -> PageImage
  ) -> Place? {
    guard role(of: page) == .overflow, range.lowerBound >= 4 else { return nil }
    var owner = map.parent(of: page)
    var first = page
    var position = 0
    while role(of: owner) == .overflow {
      guard position < Int(map.pageCount) else { return nil }
      first = owner
      owner = map.parent(of: owner)
      position += 1
    }
    guard let found = liveRecords(of: owner).first(where: { $0.carved.overflow == first }) else {
      return nil
    }
    let offset =
      found.carved.localCount + position * geometry.overflowCapacity + range.lowerBound - 4
    var image = image(owner)
    image.role = .overflow
    return pages.withPage(owner) { bytes in
      let places = RecordPlaces(found, in: bytes, payload: nil, image: image, database: self)
      let column = found.carved.record.values.firstIndex { $0.range.contains(offset) }
      var place = places.place(ofValue: column ?? Int.max, pieces: pieces)
      place.context.page = Int(page)
      if offset >= found.carved.payloadCount { place.liveness = .slack }
      return place
    }
  }
}
