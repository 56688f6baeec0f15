/// A named stretch of a program file: what a place in it is called in the field.
package struct BinarySection: Equatable, Sendable {
  /// `__TEXT,__cstring` in Mach-O, `.rodata` in ELF.
  package var name: String
  /// The processor, for files that hold several programs.
  package var slice: String?
  /// Where it lies in the file.
  package var range: Range<Int>

  package init(name: String, slice: String? = nil, range: Range<Int>) {
    self.name = name
    self.slice = slice
    self.range = range
  }
}

extension [BinarySection] {
  /// The section that `offset` lies in; the smallest, where sections overlap. The array must be sorted by
  /// where sections start.
  package func section(at offset: Int) -> BinarySection? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].range.lowerBound <= offset { low = middle + 1 } else { high = middle }
    }
    // Hostile files overlap sections without end; a few steps back are enough for honest ones.
    return self[Swift.max(0, low - 16)..<low].filter { $0.range.contains(offset) }
      .min { $0.range.count < $1.range.count }
  }
}
