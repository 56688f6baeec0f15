import Artifacts
import Bytes
import Findings

/// Looks for encrypted databases among the members of archives: their first pages tell what a given key
/// becomes inside them, before anything is searched for it.
struct MemberSearch: FragmentSink {
  /// As much of a database as keys are tried on.
  private static let headSize = 256 << 10
  private static let deepest = 8

  /// What is spent on one outer file, whatever is nested in it.
  private final class Account {
    var left: Int
    let deadline: Double

    init(_ limits: ScanOptions.Limits) {
      left = limits.expansion
      deadline = FileSystem.clock + limits.seconds
    }
  }

  private struct Member {
    var name: String
    var steps: [String]
    var bytes: [UInt8] = []
  }

  private let limits: ScanOptions.Limits
  private let account: Account
  private let depth: Int
  private var open: Member?
  private(set) var found: [(steps: [String], head: [UInt8])] = []

  /// Finds the first pages of every encrypted database inside a file that is a container.
  static func members(
    of source: any ByteSource, name: String, limits: ScanOptions.Limits
  ) -> MemberSearch {
    var search = MemberSearch(limits, Account(limits), depth: 0)
    search.read(source, name: name)
    return search
  }

  private init(_ limits: ScanOptions.Limits, _ account: Account, depth: Int) {
    self.limits = limits
    self.account = account
    self.depth = depth
  }

  /// Unpacks a source whose format holds members; texts, databases and programs are left alone.
  private mutating func read(_ source: any ByteSource, name: String) {
    guard let head = try? source.bytes(at: 0, count: Recognition.headSize), !head.isEmpty else {
      return
    }
    let known = Recognition(
      of: head.span.bytes, byteCount: source.byteCount, name: name, source: source,
      asksMagic: false)
    guard !known.isText, !Self.isLeaf(known.kind) else { return }
    for reader in known.readers where !Self.isLeaf(reader.kind) {
      reader.read(
        ReaderInput(source: source, name: name, touched: TouchMap(byteCount: 0)), into: &self)
      endMember()
    }
  }

  private static func isLeaf(_ kind: String) -> Bool {
    kind.hasPrefix("sql") || kind == "mach-o" || kind == "elf"
  }

  mutating func beginMember(_ name: String, at place: Place) -> Bool {
    endMember()
    guard !isExhausted else { return false }
    open = Member(name: name, steps: place.steps)
    return true
  }

  mutating func append(_ bytes: RawSpan) -> Bool {
    account.left -= bytes.byteCount
    guard !isExhausted else { return false }
    let room = limits.memberSize - (open?.bytes.count ?? 0)
    if room > 0 {
      bytes.clamped(to: 0..<room).withUnsafeBytes { open?.bytes.append(contentsOf: $0) }
    }
    return true
  }

  mutating func endMember() {
    guard let member = open else { return }
    open = nil
    look(into: member)
  }

  mutating func nested(_ bytes: [UInt8], name: String, at place: Place) {
    account.left -= bytes.count
    look(into: Member(name: name, steps: place.steps, bytes: bytes))
  }

  private mutating func look(into member: Member) {
    guard member.bytes.count >= 512, !isExhausted else { return }
    let source = MemorySource(member.bytes)
    if CipherReader.isEncrypted(source) {
      found.append((member.steps, Array(member.bytes.prefix(Self.headSize))))
      return
    }
    guard depth < Self.deepest else { return }
    var inner = MemberSearch(limits, account, depth: depth + 1)
    inner.read(source, name: member.name)
    found += inner.found.map { (Locator.steps(member.steps, inside: $0.steps), $0.head) }
  }

  /// Whether the file holds more than was unpacked.
  var isExhausted: Bool { account.left <= 0 || FileSystem.clock > account.deadline }

  mutating func fragment(_ bytes: RawSpan, at place: Place) {}

  /// What could not be read is told by the scan itself, which reads the same once more.
  mutating func diagnostic(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String]
  ) {}
}
