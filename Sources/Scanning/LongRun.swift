import Bytes
import Findings
import RuleEngine

/// Encoded text that is longer than what is searched at a time: decoded as it comes, and what comes out
/// is searched like a member of an archive.
struct LongRun {
  private let encoding: EncodedRun.Encoding
  private let start: Int
  /// Up to where the source was taken.
  private(set) var end: Int
  private var sink: ScanSink
  /// Characters that do not make up whole bytes yet.
  private var rest: [UInt8] = []
  private var last: UInt8 = 0

  /// Nothing where a bound on depth or expansion is reached, which is told.
  init?(_ encoding: EncodedRun.Encoding, from start: Int, in scan: SourceScan) {
    self.encoding = encoding
    self.start = start
    end = start
    sink = ScanSink(scan: scan)
    let place = Place(
      steps: [encoding.rawValue, String(start)],
      origin: .decoded(from: ByteRange(offset: start, length: 0)))
    guard sink.beginMember("", at: place) else { return nil }
  }

  /// Decodes bytes that follow; false where the text ends among them.
  mutating func append(_ bytes: RawSpan) -> Bool {
    var taken = 0
    while let byte = bytes[at: taken], isPart(byte) {
      if byte > 0x20 { rest.append(byte) }
      last = byte
      taken += 1
    }
    end += taken
    let whole = rest.count / unit * unit
    let goesOn = decode(whole)
    return goesOn && taken == bytes.byteCount
  }

  /// Decodes what is left and searches what came out.
  mutating func finish() {
    _ = decode(rest.count)
    sink.setOrigin(.decoded(from: ByteRange(offset: start, length: end - start)))
    sink.finish()
  }

  private var unit: Int { encoding == .hex ? 2 : 4 }

  private mutating func decode(_ count: Int) -> Bool {
    guard count > 0 else { return true }
    let text = Array(rest[..<count])
    rest.removeFirst(count)
    let decoded = decoded(text)
    return sink.append(decoded.span.bytes)
  }

  private func decoded(_ text: [UInt8]) -> [UInt8] {
    switch encoding {
    case .hex: [UInt8](hexadecimal: String(decoding: text, as: UTF8.self)) ?? []
    case .base64: Base64.decode(text.span.bytes)
    }
  }

  /// Whether a byte belongs to the text: a character of its alphabet, the end of a line or, in base64,
  /// blanks before the next; words and an empty line do not.
  private func isPart(_ byte: UInt8) -> Bool {
    switch (encoding, byte) {
    case (_, 0x0a): last != 0x0a
    case (_, 0x0d): last > 0x20
    case (.hex, _): byte.hexadecimalValue != nil
    case (.base64, 0x20), (.base64, 0x09): last <= 0x20
    case (.base64, _): Base64.value(of: byte) != nil
    }
  }
}
