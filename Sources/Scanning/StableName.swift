/// Names with what differs from run to run taken out: a container's identifier, a temporary folder's
/// random end. Fingerprints are made from them, so that a decision outlives the folder.
package enum StableName {
  /// The path with `{id}` for every part of a name that was made up by a machine.
  package static func path(_ path: String) -> String {
    let steps = path.split(separator: "/", omittingEmptySubsequences: true)
    let stable = steps.enumerated().compactMap { index, step -> String? in
      step == "." ? nil : name(step, isFolder: index < steps.count - 1)
    }
    return stable.joined(separator: "/")
  }

  private static func name(_ name: Substring, isFolder: Bool) -> String {
    let bytes = Array(name.utf8)
    if isTemporary(bytes) { return "{id}" }
    var stable: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let length = identifierLength(bytes[index...], after: stable.last)
      if length > 0 {
        stable += Array("{id}".utf8)
        index += length
      } else {
        stable.append(bytes[index])
        index += 1
      }
    }
    if isFolder, let cut = randomEnd(stable) { stable = Array(stable[..<cut]) + Array("{id}".utf8) }
    return String(decoding: stable, as: UTF8.self)
  }

  /// Length of the identifier that starts here: a UUID, a long run of hexadecimal digits, or of
  /// digits that is longer than a date.
  private static func identifierLength(_ bytes: ArraySlice<UInt8>, after last: UInt8?) -> Int {
    let digits = bytes.prefix { isDigit($0) }.count
    let hexadecimal = bytes.prefix { isHexadecimal($0) }
    if digits >= 9, digits == hexadecimal.count, last.map({ !isDigit($0) }) ?? true {
      return digits
    }
    if let last, isHexadecimal(last) { return 0 }
    let groups = [8, 4, 4, 4, 12]
    var rest = bytes
    for (index, group) in groups.enumerated() {
      guard rest.prefix(group).count == group, rest.prefix(group).allSatisfy(isHexadecimal) else {
        break
      }
      rest = rest.dropFirst(group)
      if index == groups.count - 1 { return rest.startIndex - bytes.startIndex }
      guard rest.first == UInt8(ascii: "-") else { break }
      rest = rest.dropFirst()
    }
    let isLong = hexadecimal.count >= 16 && hexadecimal.contains(where: isDigit)
    return isLong ? hexadecimal.count : 0
  }

  /// `tmp.Xa81kQ`, `tmpab12cd34`, `temp-1234abcd`: the whole name is made up.
  private static func isTemporary(_ bytes: [UInt8]) -> Bool {
    for word in ["tmp", "temp"] where bytes.starts(with: word.utf8) {
      var rest = bytes[word.utf8.count...]
      if let first = rest.first, "._-".utf8.contains(first) { rest = rest.dropFirst() }
      if rest.count >= 6, rest.allSatisfy({ isAlphanumeric($0) || $0 == UInt8(ascii: "_") }),
        rest.contains(where: isDigit) || hasInnerCapital(rest)
      {
        return true
      }
    }
    return false
  }

  /// Where the six random characters of `mkdtemp` start, behind a point or hyphen.
  private static func randomEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count > 7 else { return nil }
    let cut = bytes.count - 6
    guard ".-_".utf8.contains(bytes[cut - 1]), bytes[cut...].allSatisfy(isAlphanumeric),
      hasInnerCapital(bytes[cut...])
    else { return nil }
    return cut
  }

  /// A capital behind another letter or digit, which words of a person seldom have.
  private static func hasInnerCapital(_ bytes: ArraySlice<UInt8>) -> Bool {
    let isCapital = { (byte: UInt8) in byte &- UInt8(ascii: "A") < 26 }
    return bytes.dropFirst().contains(where: isCapital) && !bytes.allSatisfy(isCapital)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26
  }
}
