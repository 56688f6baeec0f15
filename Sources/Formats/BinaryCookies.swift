import Bytes

/// Cookies as Apple's networking keeps them, `Cookies.binarycookies`: pages of records, whose texts end
/// with a zero.
///
///     offset  size  field
///          0     4  "cook"
///          4     4  number of pages, big-endian
///          8   4·n  size of each page, big-endian
///     then the pages: 00 00 01 00, number of cookies and the offset of each, little-endian
///
/// A cookie: size, version, flags (1 secure, 4 for the server only), port; offsets of domain, name,
/// path, value and comment from its start; expiry and creation in seconds since 2001.
package struct BinaryCookies: Sendable {
  package struct Cookie: Equatable, Sendable {
    package var domain = ""
    package var name = ""
    package var path = ""
    package var isSecure = false
    package var isHTTPOnly = false
    /// Seconds since 2001.
    package var expires = 0.0
    package var created = 0.0
    /// Bytes of the file that are the value, and the whole record.
    package var value = 0..<0
    package var range = 0..<0
  }

  package private(set) var cookies: [Cookie] = []
  /// Offset of the first thing that is not as it should be.
  package private(set) var damage: Int?

  private static let mostCookies = 100_000

  package static func recognises(_ head: RawSpan) -> Bool { head.hasBytes("cook\0") }

  package init(parsing file: RawSpan) {
    guard let count = try? file.integer(at: 4, as: UInt32.self), count < 1 << 20 else {
      damage = 4
      return
    }
    var start = 8 + Int(count) * 4
    for index in 0..<Int(count) {
      guard let size = try? file.integer(at: 8 + index * 4, as: UInt32.self), start < file.byteCount
      else {
        note(start)
        return
      }
      readPage(file, start..<min(start + Int(size), file.byteCount))
      start += Int(size)
    }
  }

  private mutating func note(_ offset: Int) {
    if damage == nil { damage = offset }
  }

  private mutating func readPage(_ file: RawSpan, _ page: Range<Int>) {
    guard file.hasBytes([0, 0, 1, 0], at: page.lowerBound),
      let count = try? file.littleEndianInteger(at: page.lowerBound + 4, as: UInt32.self),
      Int(count) <= page.count / 4
    else { return note(page.lowerBound) }
    for index in 0..<Int(count) {
      guard cookies.count < Self.mostCookies else { return }
      guard
        let offset = try? file.littleEndianInteger(
          at: page.lowerBound + 8 + index * 4, as: UInt32.self),
        Int(offset) < page.count
      else { return note(page.lowerBound) }
      readCookie(file, page.lowerBound + Int(offset), end: page.upperBound)
    }
  }

  private mutating func readCookie(_ file: RawSpan, _ start: Int, end: Int) {
    func word(_ offset: Int) -> Int? {
      (try? file.littleEndianInteger(at: start + offset, as: UInt32.self)).map { Int($0) }
    }
    func time(_ offset: Int) -> Double {
      (try? file.littleEndianInteger(at: start + offset, as: UInt64.self)).map {
        Double(bitPattern: $0)
      } ?? 0
    }
    guard let size = word(0), size >= 56, size <= end - start, let flags = word(8) else {
      return note(start)
    }
    let limit = start + size
    func text(at offset: Int) -> Range<Int> {
      guard let place = word(offset), place >= 56, place < size else { return start..<start }
      let first = start + place
      return first..<(file.firstOffset(of: 0, in: first..<limit) ?? limit)
    }
    var cookie = Cookie()
    cookie.isSecure = flags & 1 != 0
    cookie.isHTTPOnly = flags & 4 != 0
    cookie.domain = file.clamped(to: text(at: 16)).repairedText()
    cookie.name = file.clamped(to: text(at: 20)).repairedText()
    cookie.path = file.clamped(to: text(at: 24)).repairedText()
    cookie.value = text(at: 28)
    cookie.expires = time(40)
    cookie.created = time(48)
    cookie.range = start..<limit
    cookies.append(cookie)
  }
}
