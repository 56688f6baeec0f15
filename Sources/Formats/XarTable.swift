import Bytes

/// The table of contents of a xar archive, the format of Apple's installer packages: XML that says which
/// bytes of the heap belong to which file (xar wiki, "xarformat").
///
/// Read by a scanner of its own: the table is small, and elements that are not understood are skipped.
package struct XarTable: Equatable, Sendable {
  package var entries: [Entry] = []
  /// Whether the table had more files than are read, or was nested too deep.
  package var isCutOff = false

  /// A file, or an extended attribute of one.
  package struct Entry: Equatable, Sendable {
    /// Names from the top, the last one is the file's.
    package var path: [String]
    /// The attribute's name; nothing for the file's own data.
    package var attribute: String?
    package var extent: Extent
  }

  /// Where data lies in the heap and how it is compressed.
  package struct Extent: Equatable, Sendable {
    package var offset = 0
    /// Size in the heap.
    package var length = 0
    /// Size of the content.
    package var size = 0
    /// A media type: `application/x-gzip`, `application/x-bzip2`, `application/octet-stream`, …
    package var encoding = ""
  }

  private static let largestEntryCount = 100_000
  private static let deepest = 64

  package init(parsing xml: [UInt8]) {
    var scanner = XMLTagScanner(xml)
    /// Open elements, and for each open file its name.
    var elements: [String] = []
    var names: [String] = []
    var extent = Extent()
    var attribute: String?
    /// Data of files that have not ended, with how deep the file is.
    var pending: [(depth: Int, attribute: String?, extent: Extent)] = []
    while let tag = scanner.next() {
      switch tag.kind {
      case .opening:
        guard elements.count < Self.deepest, entries.count < Self.largestEntryCount else {
          isCutOff = true
          return
        }
        if tag.name == "file" { names.append("") }
        if tag.name == "data" || tag.name == "ea" {
          extent = Extent()
          attribute = nil
        }
        if tag.name == "encoding" { extent.encoding = tag.attribute("style") ?? "" }
        elements.append(tag.name)
      case .empty:
        if tag.name == "encoding" { extent.encoding = tag.attribute("style") ?? "" }
      case .closing:
        guard elements.last == tag.name else { continue }
        elements.removeLast()
        let text = tag.precedingText
        switch (elements.last, tag.name) {
        case ("file", "name"): if !names.isEmpty { names[names.count - 1] = text }
        case ("ea", "name"): attribute = text
        case ("data", "offset"), ("ea", "offset"): extent.offset = Int(text) ?? -1
        case ("data", "length"), ("ea", "length"): extent.length = Int(text) ?? -1
        case ("data", "size"), ("ea", "size"): extent.size = Int(text) ?? -1
        case ("file", "data"): pending.append((names.count, nil, extent))
        case ("file", "ea"): pending.append((names.count, attribute ?? "attribute", extent))
        case (_, "file"):
          // The name may stand behind the data, so entries are made when the file ends.
          while let (depth, attribute, extent) = pending.last, depth == names.count {
            entries.append(Entry(path: names, attribute: attribute, extent: extent))
            pending.removeLast()
          }
          if !names.isEmpty { names.removeLast() }
        default: continue
        }
      }
    }
  }
}

/// Walks the tags of an XML text without building a tree.
struct XMLTagScanner {
  struct Tag {
    enum Kind {
      case opening, closing, empty
    }
    var kind: Kind
    var name: String
    /// What stands between the name and the end of the tag.
    var rest: [UInt8]
    /// The text between the tag before and this one.
    var precedingText: String

    /// The value of an attribute, in either kind of quotes.
    func attribute(_ name: String) -> String? {
      let text = String(decoding: rest, as: UTF8.self)
      guard let start = text.firstRange(of: name + "=") else { return nil }
      let value = text[start.upperBound...]
      guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
      return value.dropFirst().split(separator: quote, omittingEmptySubsequences: false).first
        .map(String.init)
    }
  }

  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) {
    self.text = text
  }

  mutating func next() -> Tag? {
    while let open = text[position...].firstIndex(of: 0x3C),
      let close = text[open...].firstIndex(of: 0x3E)
    {
      let before = text[position..<open]
      position = close + 1
      var inner = text[(open + 1)..<close]
      // Declarations, comments and processing instructions are not tags.
      guard let first = inner.first, first != 0x21, first != 0x3F else { continue }
      var kind = Tag.Kind.opening
      if first == 0x2F {
        kind = .closing
        inner = inner.dropFirst()
      } else if inner.last == 0x2F {
        kind = .empty
        inner = inner.dropLast()
      }
      let name = inner.prefix { $0 > 0x20 }
      return Tag(
        kind: kind, name: String(decoding: name, as: UTF8.self),
        rest: Array(inner.dropFirst(name.count)), precedingText: Self.unescaped(before))
    }
    return nil
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
    let plain = String(decoding: text, as: UTF8.self)
    guard text.contains(0x26) else { return plain }
    var result = plain
    for (entity, character) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
    ] {
      result = result.replacing(entity, with: character)
    }
    return result
  }
}
