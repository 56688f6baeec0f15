import Bytes
import Findings
import Formats
import SQLiteFormat

/// Streams of gzip and zlib that lie in bytes of a page which no record explains: its start was written
/// over, or it is too far gone to be told from chance. Raw bytes do not show what they hold.
struct LooseStreams {
  private struct Candidate {
    var range: Range<Int>
    var framing: DeflateFraming
    /// What it came to; its own checksum is proof.
    var isWhole = false
  }

  let database: Database
  let image: PageImage

  /// More starts of streams than this on a page are chance or malice.
  private static let mostTries = 512
  /// Output of one try, and of all on a page: a stream may expand a thousandfold.
  private static let trialSize = 1 << 20
  private static let mostTried = 8 << 20
  private static let headSize = 64
  /// How much of a chain of free pages is joined to what one of them starts.
  private static let mostJoined = 1 << 20

  /// Hands on what the streams in a range of the page hold.
  ///
  /// - Parameter records: what was read of the range: their values were handed on whole.
  func emit(
    in bytes: RawSpan, range: Range<Int>, region: PageRegion, besides records: [FoundRecord],
    into sink: inout some FragmentSink
  ) {
    let part = bytes.clamped(to: range)
    let known = Self.starts(of: records, in: range)
    let candidates = Self.candidates(in: part, besides: known)
    guard !candidates.isEmpty else { return }
    var data = part.copied()
    let local = data.count
    var (found, isCut) = Self.tried(candidates, in: data)
    if found.contains(where: { !$0.isWhole }) {
      data += rest(of: bytes, after: range)
      if data.count > local { (found, isCut) = Self.tried(candidates, in: data) }
    }
    if isCut {
      sink.diagnostic(
        .limitCount, "free bytes of a page start more compressed data than is followed",
        remedy: "look at the page with vestige inspect",
        steps: image.steps)
    }
    for stream in found {
      if sink.isExhausted { return }
      let end = min(stream.range.upperBound, local)
      let within = range.lowerBound + stream.range.lowerBound..<range.lowerBound + end
      var place = image.place(of: within, region: region, in: database)
      place.steps += [stream.framing == .gzip ? "gzip" : "zlib", String(within.lowerBound)]
      place.origin = .transformed
      guard sink.beginMember("", at: place) else { return }
      var inflater = StreamInflater(stream.framing)
      _ = inflater.run(MemorySource(data), range: stream.range, into: &sink)
      sink.endMember()
    }
  }

  /// Whether a free part of a b-tree page holds a file. The two bytes of zlib stand everywhere by chance,
  /// and to look for the record around them costs a hundred times what a try does.
  static func standIn(freePartsOf bytes: RawSpan, header: BTreePage, of database: Database) -> Bool
  {
    guard database.mayHoldLooseFile(bytes, header: header) else { return false }
    return database.freeRegions(in: bytes, header: header).contains { _, range in
      let part = bytes.clamped(to: range)
      let isSigned = ["PK\u{3}\u{4}", "bplist0"].contains {
        part.firstOffset(of: $0, in: 0..<part.byteCount) != nil
      }
      if isSigned { return true }
      let (streams, isCut) = tried(candidates(in: part), in: part.copied())
      return isCut || !streams.isEmpty
    }
  }

  /// Hands on what the streams in the gap and the freeblocks of a b-tree page hold.
  func emit(
    inFreeParts bytes: RawSpan, header: BTreePage, besides records: [FoundRecord],
    into sink: inout some FragmentSink
  ) {
    for (region, range) in database.freeRegions(in: bytes, header: header)
    where database.hasResidue(bytes, in: range) {
      emit(in: bytes, range: range, region: region, besides: records, into: &sink)
    }
  }

