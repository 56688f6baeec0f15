/// The name that the content of a compressed file goes by where the format gives none: the file's own
/// name without the ending that says how it is compressed.
enum ContentName {
  private static let endings = [
    ".gz", ".bz2", ".xz", ".lzma", ".zst", ".lz4", ".z", ".zlib", ".br", ".lz",
  ]
  private static let tarEndings = [".tgz", ".tbz2", ".tbz", ".txz", ".tzst"]

  static let unnamed = "content"

  static func inside(_ name: String) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? ""
    let lower = last.lowercased()
    for ending in endings where lower.hasSuffix(ending) && last.count > ending.count {
      return String(last.dropLast(ending.count))
    }
    for ending in tarEndings where lower.hasSuffix(ending) && last.count > ending.count {
      return String(last.dropLast(ending.count)) + ".tar"
    }
    return unnamed
  }
}
