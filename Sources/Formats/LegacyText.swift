import Glibc

/// Text in the encodings that old archives name their members in.
enum LegacyText {
  /// GBK, through the C library's converter; nothing where it is not valid or the library has no
  /// tables for it.
  static func gbk(_ stored: [UInt8]) -> String? {
    guard stored.count <= 65_536 else { return nil }
    let converter = unsafe iconv_open("UTF-8", "GB18030")
    guard Int(bitPattern: converter) != -1 else { return nil }
    defer { _ = unsafe iconv_close(converter) }
    var input = stored.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: stored.count * 4)
    var left = output.count
    var remaining = input.count
    let failed = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        var from = input.baseAddress
        var to = output.baseAddress
        return unsafe iconv(converter, &from, &remaining, &to, &left) == -1
      }
    }
    guard !failed, remaining == 0 else { return nil }
    let text = output.prefix(output.count - left).map { UInt8(bitPattern: $0) }
    return String(validating: text, as: UTF8.self)
  }

  /// IBM code page 437: ASCII below, box drawing and accented letters above.
  static func codePage437(_ stored: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for byte in stored {
      text.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte - 0x80)])
    }
    return String(text)
  }

  private static let upperHalf: [Unicode.Scalar] = Array(
    """
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}
    """.unicodeScalars)
}
