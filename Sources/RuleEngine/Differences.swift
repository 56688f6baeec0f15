import Bytes

/// Needles disguised by XOR with one byte, found for all 255 keys in one pass.
///
/// The XOR of two neighbours does not depend on the key, so the differences of the data are searched
/// for the differences of the needle.
struct Differences: Sendable {
  /// Shorter needles would be seen by chance.
  static let shortest = 8

  let database: LiteralDatabase
  /// The needle of each literal, and its length in bytes.
  let needles: [(needle: Int, count: Int, first: UInt8)]

  init(
    needles: [Needle], forms: [[NeedleForm]]
  ) throws(LiteralDatabase.CompileError) {
    var literals: [LiteralDatabase.Literal] = []
    var owners: [(Int, Int, UInt8)] = []
    for (index, forms) in forms.enumerated() {
      guard let plain = forms.first, plain.name == "utf8" || plain.name == "raw",
        plain.bytes.count >= Self.shortest, Set(plain.bytes).count > 2
      else { continue }
      literals.append(.init(zip(plain.bytes, plain.bytes.dropFirst()).map { $0 ^ $1 }))
      owners.append((index, plain.bytes.count, plain.bytes[0]))
    }
    database = try LiteralDatabase(literals)
    self.needles = owners
  }

  var isEmpty: Bool { needles.isEmpty }

  /// Writes the XOR of each byte with the next into `target`, one byte shorter than `bytes`.
  static func write(of bytes: RawSpan, into target: inout [UInt8]) {
    let count = max(0, bytes.byteCount - 1)
    if target.count < count { target = [UInt8](repeating: 0, count: count) }
    bytes.withUnsafeBytes { source in
      target.withUnsafeMutableBytes { target in
        for index in 0..<count { target[index] = source[index] ^ source[index + 1] }
      }
    }
  }
}
