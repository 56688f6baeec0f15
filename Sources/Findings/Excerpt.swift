/// The bytes around a piece of evidence, with every protected one covered: what a hex editor shows
/// there, and nothing that it should not show.
package struct Excerpt: Equatable, Sendable {
  /// Four lines of a hex editor.
  package static let mostBytes = 64

  /// Where the bytes were taken from.
  package enum Source: String, CaseIterable, Sendable {
    /// The outermost file: `offset` is what `xxd -s` takes.
    case file
    /// A value that was decompressed, decrypted or decoded: no byte of the file shows it.
    case unpacked
  }

  package var source: Source
  package var offset: Int
  /// The bytes in order; nothing where one is covered.
  package var bytes: [UInt8?]

  package init(source: Source, offset: Int, bytes: [UInt8?]) {
    self.source = source
    self.offset = offset
    self.bytes = bytes
  }
}

extension Excerpt {
  /// What stands for a covered byte in the text form.
  package static let cover = ".."

  /// Two characters a byte: hexadecimal digits, or `..` where it is covered.
  package var text: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      if let byte {
        text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        text += Array(Self.cover.utf8)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// - Parameter text: as `text` gives it; anything else is no excerpt.
  package init?(source: Source, offset: Int, text: String) {
    let characters = Array(text.utf8)
    guard characters.count % 2 == 0, characters.count <= Self.mostBytes * 2, offset >= 0 else {
      return nil
    }
    var bytes: [UInt8?] = []
    for index in stride(from: 0, to: characters.count, by: 2) {
      let pair = String(decoding: characters[index..<index + 2], as: UTF8.self)
      if pair == Self.cover {
        bytes.append(nil)
      } else if let byte = UInt8(pair, radix: 16) {
        bytes.append(byte)
      } else {
        return nil
      }
    }
    self.init(source: source, offset: offset, bytes: bytes)
  }
}
