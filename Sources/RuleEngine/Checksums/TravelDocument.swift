/// The machine-readable zone of passports, identity cards and visas (ICAO 9303 parts 3 to 7).
enum TravelDocument {
  /// Two lines of 44, two of 36 or three of 30; the check digits of number, birth and expiry must hold.
  static func isMachineReadable(_ text: [UInt8]) -> Bool {
    // Line ends may be written as escapes; what is left are letters, digits and fillers.
    var zone: [UInt8] = []
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == UInt8(ascii: "\\") {
        rest = rest.dropFirst()
      } else if character > 0x20 {
        zone.append(character)
      }
    }
    // The kind of document comes first: P, I, A, C or V.
    guard let kind = zone.first, (0x41...0x5A).contains(kind) else { return false }
    switch zone.count {
    case 88: return holds(zone, [(44, 9), (57, 6), (65, 6)])
    case 72: return holds(zone, [(36, 9), (49, 6), (57, 6)])
    case 90: return holds(zone, [(5, 9), (30, 6), (38, 6)])
    default: return false
    }
  }

  private static func holds(_ zone: [UInt8], _ fields: [(start: Int, length: Int)]) -> Bool {
    fields.allSatisfy { field in
      let end = field.start + field.length
      guard let sum = weighedSum(zone[field.start..<end]) else { return false }
      return zone[end] == UInt8(ascii: "0") + UInt8(sum % 10)
    }
  }

  /// Weights 7, 3 and 1 in turn; letters from A = 10, the filler is nothing.
  private static func weighedSum(_ field: ArraySlice<UInt8>) -> Int? {
    var sum = 0
    for (place, character) in field.enumerated() {
      if character == UInt8(ascii: "<") { continue }
      guard let value = IdentityNumber.alphanumericValue(of: character) else { return nil }
      sum += value * [7, 3, 1][place % 3]
    }
    return sum
  }
}
