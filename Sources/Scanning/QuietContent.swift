import Artifacts
import Bytes
import Synchronization

/// Contents in which nothing was found: a copy of such a file needs to be hashed only. Backups, layers of
/// containers and vendored source hold many files twice.
///
/// A content is quiet where reading it left no trace at all but its kind: whatever depends on the path is
/// asked of every copy. Of the name readers of text look at the extension at most, and what states facts
/// by a name is asked for each.
package final class QuietContent: Sendable {
  package struct Key: Hashable {
    /// SHA-256.
    private let digest: SIMD4<UInt64>
    /// From the last full stop of the name.
    private let suffix: String
    /// What only outer files are asked for makes another kind of them.
    private let isOuter: Bool

    /// Nothing where the digest is none.
    package init?(digest: [UInt8], name: String, isOuter: Bool) {
      guard digest.count == 32, name.utf8.count < 4096 else { return nil }
      var words = SIMD4<UInt64>()
      for (index, byte) in digest.enumerated() {
        words[index / 8] = words[index / 8] << 8 | UInt64(byte)
      }
      self.digest = words
      self.isOuter = isOuter
      let end = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
      suffix = String(name[end...])
    }
  }

  /// What a report says of a quiet file or member.
  package struct Summary {
    package var name: String
    package var kind: String
    package var isText: Bool
    /// Archives around it.
    package var depth: Int
    /// Values that were searched in it.
    package var fragments: Int
    /// Bytes that came out of it.
    package var expanded: Int

    package init(
      name: String, kind: String, isText: Bool, depth: Int, fragments: Int, expanded: Int
    ) {
      self.name = name
      self.kind = kind
      self.isText = isText
      self.depth = depth
      self.fragments = fragments
      self.expanded = expanded
    }
  }

  private let known = Mutex<[Key: Summary]>([:])
  /// Some 10 MiB of them.
  private static let most = 1 << 16

  package init() {}

  /// The summary of a file like one of this name, which starts so.
  package func summary(of key: Key, name: String, head: RawSpan) -> Summary? {
    guard let summary = known.withLock({ $0[key] }) else { return nil }
    let isAlike =
      summary.name == name
      || summary.isText && Statements.areSame(for: name, and: summary.name, head: head)
    return isAlike ? summary : nil
  }

  package func note(_ summary: Summary, of key: Key) {
    known.withLock { known in
      // Copies mostly lie near each other.
      if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
      known[key] = summary
    }
  }
}
