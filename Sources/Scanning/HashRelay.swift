import Bytes
import Synchronization

/// The hash of a large file whose parts several tasks read, each in its own time: whoever brings the
/// part that comes next hashes it, and those that were waiting behind it. Nobody waits for it.
final class HashRelay: Sendable {
  /// What a part holds, in order.
  enum Piece: Sendable {
    /// Bytes that were read, and which of them belong to the part.
    case stored([UInt8], Range<Int>)
    /// A hole of a sparse file.
    case zeros(Int)
    /// So many parts were waiting that this one has to be read once more.
    case unread(Range<Int>)

    var isStored: Bool {
      if case .stored = self { true } else { false }
    }
  }

  /// The hash so far. It has one owner at a time: the state, or the task that took it from there.
  private struct Running: ~Copyable, @unchecked Sendable {
    let hash = SHA256()
    var pieces: [Piece] = []
  }

  private struct State: ~Copyable {
    /// Nothing while some task hashes.
    var running: Running? = Running()
    var next = 0
    var waiting: [Int: [Piece]] = [:]
    /// A part could not be read, or was not the file's any more.
    var isBroken = false
  }
  private let state = Mutex(State())

  /// More parts than this do not wait in memory: searching with many tasks is faster than hashing.
  private static let mostWaiting = 4

  /// Hands over a part; nothing where it could not be read as it was.
  ///
  /// - Parameter range: where the part lies.
  func add(_ pieces: [Piece]?, of part: Int, at range: Range<Int>, in source: FileSource) {
    state.withLock { state in
      guard let pieces else {
        state.isBroken = true
        return
      }
      // Holes take no memory, and reading them would fill the system's cache with zeros.
      guard pieces.contains(where: \.isStored), part != state.next else {
        state.waiting[part] = pieces
        return
      }
      let held = state.waiting.values.count { $0.contains(where: \.isStored) }
      state.waiting[part] = held < Self.mostWaiting ? pieces : [.unread(range)]
    }
    while var running = takeNext() {
      let isHashed = running.pieces.allSatisfy { Self.update(running.hash, with: $0, of: source) }
      running.pieces = []
      giveBack(running, isHashed)
    }
  }

  /// There will be no hash: a part could not be read.
  func fail() {
    state.withLock { $0.isBroken = true }
  }

  /// The hash of all `count` parts, once every one was handed over.
  func digest(ofParts count: Int) -> [UInt8]? {
    state.withLock { state in
      guard !state.isBroken, state.next == count else { return nil }
      return state.running?.hash.finish()
    }
  }

  /// The hash, and what is next to go into it, if it is there and nobody else has the hash.
  private func takeNext() -> Running? {
    state.withLock { state in
      guard !state.isBroken, state.running != nil,
        let pieces = state.waiting.removeValue(forKey: state.next)
      else { return nil }
      state.next += 1
      var running = state.running.take()
      running?.pieces = pieces
      return running
    }
  }

  private func giveBack(_ running: consuming Running, _ isHashed: Bool) {
    var running: Running? = consume running
    state.withLock { state in
      state.running = running.take()
      if !isHashed { state.isBroken = true }
    }
  }

  private static func update(
    _ hash: borrowing SHA256, with piece: Piece, of source: FileSource
  ) -> Bool {
    switch piece {
    case .stored(let bytes, let range): hash.update(bytes.span.bytes.clamped(to: range))
    case .zeros(let count): FileScan.hashZeros(count, into: hash)
    case .unread(let range): return update(hash, with: range, of: source)
    }
    return true
  }

  private static func update(
    _ hash: borrowing SHA256, with range: Range<Int>, of source: FileSource
  ) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = min(1 << 18, range.upperBound - offset)
      guard let bytes = try? source.bytes(at: offset, count: count), bytes.count == count else {
        return false
      }
      hash.update(bytes.span.bytes)
      offset += count
    }
    return true
  }
}
