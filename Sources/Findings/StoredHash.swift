/// A file's SHA-256 as a report keeps it: its bytes and not their digits, since a report may list millions.
enum StoredHash: Equatable, Sendable {
  case none
  case sha256(UInt64, UInt64, UInt64, UInt64)
  /// What a report written elsewhere has in its place.
  case text(String)

  init(bytes: [UInt8]?) {
    guard let bytes else {
      self = .none
      return
    }
    guard bytes.count == 32 else {
      self = .text(Self.digits(of: bytes))
      return
    }
    func word(_ index: Int) -> UInt64 {
      bytes[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    self = .sha256(word(0), word(1), word(2), word(3))
  }

  init(text: String?) {
    self = text.map { Self.parsed($0) ?? .text($0) } ?? .none
  }

  /// Nothing where the digits would not come out again as they are.
  private static func parsed(_ text: String) -> StoredHash? {
    let digits = Array(text.utf8)
    guard digits.count == 64 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 64, by: 2) {
      guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return StoredHash(bytes: bytes)
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func digits(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// In hexadecimal.
  var text: String? {
    switch self {
    case .none: nil
    case .text(let text): text
    case .sha256(let first, let second, let third, let fourth):
      Self.digits(
        of: [first, second, third, fourth].flatMap { word in
          stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        })
    }
  }
}
