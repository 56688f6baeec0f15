/// Cookie stores of Apple's networking, byte by byte.
package enum CookieFixture {
  package struct Cookie {
    var domain: String
    var name: String
    var path: String
    var value: String
    var flags: UInt32

    package init(domain: String, name: String, path: String, value: String, flags: UInt32) {
      self.domain = domain
      self.name = name
      self.path = path
      self.value = value
      self.flags = flags
    }
  }

  package static func file(_ pages: [[Cookie]]) -> [UInt8] {
    let stored = pages.map(page)
    var file = Array("cook".utf8)
    file.appendBigEndian(UInt32(stored.count))
    for page in stored { file.appendBigEndian(UInt32(page.count)) }
    return file + stored.joined()
  }

  private static func page(_ cookies: [Cookie]) -> [UInt8] {
    let records = cookies.map(record)
    var page: [UInt8] = [0, 0, 1, 0]
    page.appendLittleEndian(UInt32(records.count))
    var offset = 12 + records.count * 4
    for record in records {
      page.appendLittleEndian(UInt32(offset))
      offset += record.count
    }
    page += [0, 0, 0, 0]
    return page + records.joined()
  }

  private static func record(_ cookie: Cookie) -> [UInt8] {
    let texts = [cookie.domain, cookie.name, cookie.path, cookie.value].map { Array($0.utf8) + [0] }
    var record: [UInt8] = []
    record.appendLittleEndian(UInt32(56 + texts.reduce(0) { $0 + $1.count }))
    record += [0, 0, 0, 0]
    record.appendLittleEndian(cookie.flags)
    record += [0, 0, 0, 0]
    var offset = 56
    for text in texts {
      record.appendLittleEndian(UInt32(offset))
      offset += text.count
    }
    record += [UInt8](repeating: 0, count: 8)
    record.appendLittleEndian((700_000_000.0).bitPattern)
    record.appendLittleEndian((600_000_000.0).bitPattern)
    return record + texts.joined()
  }
}
