import Bytes
import Findings
import Formats
import SQLiteFormat

/// Turns records into fragments: one value after another, with the name of its column and the texts
/// beside it.
struct RowReader {
  let database: Database
  /// Where overflow pages of live records are read from: the file, or a view through a log.
  let pages: PageCache
  let touched: TouchMap
  /// What is learned of the pages of deleted chains on the way.
  let freedChains = FreedChains()
  /// Columns whose values are handed over whatever the raw search saw.
  let telling: TellingColumns
  /// Reads a file beside the database, for values that Core Data keeps outside.
  var sibling: (String) -> (any ByteSource)? = { _ in nil }
  /// Whether a page counts, whatever the page counts for that points to it: a row's page may have a newer
  /// version, and its overflow pages none.
  var isCurrent: ((UInt32) -> Bool)?
  /// Name of the database's file.
  var name = ""
  /// Trees whose blobs hold the terms of a full-text index.
  private let fullText: [Int: FullText.Version]

  init(database: Database, pages: PageCache, touched: TouchMap) {
    self.database = database
    self.pages = pages
    self.touched = touched
    fullText = database.fullTextTrees
    telling = TellingColumns(database)
  }

  /// Longer payloads are read this far; the rest was searched as it lies, and the reader says so.
  static let mostPayload = 64 << 20

  /// Hands over the values of a record in which the raw search saw something; all texts and data of it
  /// where that was something that values beside it can explain; else only those that its raw bytes do
  /// not show.
  func emit(
    _ found: FoundRecord, in bytes: RawSpan, image: PageImage, into sink: inout some FragmentSink
  ) {
    let carved = found.carved
    if carved.overflow != 0 {
      emitSpilled(found, in: bytes, image: image, into: &sink)
      return
    }
    emitRowid(of: found, in: bytes, image: image, into: &sink)
    let isWhole = image.sourceRange(carved.range).map(touched.isRecordMarked) ?? true
    let terms = fullText[carved.tree]
    let telling = telling.columns(ofTree: carved.tree, sink)
    var places: RecordPlaces?
    for (index, value) in carved.record.values.enumerated() {
      let range = carved.localRange(of: value)
      guard !range.isEmpty else { continue }
      let isText16 = value.type.kind == .text && database.encoding != .utf8
      let part = bytes.clamped(to: range)
      let isBlob = value.type.kind == .blob
      let isTold = index < telling.count && telling[index]
      let isTouched =
        image.sourceRange(range).map(touched.isMarked) ?? true
        || (isWhole || isTold) && value.isSpoken
      let isExternal = isBlob && ExternalBlob.identifier(in: part) != nil
      let isFile = isBlob && mayBeFile(part, isTouched: isTouched) || isExternal
      let isNumber = isTold && value.type.kind == .integer
      guard isTouched || isText16 || isFile || isNumber || isBlob && terms != nil else { continue }
      if places == nil {
        places = RecordPlaces(found, in: bytes, payload: nil, image: image, database: database)
      }
      guard let places else { continue }
      let pieces = image.sourceRange(range).map {
        [Piece(offset: 0, source: $0.lowerBound, count: $0.count)]
      }
      let place = places.place(ofValue: index, pieces: pieces)
      if isTouched || isText16 { emit(value, part, lost: [], at: place, into: &sink) }
      if isBlob, isTouched {
        emitSample(part, column: index, of: carved.tree, at: place, into: &sink)
      }
      if isNumber { emitNumber(value, part, at: place, into: &sink) }
      if isBlob, let terms { emitTerms(of: part, version: terms, at: place, into: &sink) }
      if isFile { nest(part, name: places.columnName(index), at: place, into: &sink) }
    }
  }

  /// The rowid as it is stored: for some tables it is what they are about, a number or an instant.
  private func emitRowid(
    of found: FoundRecord, in bytes: RawSpan, image: PageImage, into sink: inout some FragmentSink
  ) {
    guard let range = found.carved.rowidRange, range.count >= 4,
      image.sourceRange(range).map(touched.isMarked) ?? true
    else { return }
    let places = RecordPlaces(found, in: bytes, payload: nil, image: image, database: database)
    let pieces = image.sourceRange(range).map {
      [Piece(offset: 0, source: $0.lowerBound, count: $0.count)]
    }
    sink.fragment(bytes.clamped(to: range), at: places.place(ofRowid: pieces))
  }

