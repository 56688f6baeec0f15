/// Makes images of FAT12 volumes with files in their root, and disks with a table of partitions
/// (Microsoft's FAT specification, 1.03; the master boot record).
package struct FATVolume {
  package static let sectorSize = 512
  private static let sectorCount = 2_048
  private static let rootEntries = 112
  private static let tableSectors = 6
  private static let firstData = 1 + 2 * tableSectors + rootEntries * 32 / sectorSize

  private var data: [UInt8] = []
  private var entries: [UInt8] = []
  private var chains: [[Int]] = []

  package init() {}

  /// Adds a file and says where it starts in the image.
  ///
  /// - Parameters:
  ///   - name: Eleven characters, the last three of them the ending.
  ///   - slack: What the last sector holds behind its end.
  @discardableResult
  package mutating func add(
    _ name: String, _ bytes: [UInt8], slack: [UInt8] = [], isDeleted: Bool = false
  ) -> Int {
    let first = data.count / Self.sectorSize
    let count = (bytes.count + Self.sectorSize - 1) / Self.sectorSize
    var stored = bytes + slack
    stored = Array(stored.prefix(count * Self.sectorSize))
    data += stored + [UInt8](repeating: 0, count: count * Self.sectorSize - stored.count)
    var entry = [UInt8](repeating: 0, count: 32)
    entry.replaceSubrange(0..<11, with: Array(name.utf8))
    if isDeleted { entry[0] = 0xE5 }
    entry[11] = 0x20
    entry[26] = UInt8((first + 2) & 0xFF)
    entry[27] = UInt8((first + 2) >> 8)
    for index in 0..<4 { entry[28 + index] = UInt8(truncatingIfNeeded: bytes.count >> (8 * index)) }
    entries += entry
    if !isDeleted { chains.append(Array(first + 2..<first + 2 + count)) }
    return (Self.firstData + first) * Self.sectorSize
  }

  /// Adds bytes that no file has, and says where they start in the image.
  @discardableResult
  package mutating func addUnallocated(_ bytes: [UInt8]) -> Int {
    let start = (Self.firstData * Self.sectorSize) + data.count
    data += bytes
    data += [UInt8](
      repeating: 0, count: (Self.sectorSize - bytes.count % Self.sectorSize) % Self.sectorSize)
    return start
  }

  package func bytes() -> [UInt8] {
    var image = boot()
    let table = table()
    image += table + table + entries
    image += [UInt8](repeating: 0, count: Self.rootEntries * 32 - entries.count) + data
    return image + [UInt8](repeating: 0, count: Self.sectorCount * Self.sectorSize - image.count)
  }

  private func boot() -> [UInt8] {
    var boot = [UInt8](repeating: 0, count: Self.sectorSize)
    boot.replaceSubrange(0..<11, with: [0xEB, 0x3C, 0x90] + Array("MSDOS5.0".utf8))
    boot.replaceSubrange(
      11..<24,
      with: [
        0, 2, 1, 1, 0, 2, UInt8(Self.rootEntries), 0, UInt8(Self.sectorCount & 0xFF),
        UInt8(Self.sectorCount >> 8), 0xF8, UInt8(Self.tableSectors), 0,
      ])
    boot[38] = 0x29
    boot.replaceSubrange(43..<62, with: Array("NO NAME    FAT12   ".utf8))
    boot.replaceSubrange(510..<512, with: [0x55, 0xAA])
    return boot
  }

  /// Twelve bits a cluster: the next one of its file, or that there is none.
  private func table() -> [UInt8] {
    var next = [Int](repeating: 0, count: Self.tableSectors * Self.sectorSize * 2 / 3)
    (next[0], next[1]) = (0xFF8, 0xFFF)
    for chain in chains {
      for (cluster, following) in zip(chain, chain.dropFirst() + [0xFFF]) {
        next[cluster] = following
      }
    }
    var table: [UInt8] = []
    for pair in stride(from: 0, to: next.count, by: 2) {
      let (one, other) = (next[pair], next[pair + 1])
      table += [UInt8(one & 0xFF), UInt8(one >> 8 | (other & 0xF) << 4), UInt8(other >> 4)]
    }
    return table
  }
}

/// A disk with partitions one after the other.
package struct PartitionedDisk {
  private static let first = 64
  private var partitions: [(kind: UInt8, bytes: [UInt8])] = []

  package init() {}

  /// Adds a partition, and says where it starts in the image.
  @discardableResult
  package mutating func add(_ kind: UInt8, _ bytes: [UInt8]) -> Int {
    let start = partitions.reduce(Self.first * 512) { $0 + $1.bytes.count }
    partitions.append((kind, bytes))
    return start
  }

  package func bytes() -> [UInt8] {
    var boot = [UInt8](repeating: 0, count: Self.first * 512)
    var sector = Self.first
    for (index, partition) in partitions.enumerated() {
      let count = partition.bytes.count / 512
      let entry: [UInt8] =
        [0, 0, 0, 0, partition.kind, 0, 0, 0]
        + [sector, count].flatMap { number in
          (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
      boot.replaceSubrange(446 + index * 16..<462 + index * 16, with: entry)
      sector += count
    }
    boot.replaceSubrange(510..<512, with: [0x55, 0xAA])
    return boot + partitions.flatMap(\.bytes)
  }
}
