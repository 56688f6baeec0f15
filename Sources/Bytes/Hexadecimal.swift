extension [UInt8] {
  /// The bytes that an even number of hexadecimal digits spells, or nothing.
  public init?(hexadecimal text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    self = []
    reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index].hexadecimalValue, let low = digits[index + 1].hexadecimalValue
      else { return nil }
      append(high << 4 | low)
    }
  }
}

extension UInt8 {
  /// The value of an ASCII hexadecimal digit.
  @inlinable
  public var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  @inlinable public var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }
  @inlinable public var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
  @inlinable public var isASCIIUppercase: Bool { self &- UInt8(ascii: "A") < 26 }
  @inlinable public var isASCIILowercase: Bool { self &- UInt8(ascii: "a") < 26 }
  @inlinable public var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }
}
