import Bytes
import CHyperscan

/// All literals of a scan, needles in every form and anchors of rules, compiled into one Vectorscan
/// database that looks for them in one pass.
///
/// Only literals go in: a database of some thousand compiles in well under 100 ms, which makes a cache
/// on disk (and with it needles on disk) needless, and runs at memory speed. What surrounds a literal
/// is judged where one is seen.
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

  /// The library that searches, with its version.
  package static var library: String { "hyperscan " + String(cString: hs_version()) }

  /// The library refused to compile the literals.
  package struct CompileError: Error, Equatable, Sendable {
    package var message: String
  }

  private let storage: Storage?

  /// Vectorscan 5.4.9, which Debian 12 has, does not see some literals that cross a 64-byte border when
  /// it is given two to five of them (VectorCamp/vectorscan issue 317 is of that kind). With at least
  /// this many it uses another algorithm, which was compared with a plain search over some millions of
  /// matches. A test repeats the comparison.
  static let fewestLiterals = 64

  private let count: Int

  /// A database whose hits name literals by their index in `literals`.
  package init(_ literals: [Literal]) throws(CompileError) {
    count = literals.count
    let padding = (0..<max(0, Self.fewestLiterals - count)).map(Self.unseen)
    storage = literals.isEmpty ? nil : try Storage(literals + padding)
  }

  /// A literal that no data holds but by a chance of one in 2^128; a hit of it is not reported.
  private static func unseen(_ number: Int) -> Literal {
    Literal(Array(SHA256.digest(of: [UInt8(truncatingIfNeeded: number)].span.bytes).prefix(16)))
  }

  /// Owns the compiled database, which is never written to after it was compiled.
  private final class Storage: @unchecked Sendable {
    let database: OpaquePointer

    init(_ literals: [Literal]) throws(CompileError) {
      var database: OpaquePointer?
      var failure: UnsafeMutablePointer<hs_compile_error_t>?
      // The library's own call for literals refuses one that starts with a zero byte, as UTF-16 text
      // in big-endian order does; written as escapes they are literals to its compiler all the same.
      let pool = literals.map { Self.escaped($0.bytes) }
      let flags = literals.map { UInt32($0.ignoresCase ? HS_FLAG_CASELESS : 0) }
      let numbers = literals.indices.map { UInt32($0) }
      let status = pool.flatMap(\.self).withUnsafeBufferPointer { characters in
        var starts: [UnsafePointer<CChar>?] = []
        var offset = 0
        for text in pool {
          starts.append(characters.baseAddress.map { $0 + offset })
          offset += text.count
        }
        return hs_compile_multi(
          starts, flags, numbers, UInt32(literals.count), UInt32(HS_MODE_BLOCK), nil, &database,
          &failure)
      }
      defer { hs_free_compile_error(failure) }
      guard status == HS_SUCCESS, let database else {
        throw CompileError(message: failure.map { String(cString: $0.pointee.message) } ?? "")
      }
      self.database = database
    }

    deinit { hs_free_database(database) }

    /// The bytes as a pattern that means just them, with the zero that ends it.
    private static func escaped(_ bytes: [UInt8]) -> [CChar] {
      let digits = Array("0123456789abcdef".utf8).map { CChar(bitPattern: $0) }
      let start = Array("\\x".utf8).map { CChar(bitPattern: $0) }
      return bytes.flatMap { start + [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } + [0]
    }
  }

  /// The memory that one task needs to search with a database.
  package struct Scratch: ~Copyable {
    fileprivate var pointer: OpaquePointer?

    package init(for database: borrowing LiteralDatabase) {
      guard let storage = database.storage else { return }
      hs_alloc_scratch(storage.database, &pointer)
    }

    deinit { hs_free_scratch(pointer) }
  }

  /// A literal was seen: which, and where it ends.
  package struct Hit: Sendable {
    package var literal: Int
    package var end: Int
  }

  /// Calls `body` for every literal seen in `bytes` (in the first `count` of them), by end offset.
  package func search(
    _ bytes: RawSpan, count: Int = .max, with scratch: borrowing Scratch, _ body: (Hit) -> Void
  ) {
    guard let storage, let pointer = scratch.pointer else { return }
    withoutActuallyEscaping(body) { body in
      var receiver = Receiver(count: count, body: body)
      bytes.withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        _ = withUnsafeMutablePointer(to: &receiver) { receiver in
          hs_scan(
            storage.database, start, UInt32(clamping: min(count, buffer.count)), 0, pointer,
            { number, _, end, _, context in
              guard let receiver = context?.assumingMemoryBound(to: Receiver.self).pointee,
                number < receiver.count
              else { return 0 }
              receiver.body(Hit(literal: Int(number), end: Int(end)))
              return 0
            }, receiver)
        }
      }
    }
  }

  private struct Receiver {
    /// Numbers from here on are padding.
    var count: Int
    var body: (Hit) -> Void
  }
}
