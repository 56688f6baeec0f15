package import Bytes

/// What every frame of a write-ahead log is: made in one pass over the log, in 16 bytes a frame.
package struct LogIndex: Sendable {
  package struct Frame: Equatable, Sendable {
    package var page: UInt32
    package var commitSize: UInt32
    /// Place of its salts in `generations`.
    package var generation: UInt16
    package var state: FrameState
    /// Whether its checksum follows from the frame before it.
    package var isSound: Bool
  }

  /// Frames that bear the same salts.
  package struct Generation: Equatable, Sendable {
    package var salts: Salts
    package var isCurrent: Bool
    /// Frames from 1.
    package var first: Int
    package var last: Int
    package var frameCount = 0
    package var commitCount = 0
    package var soundCount = 0
  }

  /// More frames are not indexed.
  package static let mostFrames = 4_000_000

  package private(set) var frames: [Frame] = []
  package private(set) var generations: [Generation] = []
  /// Size of the database after the last commit, 0 without one.
  package private(set) var committedSize: UInt32 = 0
  /// Bytes after the last whole frame.
  package private(set) var trailing = 0
  /// There are more frames than are indexed.
  package private(set) var isCutOff = false
  package let pageSize: Int
  /// The highest page number of any frame.
  package private(set) var highestPage: UInt32 = 0
  /// Frames in the order of page, then frame.
  private var order: [UInt32] = []

  package var frameSize: Int { pageSize + FrameHeader.byteCount }

  /// Where the page of a frame (from 0) starts in the log.
  package func pageOffset(ofFrame index: Int) -> Int {
    LogHeader.byteCount + index * frameSize + FrameHeader.byteCount
  }

  package init(_ log: any ByteSource, header: LogHeader, pageSize: Int) throws(ReadFailure) {
    self.pageSize = pageSize
    let frameSize = pageSize + FrameHeader.byteCount
    let available = max(0, log.byteCount - LogHeader.byteCount)
    let count = min(available / frameSize, Self.mostFrames)
    isCutOff = available / frameSize > count
    trailing = available % frameSize
    let step = max(1, (1 << 20) / frameSize)
    var running = header.checksum
    var chainHolds = true
    var index = 0
    while index < count {
      let offset = LogHeader.byteCount + index * frameSize
      let wanted = min(step, count - index)
      let bytes = try log.bytes(at: offset, count: wanted * frameSize)
      let read = bytes.count / frameSize
      guard read > 0 else { break }
      for position in 0..<read {
        let start = position * frameSize
        let frame = unsafe bytes.span.bytes.clamped(to: start..<start + frameSize)
        add(frame, header: header, running: &running, chainHolds: &chainHolds)
      }
      index += read
    }
    classify()
  }

  private mutating func add(
    _ bytes: RawSpan, header: LogHeader, running: inout LogChecksum, chainHolds: inout Bool
  ) {
    guard var frame = try? FrameHeader(parsing: bytes) else { return }
    // While an open transaction rewrites frames in place, those it adds bear neither salts nor sums
    // (`walEncodeFrame` in wal.c): they belong to the generation they follow.
    let isUnsigned = frame.salts == Salts(one: 0, two: 0) && frame.checksum == LogChecksum()
    if isUnsigned, let last = frames.last, generations[Int(last.generation)].isCurrent {
      frame.salts = header.salts
    }
    running.add(bytes.clamped(to: 0..<8), bigEndian: header.checksumsAreBigEndian)
    running.add(
      bytes.clamped(to: FrameHeader.byteCount..<bytes.byteCount),
      bigEndian: header.checksumsAreBigEndian)
    let isSound = running == frame.checksum
    // The next frame's sum goes on from what this one states: so that frames after a break, and those
    // of older generations, can be verified against their neighbour.
    running = frame.checksum
    let isCurrent = frame.salts == header.salts
    if !isCurrent || !isSound || frame.page == 0 { chainHolds = false }
    let state: FrameState = chainHolds ? .uncommitted : isCurrent ? .torn : .stale
    let generation = generation(of: frame.salts, isCurrent: isCurrent)
    highestPage = max(highestPage, frame.page)
    frames.append(
      Frame(
        page: frame.page, commitSize: frame.commitSize, generation: UInt16(clamping: generation),
        state: state, isSound: isSound))
    generations[generation].last = frames.count
    generations[generation].frameCount += 1
    if frame.commitSize != 0 { generations[generation].commitCount += 1 }
    if isSound { generations[generation].soundCount += 1 }
  }

  /// Hostile logs may change salts with every frame: beyond 200 the last generation takes the rest.
  private mutating func generation(of salts: Salts, isCurrent: Bool) -> Int {
    if let known = generations.lastIndex(where: { $0.salts == salts }) { return known }
    if generations.count >= 200 { return generations.count - 1 }
    let first = frames.count + 1
    generations.append(Generation(salts: salts, isCurrent: isCurrent, first: first, last: first))
    return generations.count - 1
  }

  private mutating func classify() {
    let lastCommit = frames.lastIndex { $0.state == .uncommitted && $0.commitSize != 0 }
    if let lastCommit {
      committedSize = frames[lastCommit].commitSize
      var seen: Set<UInt32> = []
      for index in stride(from: lastCommit, through: 0, by: -1) {
        let isNewest = seen.insert(frames[index].page).inserted
        frames[index].state =
          isNewest && frames[index].page <= committedSize ? .live : .superseded
      }
    }
    order = (0..<UInt32(frames.count)).sorted {
      let one = frames[Int($0)].page
      let other = frames[Int($1)].page
      return one != other ? one < other : $0 < $1
    }
  }
}

