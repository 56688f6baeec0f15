/// A block of memory that grows to what is asked of it and serves one member after the other.
struct Scratch: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// At least `count` bytes, their content undefined; an earlier answer is void.
  mutating func reserve(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if memory.count < count {
      memory.deallocate()
      memory = .allocate(byteCount: max(count, 65_536), alignment: 16)
    }
    return UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
  }

  /// Gives back what one large member needed, so that memory stays flat between members.
  mutating func shrink(to limit: Int) {
    guard memory.count > limit else { return }
    memory.deallocate()
    memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  }

  deinit {
    memory.deallocate()
  }
}
