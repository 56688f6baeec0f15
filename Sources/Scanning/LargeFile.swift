import Artifacts
import Bytes
import Findings
import RuleEngine
import Synchronization

/// A file so large that several tasks search it as it lies, a part each. The parts depend on its size
/// alone, so that the number of tasks changes nothing of what is found.
final class LargeFile: Sendable {
  let file: WalkedFile
  let partCount: Int
  /// How many shares its structure is read in once its parts were searched; 0 where it is read at once.
  let shareCount: Int
  let relay = HashRelay()
  let common = CommonKnowledge()
  private let partSize: Int
  private let places: Int
  private let state: Mutex<State>

  private struct State {
    var started: Double?
    var parts: [FilePart?]
    var left: Int
    var touched: TouchMap?
    var shares: [FilePart?]
    var sharesLeft: Int
    /// What the parts brought up that were searched without one missing before them.
    var first = SeenPlaces()
    var firstCount = 0
    var firstShares = SeenPlaces()
    var firstShareCount = 0
  }

  /// Nothing where the file is small enough to be read at once.
  init?(_ file: WalkedFile, limits: ScanOptions.Limits) {
    guard file.byteCount >= limits.largeSize else { return nil }
    self.file = file
    places = limits.places
    partSize = max(limits.partSize, Self.leastPartSize(of: file.byteCount))
    partCount = (file.byteCount + partSize - 1) / partSize
    shareCount = Self.isShared(file) ? min(max(partCount / 4, 2), 16) : 0
    state = Mutex(
      State(
        parts: [FilePart?](repeating: nil, count: partCount), left: partCount,
        shares: [FilePart?](repeating: nil, count: shareCount), sharesLeft: shareCount))
  }

  /// So many parts are enough; those of a disk image of some TiB are larger.
  private static func leastPartSize(of byteCount: Int) -> Int {
    var size = 1
    while byteCount / size > 1 << 18 { size *= 2 }
    return size
  }

  private static func isShared(_ file: WalkedFile) -> Bool {
    guard let source = try? FileSource(file.path),
      let head = try? source.bytes(at: 0, count: Recognition.headSize)
    else { return false }
    return Readers.partial(
      for: head.span.bytes, byteCount: source.byteCount, name: file.path.lastName.description)
      != nil
  }

  /// When its reading began; the first to ask begins it.
  var started: Double {
    state.withLock { state in
      let started = state.started ?? FileSystem.clock
      state.started = started
      return started
    }
  }

  func range(ofPart index: Int) -> Range<Int> {
    let start = index * partSize
    return start..<min(start + partSize, file.byteCount)
  }

  /// An empty map of marks in a part and around it.
  func touched(ofPart index: Int) -> TouchMap {
    let range = range(ofPart: index)
    // It starts a whole part before, so that it fits that of the file bit by bit.
    let start = max(0, range.lowerBound - partSize)
    return TouchMap(
      byteCount: range.upperBound + StreamScan.after - start, start: start,
      of: file.byteCount)
  }

  /// Keeps what a part brought up; true for the last that was missing.
  func put(_ part: FilePart, at index: Int) -> Bool {
    state.withLock { state in
      state.parts[index] = part
      state.left -= 1
      while state.firstCount < partCount, let next = state.parts[state.firstCount] {
        state.first.append(next.sights, atMost: places)
        state.firstCount += 1
      }
      return state.left == 0
    }
  }

  /// Of what the parts before all that are missing brought enough: which is the same for the report,
  /// however many tasks there are.
  var full: Set<SeenPlaces.Key> { state.withLock { $0.first.full } }
  var fullOfShares: Set<SeenPlaces.Key> { state.withLock { $0.firstShares.full } }

  /// Every part in order; they are given once.
  func takeParts() -> [FilePart] {
    state.withLock { state in
      let parts = state.parts.compactMap { $0 }
      state.parts = []
      return parts
    }
  }

  /// What all parts marked.
  var touched: TouchMap {
    state.withLock { state in
      if let known = state.touched { return known }
      var touched = TouchMap(byteCount: file.byteCount)
      for part in state.parts { if let part { touched.formUnion(part.touched) } }
      state.touched = touched
      return touched
    }
  }

  /// Keeps what a share of the structure brought up; true for the last that was missing.
  func put(_ share: FilePart, asShare index: Int) -> Bool {
    state.withLock { state in
      state.shares[index] = share
      state.sharesLeft -= 1
      while state.firstShareCount < shareCount, let next = state.shares[state.firstShareCount] {
        state.firstShares.append(next.sights, atMost: places)
        state.firstShareCount += 1
      }
      return state.sharesLeft == 0
    }
  }

  /// Every share in order; they are given once.
  func takeShares() -> [FilePart] {
    state.withLock { state in
      let shares = state.shares.compactMap { $0 }
      state.shares = []
      return shares
    }
  }
}

/// What the search of a part of a large file brought up.
struct FilePart: Sendable {
  var sights: [SourceScan.Sight] = []
  var judged: [SourceScan.Judged] = []
  var noted: [SourceScan.Noted] = []
  var noteCounts: [Observation.Kind: Int] = [:]
  var scopes: Set<StorageRule.Scope> = []
  var chance: [(hit: ChanceHit, start: Int)] = []
  var touched: TouchMap
  /// Line ends in it, where it is text.
  var lineEnds = 0
  var account = ScanTask.Account()
  /// What a share of the structure says of the whole.
  var structure: (any ReaderShare)?
  /// Why it could not be read.
  var failure: ReadFailure?
  /// Whether the file was another one than the walk had met, or was written to.
  var hasChanged = false

  init(touched: TouchMap) {
    self.touched = touched
  }
}

extension SourceScan {
  /// What was seen in a part of the file that this is.
  func give(to part: inout FilePart) {
    part.sights = sights
    part.judged = judged
    part.noted = noted
    part.noteCounts = noteCounts
    part.scopes = scopes
    part.chance = chance
  }

  /// Adds what was seen in the next part of the file.
  ///
  /// - Parameter lines: line ends before the part.
  func add(_ part: FilePart, lines: Int) {
    for var sight in part.sights {
      guard task.keepsPlace(of: sight) else { continue }
      sight.line = sight.line.map { $0 + lines }
      if sight.excerpt != nil {
        if task.excerptsLeft > 0 { task.excerptsLeft -= 1 } else { sight.excerpt = nil }
      }
      sights.append(sight)
    }
    judged += part.judged
    noteCounts.merge(part.noteCounts, uniquingKeysWith: +)
    noted += part.noted.prefix(max(0, Self.mostNoted - noted.count))
    scopes.formUnion(part.scopes)
    for (hit, start) in part.chance { noteChance(hit, at: start) }
    task.add(part.account)
  }
}
