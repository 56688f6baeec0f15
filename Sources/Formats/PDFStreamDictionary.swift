/// What the dictionary before a PDF stream says about it, as far as it takes to decode it (ISO 32000-1,
/// §7.3.8.2): read from the text in front of the `stream` keyword, without following references.
package struct PDFStreamDictionary: Equatable, Sendable {
  /// The object's number, where it stands in reach.
  package var object: Int?
  package var filters: [Filter]

  /// Ways a stream is encoded (§7.4).
  package enum Filter: Equatable, Sendable {
    case flate, ascii85, asciiHex, lzw, runLength
    /// Pictures and the like: nothing to search in.
    case opaque
  }

  /// Largest number of filters that are applied one after the other.
  private static let largestFilterCount = 8

  package init(endOf text: [UInt8]) {
    let words = Self.words(text)
    // The dictionary belongs to the last object that starts in the text.
    let start = words.lastIndex(of: "obj") ?? 0
    object = start >= 2 ? Int(words[start - 2]) : nil
    filters = Self.filters(words[start...])
  }

  private static func filters(_ words: ArraySlice<String>) -> [Filter] {
    guard let key = words.lastIndex(where: { $0 == "/Filter" || $0 == "/F" }) else { return [] }
    var filters: [Filter] = []
    for word in words[(key + 1)...].prefix(largestFilterCount + 1) {
      if word == "[" { continue }
      guard word.hasPrefix("/"), let filter = filter(word) else { break }
      filters.append(filter)
      if words[key + 1] != "[" { break }
    }
    return filters
  }

  private static func filter(_ name: String) -> Filter? {
    switch name {
    case "/FlateDecode", "/Fl": .flate
    case "/ASCII85Decode", "/A85": .ascii85
    case "/ASCIIHexDecode", "/AHx": .asciiHex
    case "/LZWDecode", "/LZW": .lzw
    case "/RunLengthDecode", "/RL": .runLength
    case "/DCTDecode", "/DCT", "/CCITTFaxDecode", "/CCF", "/JBIG2Decode", "/JPXDecode", "/Crypt":
      .opaque
    default: nil
    }
  }

  /// Names, numbers and keywords; brackets stand alone.
  private static func words(_ text: [UInt8]) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    func finish() {
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
      word.removeAll(keepingCapacity: true)
    }
    for byte in text {
      switch byte {
      case 0, 9, 10, 12, 13, 32: finish()
      case 0x5B, 0x5D, 0x3C, 0x3E:
        finish()
        words.append(String(Unicode.Scalar(byte)))
      case 0x2F:
        finish()
        word.append(byte)
      default: word.append(byte)
      }
    }
    finish()
    return words
  }
}
