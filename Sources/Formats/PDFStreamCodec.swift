import Bytes

/// The two simple compressions of PDF streams besides deflate (ISO 32000-1, §7.4.4 and §7.4.5).
package enum PDFStreamCodec {
  /// LZW with codes of 9 to 12 bits, the first bit highest: 256 clears the table, 257 ends the data.
  ///
  /// What comes before damage is returned; nothing where the first code is none.
  ///
  /// - Parameter limit: no more bytes than this come out.
  package static func decodeLZW(_ bytes: RawSpan, limit: Int) -> [UInt8]? {
    // Codes one bit shorter than they should be would be read where the table is said to grow late
    // (EarlyChange 0), so both ways are tried and the one that goes further is kept.
    let early = LZW(early: 1, limit: limit).decode(bytes)
    if early.isWhole { return early.bytes }
    let late = LZW(early: 0, limit: limit).decode(bytes)
    let best = late.isWhole || late.bytes.count > early.bytes.count ? late.bytes : early.bytes
    return best.isEmpty ? nil : best
  }

  /// Runs: a length below 128 and that many bytes and one more as they are, a length above 128 and one
  /// byte that stands 257 minus that many times; 128 ends the data.
  package static func decodeRuns(_ bytes: RawSpan, limit: Int) -> [UInt8] {
    var result: [UInt8] = []
    var offset = 0
    while let length = bytes[at: offset], length != 128, result.count < limit {
      offset += 1
      if length < 128 {
        for _ in 0...length {
          guard let byte = bytes[at: offset] else { return result }
          result.append(byte)
          offset += 1
        }
      } else {
        guard let byte = bytes[at: offset] else { return result }
        result.append(contentsOf: repeatElement(byte, count: 257 - Int(length)))
        offset += 1
      }
    }
    return result
  }
}

/// One LZW stream on its way to bytes.
private struct LZW {
  private static let clear = 256
  private static let end = 257
  private static let most = 4_096

  /// How many codes before they must codes grow by a bit.
  let early: Int
  let limit: Int
  /// What each code from 258 on stands for: an earlier code, and one byte behind it.
  private var before: [Int] = []
  private var last: [UInt8] = []
  private var text: [UInt8] = []
  private var result: [UInt8] = []

  init(early: Int, limit: Int) {
    self.early = early
    self.limit = limit
  }

  consuming func decode(_ bytes: RawSpan) -> (bytes: [UInt8], isWhole: Bool) {
    var (bits, count, offset): (UInt32, Int, Int) = (0, 0, 0)
    var previous: Int?
    while true {
      let width = self.width
      while count < width {
        guard let byte = bytes[at: offset] else { return (result, false) }
        bits = bits << 8 | UInt32(byte)
        count += 8
        offset += 1
      }
      count -= width
      let code = Int(bits >> UInt32(count)) & (1 << width - 1)
      if code == Self.end { return (result, true) }
      if code == Self.clear {
        before.removeAll(keepingCapacity: true)
        last.removeAll(keepingCapacity: true)
        previous = nil
        continue
      }
      guard take(code, after: previous), result.count <= limit else { return (result, false) }
      previous = code
    }
  }

  private var width: Int {
    let next = before.count + 258 + early
    return next >= 2_048 ? 12 : next >= 1_024 ? 11 : next >= 512 ? 10 : 9
  }

  /// Writes what a code stands for, and learns a new code from it and the one before.
  private mutating func take(_ code: Int, after previous: Int?) -> Bool {
    guard let previous else {
      guard code < 256 else { return false }
      result.append(UInt8(code))
      return true
    }
    let known = before.count + 258
    guard code < known || code == known && known < Self.most else { return false }
    // A code that is only now learned starts and ends with the same byte.
    spell(code == known ? previous : code)
    guard let first = text.last else { return false }
    result.append(contentsOf: text.reversed())
    if code == known { result.append(first) }
    if known < Self.most {
      before.append(previous)
      last.append(first)
    }
    return true
  }

  /// Puts what a code stands for into `text`, backwards.
  private mutating func spell(_ code: Int) {
    text.removeAll(keepingCapacity: true)
    var code = code
    while code >= 258 {
      text.append(last[code - 258])
      code = before[code - 258]
    }
    text.append(UInt8(truncatingIfNeeded: code))
  }
}