extension LogIndex {
  /// The newest frame (from 0) of a page in a generation, not after `last`.
  package func frame(of page: UInt32, generation: Int, upTo last: Int) -> Int? {
    var lower = 0
    var upper = order.count
    while lower < upper {
      let middle = (lower + upper) / 2
      let index = Int(order[middle])
      let comesBefore = frames[index].page != page ? frames[index].page < page : index <= last
      if comesBefore { lower = middle + 1 } else { upper = middle }
    }
    var place = lower - 1
    var budget = 10_000
    while place >= 0, budget > 0, frames[Int(order[place])].page == page {
      let index = Int(order[place])
      if Int(frames[index].generation) == generation, frames[index].state != .torn { return index }
      place -= 1
      budget -= 1
    }
    return nil
  }

  /// The last frame (from 0) of the transaction that a frame belongs to.
  package func transactionEnd(of index: Int) -> Int {
    let generation = frames[index].generation
    var end = index
    while end < frames.count, frames[end].generation == generation {
      if frames[end].commitSize != 0 { return end }
      end += 1
    }
    return max(index, end - 1)
  }

  /// Index of the last committed frame, or nothing without a commit.
  package var lastCommit: Int? {
    frames.lastIndex { $0.commitSize != 0 && ($0.state == .live || $0.state == .superseded) }
  }

  /// The first frame (from 0) of the current generation at which the log is damaged: a commit of that
  /// generation follows it, so that it is neither the end that a crash left nor one being written.
  package var firstBreak: Int? {
    guard let current = currentGeneration,
      let first = frames.firstIndex(where: { $0.state == .torn || $0.state == .stale })
    else { return nil }
    let isFollowed = frames[first...].contains {
      $0.commitSize != 0 && $0.isSound && Int($0.generation) == current
    }
    return isFollowed ? first : nil
  }

  /// Number of the current generation.
  package var currentGeneration: Int? { generations.firstIndex { $0.isCurrent } }

  /// The pages whose current version is in the log.
  package var livePages: Set<UInt32> {
    Set(frames.lazy.filter { $0.state == .live }.map(\.page))
  }
}