  private func emitSpilled(
    _ found: FoundRecord, in bytes: RawSpan, image: PageImage, into sink: inout some FragmentSink
  ) {
    let carved = found.carved
    emitRowid(of: found, in: bytes, image: image, into: &sink)
    let payload = database.payload(
      of: carved, in: bytes, page: image.page, limit: Self.mostPayload, isLive: found.isLive,
      pages: pages)
    // A record found in residue may claim any size: only what was there to be joined counts.
    if payload.isLimited, found.isLive || payload.bytes.count >= Self.mostPayload {
      sink.diagnostic(
        .limitSize, "a value of \(counted(carved.payloadCount, "byte")) was joined up to its limit",
        remedy: "its bytes were searched as they lie; extract it to have it searched whole",
        steps: image.steps + found.region.steps)
    }
    if !found.isLive { freedChains.note(payload, of: carved, from: image.page) }
    emitTail(of: payload, image: image, into: &sink)
    let all = payload.bytes.span.bytes
    let places = RecordPlaces(found, in: bytes, payload: payload, image: image, database: database)
    let isWhole = image.sourceRange(carved.range).map(touched.isRecordMarked) ?? true
    let telling = telling.columns(ofTree: carved.tree, sink)
    for (index, value) in carved.record.values.enumerated() where value.count > 0 {
      let part = all.clamped(to: value.range)
      guard part.byteCount > 0 else { continue }
      let parts = payload.parts(of: value.range)
      let pieces = parts.compactMap { part -> Piece? in
        let start = part.page == image.page ? image.source : pages.store.sourceOffset(of: part.page)
        return start.map {
          Piece(offset: part.offset - value.offset, source: $0 + part.pageOffset, count: part.count)
        }
      }
      let isTold = index < telling.count && telling[index]
      let isTouched =
        (isWhole || isTold) && value.isSpoken
        || pieces.contains { touched.isMarked($0.source..<$0.source + $0.count) }
      let isText16 = value.type.kind == .text && database.encoding != .utf8
      var place = places.place(ofValue: index, pieces: image.source == nil ? nil : pieces)
      if place.liveness != .live, found.isLive {
        let used = parts.filter { $0.page != image.page && isCurrent?($0.page) == true }
        if used.count == parts.count { place.liveness = .live }
        place.used = used.compactMap { part in
          pages.store.sourceOffset(of: part.page).map {
            ByteRange(offset: $0 + part.pageOffset, length: part.count)
          }
        }
      }
      if parts.count > 1 || isTouched || isText16 || image.source == nil {
        let lost = payload.lost.compactMap { $0.clampedOrNil(to: value.range) }.map {
          $0.lowerBound - value.offset..<$0.upperBound - value.offset
        }
        emit(value, part, lost: lost, at: place, into: &sink)
      }
      if value.type.kind == .blob {
        emitSample(part, column: index, of: carved.tree, at: place, into: &sink)
      }
      if value.type.kind == .blob, let terms = fullText[carved.tree] {
        emitTerms(of: part, version: terms, at: place, into: &sink)
      }
      if value.type.kind == .blob, mayBeFile(part, isTouched: isTouched) {
        nest(part, name: places.columnName(index), at: place, into: &sink)
      }
    }
  }

  /// Whether a blob is to be read as a file: JSON only where something was seen in it, or is escaped.
  private func mayBeFile(_ blob: RawSpan, isTouched: Bool) -> Bool {
    FileSignature.mayBeFile(blob)
      || JSONBText.isLikely(blob, byteCount: blob.byteCount)
        && (isTouched || blob.firstOffset(of: 0x5c) != nil)
  }

  /// The last page of a chain keeps behind the value what it held before.
  private func emitTail(
    of payload: Payload, image: PageImage, into sink: inout some FragmentSink
  ) {
    guard payload.isComplete, let last = payload.parts.last, last.page != image.page else { return }
    let tail = last.pageOffset + last.count..<database.geometry.usable
    _ = pages.withPage(last.page) { bytes in
      guard tail.count >= 12, database.hasResidue(bytes, in: tail) else { return }
      var image = image
      image.steps += ["overflow", String(last.page)]
      image.page = last.page
      image.role = .overflow
      image.liveness = .slack
      image.source = pages.store.sourceOffset(of: last.page)
      LooseStreams(database: database, image: image).emit(
        in: bytes, range: tail, region: .content, besides: [], into: &sink)
    }
  }

