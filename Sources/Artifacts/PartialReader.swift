import Bytes
import Synchronization

/// A reader of sources so large that several tasks read their structure, a share of it each.
///
/// What is found in a share is handed to the sink at once; what concerns the source as a whole is kept
/// and put together by `finish`, so that the order and the number of tasks change nothing.
package protocol PartialReader: ArtifactReader {
  /// Reads share `index` (from 0) of `count`. Nothing where the source cannot be read in shares: it is
  /// then read as a whole.
  func read(
    share index: Int, of count: Int, _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any ReaderShare)?

  /// Puts all shares together, in their order, and reads what had to wait for them. Nothing where they
  /// do not fit the source: it is then read as a whole.
  func finish(
    _ shares: [any ReaderShare], _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)?
}

/// What every share of a source needs to know of the whole, found out by the first that is read.
package final class CommonKnowledge: Sendable {
  private let known = Mutex<(any Sendable)?>(nil)

  package init() {}

  package var value: (any Sendable)? {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }
}

/// What a share of a source brought up that concerns the source as a whole.
package protocol ReaderShare: Sendable {}

extension Readers {
  /// The reader that reads sources with this head in shares.
  package static func partial(
    for head: RawSpan, byteCount: Int, name: String
  ) -> (any PartialReader)? {
    builtIn.lazy.compactMap { $0 as? any PartialReader }.first {
      $0.recognises(head, byteCount: byteCount, name: name)
    }
  }
}
