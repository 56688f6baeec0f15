import Bytes
import Findings
import Formats
import ImageProtocol

/// One pass over the files of an image.
struct DiskImageWalk {
  private static let largestFileCount = 4_000_000

  private let kind: String
  private let source: any ByteSource
  private let touched: TouchMap
  private var notes = ReaderNotes()
  private(set) var places = DiskPlaces()
  private var fileCount = 0

  init(kind: String, _ input: ReaderInput) {
    self.kind = kind
    source = input.source
    touched = input.touched
  }

  mutating func run(_ process: ImageProcess, into sink: inout some FragmentSink) {
    var isOpen = false
    reading: while !sink.isExhausted {
      switch process.next() {
      case .waiting: continue
      case .ended:
        notes.add(
          .formatDamaged,
          "reading the files of the \(kind) image ended after \(fileCount) of them",
          remedy: "mount it read-only and scan the files in it", to: &sink)
        break reading
      case .record(.file(let file)):
        guard let begun = begin(file, into: &sink) else { break reading }
        isOpen = begun
      case .record(.content(let bytes)):
        if isOpen, !sink.append(bytes.span.bytes) { break reading }
      case .record(.endOfFile): if isOpen { sink.endMember() }
      case .record(.unallocated(let ranges)):
        for range in ranges { keep(range, steps: ["#unallocated"], .deleted) }
      case .record(.problem(let problem)): report(problem, into: &sink)
      case .record(.end): break reading
      }
    }
    places.sort()
    notes.finish(&sink)
  }

  /// Starts a file whose content follows, or reads one where it lies; nothing where a limit leaves the image.
  private mutating func begin(_ file: ImageFile, into sink: inout some FragmentSink) -> Bool? {
    fileCount += 1
    guard fileCount <= Self.largestFileCount else {
      notes.add(
        .limitCount, "only the first \(Self.largestFileCount) members were read",
        remedy: Remedy.limit, to: &sink)
      return nil
    }
    let name = MemberName.text(file.path)
    let steps = Self.steps(volume: file.volume, name)
    keep(file.slack, steps: steps + ["#slack"], .slack)
    var context = Context()
    context.member = file.volume.isEmpty ? name : "\(file.volume)/\(name)"
    let place = Place(
      steps: steps, liveness: file.isDeleted ? .deleted : .live, context: context,
      origin: origin(of: file))
    if file.pieces.isEmpty { return sink.beginMember(name, at: place) ? true : nil }
    guard case .pieces(let pieces) = place.origin,
      let own = PiecesSource(pieces, of: source, byteCount: Int(clamping: file.byteCount))
    else {
      // Of what was deleted the rest may be gone.
      if !file.isDeleted { reportOutside(steps, into: &sink) }
      return false
    }
    return sink.member(own, name: name, at: place) ? false : nil
  }

  private mutating func reportOutside(_ steps: [String], into sink: inout some FragmentSink) {
    notes.add(
      .formatDamaged, "the \(kind) image is damaged: a file lies where the image has no bytes",
      remedy: Remedy.damaged, steps: steps, to: &sink)
  }

  private static func steps(volume: String, _ name: String) -> [String] {
    (volume.isEmpty ? [] : MemberName.steps(volume)) + MemberName.steps(name)
  }

  /// Where the bytes of a file lie in the image; it is hostile, like all else.
  private func origin(of file: ImageFile) -> Origin {
    var pieces: [Piece] = []
    for piece in file.pieces {
      guard let offset = Int(exactly: piece.offset), let start = Int(exactly: piece.source),
        let count = Int(exactly: piece.count), start <= source.byteCount,
        count <= source.byteCount - start, offset <= Int.max - count
      else { return .transformed }
      pieces.append(Piece(offset: offset, source: start, count: count))
    }
    return pieces.isEmpty ? .transformed : .pieces(pieces)
  }

  /// Remembers what a stretch of the image is, where the raw search saw something in it.
  private mutating func keep(_ range: Range<UInt64>, steps: [String], _ liveness: Liveness) {
    guard let start = Int(exactly: range.lowerBound), let end = Int(exactly: range.upperBound),
      start < end, end <= source.byteCount, touched.isMarked(start..<end)
    else { return }
    places.add(start..<end, steps: steps, liveness)
  }

  private mutating func report(_ problem: ImageProblem, into sink: inout some FragmentSink) {
    var steps = problem.volume.isEmpty ? [] : MemberName.steps(problem.volume)
    if !problem.path.isEmpty { steps += MemberName.steps(MemberName.text(problem.path)) }
    let message = MemberName.shown(problem.message)
    switch problem.kind {
    case .encrypted where !problem.path.isEmpty:
      notes.add(
        .formatEncrypted, "a file of the \(kind) image is encrypted: what it holds was not read",
        remedy: Remedy.encrypted, steps: steps, to: &sink)
    case .encrypted: reportEncrypted(steps, into: &sink)
    case .damaged:
      notes.add(
        .formatDamaged, "the \(kind) image is damaged: \(message)", remedy: Remedy.damaged,
        steps: steps, to: &sink)
    case .unknown where problem.volume.isEmpty:
      notes.add(
        .formatDamaged, "the \(kind) image could not be opened: \(message)",
        remedy: Remedy.damaged, steps: steps, to: &sink)
    case .unknown: reportUnknown(problem, steps, into: &sink)
    }
  }

  private mutating func reportEncrypted(_ steps: [String], into sink: inout some FragmentSink) {
    notes.add(
      .formatEncrypted, "a volume of the \(kind) image is encrypted: its files were not read",
      remedy: Remedy.encrypted, steps: steps, to: &sink)
  }

  /// A volume without a file system that is read: empty, swap, encrypted, or of another kind.
  private mutating func reportUnknown(
    _ problem: ImageProblem, _ steps: [String], into sink: inout some FragmentSink
  ) {
    guard let offset = Int(exactly: problem.offset), offset < source.byteCount,
      let head = try? source.bytes(at: offset, count: 4096), head.contains(where: { $0 != 0 }),
      !head.span.bytes.hasBytes("SWAPSPACE2", at: 4086)
    else { return }
    let known = UnreadReader.Format.allCases.first {
      UnreadReader($0).recognises(
        head.span.bytes, byteCount: source.byteCount - offset, name: problem.volume)
    }
    if let known, UnreadReader.isEncrypted(kind: known.rawValue) == true {
      return reportEncrypted(steps, into: &sink)
    }
    notes.add(
      .formatUnsupported,
      "a volume of the \(kind) image holds no file system that is read: it was searched as it lies",
      remedy: "mount it read-only and scan the files in it", steps: steps, to: &sink)
  }
}

/// What lies where no file is: free blocks, and those behind the end of files.
struct DiskPlaces: PlaceLocator {
  private struct Stretch {
    var range: Range<Int>
    var steps: [String]
    var liveness: Liveness
  }

  private var stretches: [Stretch] = []

  mutating func add(_ range: Range<Int>, steps: [String], _ liveness: Liveness) {
    stretches.append(Stretch(range: range, steps: steps, liveness: liveness))
  }

  mutating func sort() { stretches.sort { $0.range.lowerBound < $1.range.lowerBound } }

  func place(of range: Range<Int>) -> Place? {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].range.lowerBound <= range.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low > 0, stretches[low - 1].range.contains(range.lowerBound) else { return nil }
    let stretch = stretches[low - 1]
    return Place(
      steps: stretch.steps, liveness: stretch.liveness,
      origin: .pieces([Piece(offset: 0, source: range.lowerBound, count: range.count)]))
  }
}
