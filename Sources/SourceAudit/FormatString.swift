/// A format as `os_log` takes it: what it says of the privacy of each value.
enum FormatString {
  /// For each value in order: `public`, `private`, `sensitive`, or `open` where the default holds,
  /// which is private for texts and objects and public for numbers.
  static func privacies(in format: String) -> [String] {
    var result: [String] = []
    var rest = Array(format.utf8)[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[(start + 1)...]
      if rest.first == UInt8(ascii: "%") {
        rest = rest.dropFirst()
        continue
      }
      var said: String?
      if rest.first == UInt8(ascii: "{"), let end = rest.firstIndex(of: UInt8(ascii: "}")) {
        let words = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
        said = ["public", "private", "sensitive"].first { words.contains($0) }
        rest = rest[(end + 1)...]
      }
      let flags = Set("0123456789.-+ #*hlqLztj'".utf8)
      while let byte = rest.first, flags.contains(byte) { rest = rest.dropFirst() }
      guard let kind = rest.popFirst() else { break }
      let isText =
        kind == UInt8(ascii: "@") || kind == UInt8(ascii: "s") || kind == UInt8(ascii: "S")
      result.append(said ?? (isText ? "open" : "public"))
    }
    return result
  }
}
