import CAllocationBound
import CArchive

/// Sizes of windows, dictionaries, models and tables stand in the file: a hundred bytes may ask for
/// gigabytes.
extension LibArchive {
  /// What the library may hold for one archive: the windows of RAR 5 (twice 64 MiB) and of zstd (128 MiB),
  /// and the model of 7-Zip's PPMd at its best (192 MiB), fit in.
  static let memory = 208 << 20
  /// RAR 4 has PPMd with 128 MiB at most, and asks for as much again without any output.
  static let memoryOfRAR = 144 << 20
  /// How far a window of LZMA may be filled. A larger one may be asked for, as encoders do that are told to
  /// and are then given little to pack.
  static let largestWindow = 128 << 20

  /// Runs a call of the library under the archive's bound.
  func bounded<Result>(_ call: () -> Result) -> Result {
    let outer = allocation_bound_enter(bound)
    defer { _ = allocation_bound_enter(outer) }
    return call()
  }

  /// Why reading stopped, where it is for want of memory.
  var memoryProblem: String? {
    if isWindowFull {
      return "it needs a window of \(Self.size(bound.pointee.windows)): only what fills"
        + " \(Self.size(Self.largestWindow)) of it was read"
    }
    if problem.contains("too much") {
      return "its window is larger than the library takes: it was not read further"
    }
    guard bound.pointee.refused > 0 else { return nil }
    return "it asks for \(Self.size(bound.pointee.refused)) of memory: it was not read further"
  }

  /// Reads what is left of an entry while it fills a window that is too large: the library would do so
  /// itself, and not stop.
  func passWindow() -> Bool {
    while isEntryOpen, bound.pointee.windows > Self.largestWindow {
      if case .failed(isFatal: true) = nextBlock() { return false }
    }
    return true
  }

  private static func size(_ count: Int) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")]
    guard let (bits, name) = units.first(where: { count >> $0.0 > 0 }) else {
      return "\(count) bytes"
    }
    return "\(count >> bits) \(name)"
  }
}
