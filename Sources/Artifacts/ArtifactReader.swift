package import Bytes
package import Findings
package import SQLiteFormat

/// The code that knows one format: it turns a source into fragments.
///
/// A reader is given bytes that were already searched as they lie. It adds what raw bytes cannot show
/// (joined, decompressed and decoded values) and says what lies where. Every byte is hostile: a reader
/// never traps, never loops without a bound, and reports what it could not read as a diagnostic.
package protocol ArtifactReader: Sendable {
  /// The kind this reader gives an input, as the report names it: `sqlite`, `zip`, `plist`.
  var kind: String { get }

  /// Whether the source is in this format, judged by signature and structure, never by a name.
  /// `head` is the first 4 KiB, or all of a shorter source; `name` is a hint for formats that have no
  /// signature and must not decide alone.
  func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool

  /// Whether the source is (also) in this format by a signature that does not stand at its start: a zip
  /// archive's end record behind a program or picture, an ISO 9660 volume descriptor. Asked of readers
  /// that do not recognise the head; costs a read or two, never decides by name.
  func recognisesElsewhere(in source: any ByteSource) -> Bool

  /// Whether sources in this format hold control characters among their first bytes, so that text
  /// need not be asked about.
  var isBinary: Bool { get }

  /// Reads the source and hands everything it finds to `sink`.
  func read(_ input: ReaderInput, into sink: inout some FragmentSink)

  /// Reads the source like `read` and keeps what it learned about its places, so that hits of the raw
  /// search can be named. Nothing where the format has no structure to name them by.
  func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)?
}

extension ArtifactReader {
  package func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    read(input, into: &sink)
    return nil
  }
}

/// Says of any bytes of one source what they lie in: page, table, cell, and what that is worth.
package protocol PlaceLocator {
  /// The place of a range, or nothing where the format says nothing about it.
  func place(of range: Range<Int>) -> Place?
}

extension ArtifactReader {
  package var isBinary: Bool { false }

  /// Most formats have their signature at the start and nowhere else.
  package func recognisesElsewhere(in source: any ByteSource) -> Bool { false }
}

/// What a reader is given.
package struct ReaderInput {
  package var source: any ByteSource
  /// Name of the file or member, for formats that are told apart by it.
  package var name: String
  /// Where the raw search saw something worth a second look.
  package var touched: TouchMap
  /// Reads a file beside the outermost one by its suffix (`-wal`, `-shm`) or relative path; nothing
  /// for members of archives or where there is none.
  package var sibling: (String) -> (any ByteSource)?
  /// Database keys to try on what is encrypted.
  package var keys: [DatabaseKey] = []
  /// What readings of one source have in common, where it is read in shares.
  package var common: CommonKnowledge?

  package init(
    source: any ByteSource, name: String, touched: TouchMap,
    sibling: @escaping (String) -> (any ByteSource)? = { _ in nil }
  ) {
    self.source = source
    self.name = name
    self.touched = touched
    self.sibling = sibling
  }
}

/// Takes what readers find.
package protocol FragmentSink {
  /// One value, as text in UTF-8 or as bytes, and where it lies.
  mutating func fragment(_ bytes: RawSpan, at place: Place)

  /// A value that may itself be a file: a blob, a data item. It is searched, identified and, where a
  /// reader knows it, read in turn.
  mutating func nested(_ bytes: [UInt8], name: String, at place: Place)

  /// Starts a file inside the source; its bytes follow in order. False means that a limit was reached
  /// (and is reported): skip it.
  mutating func beginMember(_ name: String, at place: Place) -> Bool

  /// More bytes of the member that was begun last. False means that a limit was reached: stop.
  mutating func append(_ bytes: RawSpan) -> Bool

  /// All bytes of the member were given: it is identified and read like a file of its own.
  mutating func endMember()

  /// A file inside the source that can be read at any offset, however large it is. False means that a limit
  /// was reached: stop.
  mutating func member(_ source: any ByteSource, name: String, at place: Place) -> Bool

  /// Says that a part of the source was not looked at.
  mutating func diagnostic(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String])

  /// Says something about the source as a whole that is no value: rules of the `storage` pack and the
  /// report's inputs are made from it. Ignored unless implemented.
  mutating func observe(_ observation: Observation)

  /// Says what the source is made of, page by page. Ignored unless implemented.
  mutating func describe(_ layout: StorageLayout)

  /// States something that checklist rules can decide on. Ignored unless implemented.
  mutating func state(_ fact: Fact)

  /// Says that facts of some subjects could not be had from the source, and why: checklist rules that
  /// ask for them cannot tell. Ignored unless implemented.
  mutating func missing(_ subjects: [Fact.Subject], because reason: String)

  /// Whether any rule in effect looks at facts of this subject: others need not be stated.
  func wants(_ subject: Fact.Subject) -> Bool

  /// Whether a rule judges values by the name that they stand under: they are to be handed over even where
  /// the raw search saw nothing in them, since the name stands elsewhere.
  func isTelling(_ name: String) -> Bool

  /// Like `fragment`, for a value of which some bytes are lost (written over): zero in `bytes`, and no
  /// literal search can match across them. Searched like any other unless implemented.
  mutating func fragment(_ bytes: RawSpan, lost: [Range<Int>], at place: Place)

  /// Whether the time for this outer file is used up: leave loops.
  var isExhausted: Bool { get }
}

extension FragmentSink {
  package mutating func member(
    _ source: any ByteSource, name: String, at place: Place
  ) -> Bool {
    guard beginMember(name, at: place) else { return false }
    defer { endMember() }
    var offset = 0
    while let bytes = try? source.bytes(at: offset, count: 1 << 18), !bytes.isEmpty {
      guard append(bytes.span.bytes) else { return false }
      offset += bytes.count
    }
    return true
  }

  package mutating func observe(_ observation: Observation) {}

  package mutating func describe(_ layout: StorageLayout) {}

  package mutating func state(_ fact: Fact) {}

  package mutating func missing(_ subjects: [Fact.Subject], because reason: String) {}

  package func wants(_ subject: Fact.Subject) -> Bool { false }

  package func isTelling(_ name: String) -> Bool { false }

  package mutating func fragment(_ bytes: RawSpan, lost: [Range<Int>], at place: Place) {
    fragment(bytes, at: place)
  }
}