  func emit(
    _ value: RecordValue, _ bytes: RawSpan, lost: [Range<Int>], at place: Place,
    into sink: inout some FragmentSink
  ) {
    if value.type.kind == .text, database.encoding != .utf8 {
      let text = bytes.utf16Text(bigEndian: database.encoding == .utf16BigEndian)
      let stored = place
      var place = place
      if case .pieces(let pieces) = place.origin, let first = pieces.first {
        place.origin = .decoded(from: ByteRange(offset: first.source, length: first.count))
      }
      let decoded = Array(text.utf8)
      sink.fragment(decoded.span.bytes, at: place)
      if !lost.isEmpty { sink.fragment(bytes, lost: lost, at: stored) }
    } else if lost.isEmpty {
      sink.fragment(bytes, at: place)
    } else {
      sink.fragment(bytes, lost: lost, at: place)
    }
  }

  /// A number under a telling name, in decimal: rules know what people write.
  private func emitNumber(
    _ value: RecordValue, _ bytes: RawSpan, at place: Place, into sink: inout some FragmentSink
  ) {
    let stored = RecordValue(type: value.type, offset: 0, count: value.count)
    guard let number = stored.integer(in: bytes), number.magnitude >= 1_000 else { return }
    var place = place
    if case .pieces(let pieces) = place.origin, let first = pieces.first {
      place.origin = .decoded(from: ByteRange(offset: first.source, length: first.count))
    }
    let text = Array(String(number).utf8)
    sink.fragment(text.span.bytes, at: place)
  }

  /// The terms of a full-text index, one a line: decompressed, each from somewhere in the blob.
  private func emitTerms(
    of blob: RawSpan, version: FullText.Version, at place: Place,
    into sink: inout some FragmentSink
  ) {
    guard let terms = FullText.terms(in: blob, version: version) else { return }
    var place = place
    place.steps.append("terms")
    if case .pieces(let pieces) = place.origin, let first = pieces.first {
      place.origin = .decoded(from: ByteRange(offset: first.source, length: first.count))
    }
    sink.fragment(terms.span.bytes, at: place)
  }

  /// Core Data puts a byte 1 before data that it keeps in the row, where it might have put it into a
  /// file of its own.
  private func nest(
    _ bytes: RawSpan, name: String, at place: Place, into sink: inout some FragmentSink
  ) {
    if let file = ExternalBlob.identifier(in: bytes) {
      nestExternal(file, name: name, at: place, into: &sink)
      return
    }
    sink.nested(bytes.copied(), name: name, at: place)
    guard bytes[at: 0] == 1 else { return }
    let inner = bytes.clamped(to: 1..<bytes.byteCount)
    guard FileSignature.hasSignature(inner) else { return }
    sink.nested(inner.copied(), name: name, at: place.droppingFirst(1))
  }
}

extension RowReader {
  /// A value that Core Data keeps in a file of its own beside the store.
  private func nestExternal(
    _ file: String, name column: String, at place: Place, into sink: inout some FragmentSink
  ) {
    let path = ExternalBlob.path(of: file, store: name)
    guard let source = sibling(path),
      let bytes = try? source.bytes(at: 0, count: RowReader.mostExternal), !bytes.isEmpty
    else { return }
    var place = place
    place.origin = .transformed
    place.context.member = path
    place.steps.append("external")
    sink.nested(bytes, name: column, at: place)
  }

  /// More of an external file is left to the scan of that file.
  private static let mostExternal = 16 << 20
}

extension RecordValue {
  /// Whether names and words beside it can say what it is: text and data of some length. Numbers in
  /// their storage form are known by themselves or not at all.
  fileprivate var isSpoken: Bool {
    (type.kind == .text || type.kind == .blob) && count >= 4
  }
}

extension Place {
  /// The same place without its first bytes.
  func droppingFirst(_ count: Int) -> Place {
    var place = self
    if case .pieces(let pieces) = origin {
      place.origin = .pieces(
        pieces.compactMap { piece in
          let lost = max(0, count - piece.offset)
          guard lost < piece.count else { return nil }
          return Piece(
            offset: max(piece.offset - count, 0), source: piece.source + lost,
            count: piece.count - lost)
        })
    }
    return place
  }
}
