import Bytes
import CSearch

/// All literals of a scan, needles in every form and anchors of rules, made ready to be looked for in
/// one pass.
///
/// Only literals go in, and what surrounds one is judged where it is seen: thousands are ready within
/// two milliseconds, which makes a cache on disk (and with it needles on disk) needless. Vectorscan,
/// which was here before, compiled the same literals for a quarter of a second and searched as fast.
package struct LiteralDatabase: Sendable {
  /// One literal and what it stands for.
  package struct Literal: Hashable, Sendable {
    package var bytes: [UInt8]
    package var ignoresCase: Bool

    package init(_ bytes: [UInt8], ignoresCase: Bool = false) {
      self.bytes = bytes
      self.ignoresCase = ignoresCase
    }
  }

  /// A literal is too short to be looked for.
  package struct CompileError: Error, Equatable, Sendable {
    package var message: String
  }

  private let storage: Storage?

  /// A database whose hits name literals by their index in `literals`.
  package init(_ literals: [Literal]) throws(CompileError) {
    storage = literals.isEmpty ? nil : try Storage(literals)
  }

  /// Owns the literals made ready, which are never written to again.
  private final class Storage: @unchecked Sendable {
    let literals: OpaquePointer
    let capacity: Int

    init(_ literals: [Literal]) throws(CompileError) {
      var pool: [UInt8] = []
      var starts: [UInt32] = [0]
      for literal in literals {
        pool += literal.bytes
        starts.append(UInt32(pool.count))
      }
      let folds = literals.map { UInt8($0.ignoresCase ? 1 : 0) }
      guard let made = vestige_literals_make(pool, starts, folds, UInt32(literals.count)) else {
        throw CompileError(message: "a literal of one byte would be everywhere")
      }
      self.literals = made
      capacity = vestige_literals_capacity(made)
    }

    deinit { vestige_literals_free(literals) }
  }

  /// A literal was seen: which, and where it ends.
  package struct Hit: Sendable {
    package var literal: Int
    package var end: Int
  }

  /// Calls `body` for every literal seen in `bytes` (in the first `count` of them), nearly by where
  /// they end: neighbours may change places.
  package func search(_ bytes: RawSpan, count: Int = .max, _ body: (Hit) -> Void) {
    guard let storage else { return }
    bytes.withUnsafeBytes { buffer in
      let count = min(count, buffer.count)
      guard let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      withUnsafeTemporaryAllocation(of: vestige_hit.self, capacity: storage.capacity) { hits in
        var place = 0
        while place < count {
          let found = vestige_literals_find(
            storage.literals, start, count, &place, hits.baseAddress, hits.count)
          for hit in hits[..<found] { body(Hit(literal: Int(hit.literal), end: hit.end)) }
        }
      }
    }
  }
}
