import CZlib

/// How large text becomes when it is compressed, as it must be for an upload; nothing of it is kept.
final class DeflateMeter {
  private var stream = z_stream()
  private let isOpen: Bool
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// The fastest level is an upper bound for what an uploader's own level makes of it.
  init() {
    isOpen =
      deflateInit_(&stream, Z_BEST_SPEED, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
  }

  deinit { if isOpen { deflateEnd(&stream) } }

  /// Bytes so far, with what the compressor still holds back counted as it came in.
  private(set) var count = 0
  private var pending = 0

  func add(_ text: String) {
    guard isOpen else {
      count += text.utf8.count
      return
    }
    var text = text
    let before = stream.total_out
    text.withUTF8 { bytes in
      stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
      stream.avail_in = UInt32(clamping: bytes.count)
      while stream.avail_in > 0 { drain() }
    }
    pending = stream.total_out == before ? pending + text.utf8.count : text.utf8.count
    count = Int(stream.total_out) + pending
  }

  private func drain() {
    buffer.withUnsafeMutableBufferPointer { output in
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(output.count)
      _ = deflate(&stream, Z_NO_FLUSH)
    }
  }
}
