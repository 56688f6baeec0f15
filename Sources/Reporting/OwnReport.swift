/// Whether what lies in a file is a report of this program: one that the next run may replace.
package enum OwnReport {
  /// How much of the start and of the end of a file is looked at.
  package static let sample = 1_024

  /// What stands at the start of the reports of each format, and of a bundle. The text report starts with
  /// whatever was found, and ends with the exit status.
  private static let starts = [
    "\"schema\": \"vestige-report/", "name\": \"vestige\"", "\"id\": \"vestige\"",
    "<testsuites name=\"vestige\"", "## Vestige: ", "kind,severity,rule,title,path,locator,line,",
    "content=\"vestige ", "xmlns:vestige=\"", "vestige-bundle ",
  ]

  /// The start and the end of the file, which may overlap, and its size.
  package static func isOne(start: [UInt8], end: [UInt8], byteCount: Int) -> Bool {
    // A file that was made to be filled.
    if byteCount == 0 { return true }
    let head = String(decoding: start, as: UTF8.self)
    if starts.contains(where: head.contains) { return true }
    if head == "[]\n"
      || head.hasPrefix("[\n  {\"description\": \"") && head.contains("\"check_name\"")
    {
      return true
    }
    let last = String(decoding: end, as: UTF8.self).split(separator: "\n").last ?? ""
    return statuses.contains { last.hasSuffix($0) }
  }

  /// How the text report ends, in every language.
  private static let statuses = (0...3).flatMap { ["(exit \($0))", "（退出状态 \($0)）"] }
}
