package import Bytes

/// The file header: the first 100 bytes of a database (SQLite file format, §1.3).
///
///     offset  size  field
///          0    16  "SQLite format 3\0"
///         16     2  page size; 1 means 65536
///         18     1  write version: 1 rollback journal, 2 write-ahead log
///         19     1  read version
///         20     1  bytes reserved at the end of each page
///         21     3  fractions 64, 32, 32
///         24     4  change counter
///         28     4  size in pages, valid where the counters at 24 and 92 agree
///         32     4  first freelist trunk page
///         36     4  freelist pages
///         40     4  schema cookie
///         52     4  largest root page; non-zero in auto-vacuum databases
///         56     4  text encoding: 1 UTF-8, 2 UTF-16LE, 3 UTF-16BE
///         60     4  user version
///         64     4  non-zero: incremental vacuum
///         68     4  application id
///         92     4  change counter for which 28 is valid
///         96     4  version of the library that wrote last
package struct DatabaseHeader: Equatable, Sendable {
  package static let byteCount = 100
  package static let magic: StaticString = "SQLite format 3\0"

  package var geometry: PageGeometry
  package var writeVersion: UInt8
  package var readVersion: UInt8
  package var changeCounter: UInt32
  package var pageCount: UInt32
  package var freelistHead: UInt32
  package var freelistCount: UInt32
  package var schemaCookie: UInt32
  package var largestRoot: UInt32
  package var encoding: TextEncoding
  package var userVersion: UInt32
  package var incrementalVacuum: UInt32
  package var applicationID: UInt32
  package var validFor: UInt32
  package var libraryVersion: UInt32

  package var isAutoVacuum: Bool { largestRoot != 0 }
  package var usesWriteAheadLog: Bool { readVersion == 2 }
}

/// How a database stores text (SQLite file format, §1.3.13).
package enum TextEncoding: UInt32, Sendable {
  case utf8 = 1
  case utf16LittleEndian = 2
  case utf16BigEndian = 3
}

/// Why bytes are not the header of a database.
package enum HeaderError: Error, Equatable {
  case truncated(Truncated)
  /// The first 16 bytes are something else.
  case magic
  /// No database has this page size with these reserved bytes.
  case pageSize(stored: UInt16, reserved: UInt8)
}

extension DatabaseHeader {
  /// The header that pages without one are read by.
  package init(of geometry: PageGeometry, encoding: TextEncoding = .utf8) {
    self.geometry = geometry
    writeVersion = 1
    readVersion = 1
    changeCounter = 0
    pageCount = 0
    freelistHead = 0
    freelistCount = 0
    schemaCookie = 0
    largestRoot = 0
    self.encoding = encoding
    userVersion = 0
    incrementalVacuum = 0
    applicationID = 0
    validFor = 0
    libraryVersion = 0
  }

  /// Whether a file starts like a database but for some bytes of its first sixteen: the fractions that the
  /// format fixes are there, page size and versions can be true, and most of the name stands.
  package static func isNearly(_ file: RawSpan) -> Bool {
    guard file.byteCount >= byteCount, file[at: 21] == 64, file[at: 22] == 32, file[at: 23] == 32,
      !file.hasBytes(magic), 1...2 ~= file[at: 18] ?? 0, 1...2 ~= file[at: 19] ?? 0
    else { return false }
    let stored = file.short(at: 16)
    let size = stored == 1 ? 65_536 : Int(stored)
    guard PageGeometry(pageSize: size, reserved: Int(file[at: 20] ?? 0)) != nil else {
      return false
    }
    let name = Array("SQLite format 3\0".utf8)
    return name.indices.count { file[at: $0] == name[$0] } >= 11
  }

  package init(parsing file: RawSpan) throws(HeaderError) {
    guard file.byteCount >= Self.byteCount else {
      throw .truncated(Truncated(offset: file.byteCount, count: Self.byteCount - file.byteCount))
    }
    guard file.hasBytes(Self.magic) else { throw .magic }
    let stored = file.short(at: 16)
    let reserved = file[at: 20] ?? 0
    let size = stored == 1 ? 65_536 : Int(stored)
    guard let geometry = PageGeometry(pageSize: size, reserved: Int(reserved)) else {
      throw .pageSize(stored: stored, reserved: reserved)
    }
    self.geometry = geometry
    writeVersion = file[at: 18] ?? 0
    readVersion = file[at: 19] ?? 0
    changeCounter = file.word(at: 24)
    pageCount = file.word(at: 28)
    freelistHead = file.word(at: 32)
    freelistCount = file.word(at: 36)
    schemaCookie = file.word(at: 40)
    largestRoot = file.word(at: 52)
    encoding = TextEncoding(rawValue: file.word(at: 56)) ?? .utf8
    userVersion = file.word(at: 60)
    incrementalVacuum = file.word(at: 64)
    applicationID = file.word(at: 68)
    validFor = file.word(at: 92)
    libraryVersion = file.word(at: 96)
  }
}
