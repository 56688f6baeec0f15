import CMalloc

/// How the C library's allocator is told what this program does.
enum MemoryTuning {
  /// Buffers of some megabytes come and go with every file; given back to the system each time, they
  /// cost more than the work done in them.
  static func apply() {
    #if os(Linux)
      mallopt(M_MMAP_THRESHOLD, 64 << 20)
      mallopt(M_TRIM_THRESHOLD, 64 << 20)
      // Threads with memory of their own keep what the others could use, and get it page by page.
      mallopt(M_ARENA_MAX, 1)
      mallopt(M_TOP_PAD, 1 << 20)
    #endif
  }
}