  /// Hands on what the streams in a page hold that is no part of the content any more.
  func emit(
    inFreedPage bytes: RawSpan, besides records: [FoundRecord], into sink: inout some FragmentSink
  ) {
    var start = 0
    if image.role == .freelistTrunk {
      start = FreelistTrunk(parsing: bytes, geometry: database.geometry).overwritten
    }
    emit(
      in: bytes, range: start..<database.geometry.usable, region: .content, besides: records,
      into: &sink)
  }

  /// What follows in the pages of a free chain, where the page is one of its own: in that of a b-tree page
  /// the first bytes name no other page.
  private func rest(of bytes: RawSpan, after range: Range<Int>) -> [UInt8] {
    guard image.isFreed, range.upperBound == database.geometry.usable,
      BTreePage(parsing: bytes, headerOffset: 0)?.isPlausible(geometry: database.geometry) != true
    else { return [] }
    return database.freedContent(from: bytes.word(at: 0), limit: Self.mostJoined)
  }

  /// Where the values of records start, with and without the byte that Core Data puts before data.
  private static func starts(of records: [FoundRecord], in range: Range<Int>) -> Set<Int> {
    var starts: Set<Int> = []
    for found in records {
      for value in found.carved.record.values where value.type.kind == .blob {
        let start = found.carved.localRange(of: value).lowerBound - range.lowerBound
        starts.formUnion([start, start + 1])
      }
    }
    return starts
  }

  /// One more than are tried, where there are so many.
  private static func candidates(in part: RawSpan, besides known: Set<Int> = []) -> [Candidate] {
    var found: [Candidate] = []
    var offset = 0
    while let start = part.firstStream(from: offset), found.count <= mostTries {
      offset = start + 1
      guard !known.contains(start) else { continue }
      let framing = part[at: start] == 0x1f ? DeflateFraming.gzip : .zlib
      found.append(Candidate(range: start..<part.byteCount, framing: framing))
    }
    return found
  }

  /// Those of the candidates that decompress, none inside another, in their order; and whether some were
  /// not tried.
  private static func tried(
    _ candidates: [Candidate], in data: [UInt8]
  ) -> (streams: [Candidate], isCut: Bool) {
    var found: [Candidate] = []
    let source = MemorySource(data)
    var budget = mostTried
    var isCut = candidates.count > mostTries
    for framing in [DeflateFraming.gzip, .zlib] {
      let some = candidates.prefix(mostTries).filter { $0.framing == framing }
      guard !some.isEmpty else { continue }
      var inflater = StreamInflater(framing)
      for candidate in some {
        guard budget > 0 else {
          isCut = true
          break
        }
        let start = candidate.range.lowerBound
        guard !found.contains(where: { $0.range.contains(start) }) else { continue }
        if let stream = tried(start, framing, in: source, &inflater, &budget) {
          found.append(stream)
        }
      }
    }
    return (found.sorted { $0.range.lowerBound < $1.range.lowerBound }, isCut)
  }

  private static func tried(
    _ start: Int, _ framing: DeflateFraming, in source: MemorySource,
    _ inflater: inout StreamInflater, _ budget: inout Int
  ) -> Candidate? {
    var head: [UInt8] = []
    var left = trialSize
    let outcome = inflater.run(source, range: start..<source.byteCount) { bytes in
      if head.count < headSize { head.append(contentsOf: bytes.prefix(headSize - head.count)) }
      left -= bytes.count
      return left > 0
    }
    budget -= outcome.produced
    guard outcome.produced > 0 else { return nil }
    let isWhole = outcome.ending == .finished
    // Cut off or written over: what it starts with tells it from chance.
    guard isWhole || isTelling(head) else { return nil }
    let end = outcome.ending == .refused ? source.byteCount : start + outcome.consumed
    return Candidate(range: start..<end, framing: framing, isWhole: isWhole)
  }

  /// Whether the start of a file or of a text came out.
  private static func isTelling(_ head: [UInt8]) -> Bool {
    head.count >= 16
      && (FileSignature.hasSignature(head.span.bytes)
        || !head.contains { $0 < 9 || $0 > 13 && $0 < 32 || $0 == 0x7f })
  }
}
