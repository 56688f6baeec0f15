import Glibc

/// Conversion of text between encodings by the C library's iconv(3).
enum Transcoder {
  /// The bytes of `text` in `encoding`, or nothing where a character has no place in it.
  static func encode(_ text: String, as encoding: String) -> [UInt8]? {
    let converter = iconv_open(encoding, "UTF-8")
    guard converter != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(converter) }
    var input = Array(text.utf8).map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: input.count * 4 + 8)
    let written = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output -> Int? in
        var source = input.baseAddress
        var sourceLeft = input.count
        var target = output.baseAddress
        var targetLeft = output.count
        guard iconv(converter, &source, &sourceLeft, &target, &targetLeft) == 0, sourceLeft == 0
        else { return nil }
        return output.count - targetLeft
      }
    }
    return written.map { output.prefix($0).map { UInt8(bitPattern: $0) } }
  }
}
