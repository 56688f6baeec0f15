/// Writes binary property lists object by object, right ones and wrong ones: nothing is checked, so a
/// reference or count may be as false as the test wants.
package struct PropertyListBuilder {
  /// Bytes of a reference in a collection.
  package var referenceSize: Int
  /// Bytes of an entry of the offset table.
  package var offsetSize: Int
  private var objects: [[UInt8]] = []

  package init(referenceSize: Int = 2, offsetSize: Int = 4) {
    self.referenceSize = referenceSize
    self.offsetSize = offsetSize
  }

  /// The number of the object that is added next.
  package var nextObject: Int { objects.count }

  /// Adds an object as these bytes and gives its number.
  @discardableResult
  package mutating func add(_ bytes: [UInt8]) -> Int {
    objects.append(bytes)
    return objects.count - 1
  }

  /// A string, as the encoders write it: in ASCII, or wholly in UTF-16 (big-endian).
  package mutating func string(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return add(Self.marker(0x50, count: text.utf8.count) + Array(text.utf8))
    }
    let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return add(Self.marker(0x60, count: units.count / 2) + units)
  }

  package mutating func data(_ bytes: [UInt8]) -> Int {
    add(Self.marker(0x40, count: bytes.count) + bytes)
  }

  /// A signed integer in 8 bytes.
  package mutating func integer(_ value: Int64) -> Int {
    add([0x13] + Self.bigEndian(UInt64(bitPattern: value), size: 8))
  }

  package mutating func real(_ value: Double) -> Int {
    add([0x23] + Self.bigEndian(value.bitPattern, size: 8))
  }

  /// A date, in seconds since 2001.
  package mutating func date(_ seconds: Double) -> Int {
    add([0x33] + Self.bigEndian(seconds.bitPattern, size: 8))
  }

  package mutating func uid(_ number: Int) -> Int {
    add([0x81] + Self.bigEndian(UInt64(number), size: 2))
  }

  /// A collection; `marker` 0xA0 is an array, 0xC0 a set.
  package mutating func array(_ members: [Int], marker: UInt8 = 0xA0) -> Int {
    add(Self.marker(marker, count: members.count) + references(members))
  }

  package mutating func dictionary(_ pairs: [(key: Int, value: Int)]) -> Int {
    add(
      Self.marker(0xD0, count: pairs.count) + references(pairs.map(\.key))
        + references(pairs.map(\.value)))
  }

  /// A dictionary of strings.
  package mutating func dictionary(_ pairs: [(String, Int)]) -> Int {
    var numbers: [(key: Int, value: Int)] = []
    for (key, value) in pairs { numbers.append((string(key), value)) }
    return dictionary(numbers)
  }

  /// The file; `count` may claim another number of objects than there are.
  package func file(top: Int, count: Int? = nil) -> [UInt8] {
    var file = Array("bplist00".utf8)
    var table: [UInt8] = []
    for object in objects {
      table += Self.bigEndian(UInt64(file.count), size: offsetSize)
      file += object
    }
    let start = file.count
    file += table + [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    file += Self.bigEndian(UInt64(count ?? objects.count), size: 8)
    file += Self.bigEndian(UInt64(top), size: 8) + Self.bigEndian(UInt64(start), size: 8)
    return file
  }

  private func references(_ numbers: [Int]) -> [UInt8] {
    numbers.flatMap { Self.bigEndian(UInt64($0), size: referenceSize) }
  }

  /// The marker of a counted object: the count in its low half, or in an integer behind it.
  package static func marker(_ kind: UInt8, count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x12] + bigEndian(UInt64(count), size: 4)
  }

  package static func bigEndian(_ value: UInt64, size: Int) -> [UInt8] {
    (0..<size).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (UInt64($0) * 8)) : 0 }
  }
}

extension PropertyListBuilder {
  /// A dictionary of one pair.
  package mutating func dictionaryOf(_ pair: (String, Int)) -> Int {
    dictionary([pair])
  }
}
