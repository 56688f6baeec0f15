import Bytes
package import Findings

/// The code that knows what files of one kind state, beside the reader that lifts their values: keys of
/// a bundle's property lists, pinned dependencies, licences. It is asked only where a rule in effect
/// looks at what it states.
package protocol StatementReader: Sendable {
  /// What it states.
  var subjects: [Fact.Subject] { get }

  /// Whether a file of this name that starts so may state something; the name is a path in an archive,
  /// or a file name.
  func mayState(name: String, head: RawSpan) -> Bool

  func state(_ input: ReaderInput, into sink: inout some FragmentSink)
}

extension StatementReader {
  /// The whole of a file that is read for its statements, at most this much.
  static var largestSize: Int { 16 << 20 }

  func content(of input: ReaderInput) -> [UInt8]? {
    guard input.source.byteCount <= Self.largestSize else { return nil }
    return try? input.source.bytes(at: 0, count: input.source.byteCount)
  }
}

/// Every statement reader.
package enum Statements {
  package static let builtIn: [any StatementReader] = [
    PropertyListStatements(),
    BuildSettingStatements(),
    InterfaceStatements(),
    DependencyStatements(),
    LicenceStatements(),
    SQLStatements(),
    KeychainStatements(),
  ]

  /// Whether the same readers are asked for a file of either name that starts so.
  package static func areSame(for name: String, and other: String, head: RawSpan) -> Bool {
    builtIn.allSatisfy {
      $0.mayState(name: name, head: head) == $0.mayState(name: other, head: head)
    }
  }

  /// Has every reader that may know the file say what it states, as far as `sink` wants it.
  package static func state(
    _ input: ReaderInput, head: RawSpan, into sink: inout some FragmentSink
  ) {
    for reader in builtIn
    where reader.subjects.contains(where: { sink.wants($0) })
      && reader.mayState(name: input.name, head: head)
    {
      reader.state(input, into: &sink)
    }
  }
}

extension String {
  /// The part behind the last slash.
  var lastComponent: Substring {
    self[(lastIndex(of: "/").map { index(after: $0) } ?? startIndex)...]
  }
}
