/// Archives of RAR 4 with one member whose compressed data ask for memory before they give anything.
package enum RARFixture {
  /// A member packed by PPMd with a model of so many MiB, 256 at most.
  package static func model(mebibytes: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.add(1, bits: 1)
    // A new model, and the order of its contexts.
    bits.add(0x20 | 5, bits: 7)
    bits.add(UInt64(mebibytes - 1), bits: 8)
    return archive(bits.bytes + [UInt8](repeating: 0, count: 16))
  }

  /// A member with a filter of its own whose program has static data of so many bytes, all of which are
  /// filled from a stream that ended before.
  package static func staticData(byteCount: UInt32) -> [UInt8] {
    var program = BitWriter()
    program.add(1, bits: 1)
    addNumber(byteCount - 1, to: &program)
    let check = program.bytes.reduce(0, ^)
    var filter = BitWriter()
    // It starts here.
    filter.add(0, bits: 6)
    filter.add(UInt64(program.bytes.count + 1), bits: 6)
    for byte in [check] + program.bytes { filter.add(UInt64(byte), bits: 8) }

    var bits = BitWriter()
    addCodes(to: &bits)
    // The second of the two symbols there are: a filter follows, as flags, length and bytes.
    bits.add(1, bits: 1)
    bits.add(6, bits: 8)
    bits.add(UInt64(filter.bytes.count - 7), bits: 8)
    for byte in filter.bytes { bits.add(UInt64(byte), bits: 8) }
    return archive(bits.bytes + [UInt8](repeating: 0, count: 16))
  }

  /// A number of the filters' machine: two bits for its size, and 32 for itself.
  private static func addNumber(_ number: UInt32, to bits: inout BitWriter) {
    bits.add(3, bits: 2)
    bits.add(UInt64(number), bits: 32)
  }

  /// No PPMd, new tables: codes of one bit for the symbols 256 (the end) and 257 (a filter), none for others.
  private static func addCodes(to bits: inout BitWriter) {
    bits.add(0, bits: 2)
    // The code of the code lengths: two bits each for "none", "one bit" and the two runs of "none".
    for symbol in 0..<20 { bits.add([0, 1, 18, 19].contains(symbol) ? 2 : 0, bits: 4) }
    func addNone(_ count: Int) {
      bits.add(0b11, bits: 2)
      bits.add(UInt64(count - 11), bits: 7)
    }
    addNone(138)
    addNone(118)
    for _ in 0..<2 { bits.add(0b01, bits: 2) }
    addNone(138)
    // The last eight, in the shorter run.
    bits.add(0b10, bits: 2)
    bits.add(5, bits: 3)
  }

  /// Marker, archive header, and a file header with its data.
  private static func archive(_ data: [UInt8]) -> [UInt8] {
    let name = Array("filtered.txt".utf8)
    var file: [UInt8] = [0x74]
    file.appendLittleEndian(UInt16(0x8000))
    file.appendLittleEndian(UInt16(32 + name.count))
    file.appendLittleEndian(UInt32(data.count))
    file.appendLittleEndian(UInt32(43))
    file += [3]
    file.appendLittleEndian(UInt32(0))
    file.appendLittleEndian(UInt32(0x210000))
    // Version 2.9, the usual method.
    file += [29, 0x33]
    file.appendLittleEndian(UInt16(name.count))
    file.appendLittleEndian(UInt32(0o100644))
    let archive: [UInt8] = [0x73, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0]
    return Array("Rar!".utf8) + [0x1A, 7, 0] + header(archive) + header(file + name) + data
  }

  /// A header behind the lower half of its CRC-32.
  private static func header(_ content: [UInt8]) -> [UInt8] {
    var header: [UInt8] = []
    header.appendLittleEndian(UInt16(truncatingIfNeeded: DeflateFixture.crc32(content)))
    return header + content
  }
}
