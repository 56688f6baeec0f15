import Bytes

/// The header of a `-shm` file: what the processes that use a log agree on (walformat.html, §2.1).
/// In the byte order of the machine; it holds no content.
///
///     offset  size  field
///          0     4  version, 3007000
///         12     1  1 when initialised
///         13     1  1 where the log's checksums are big-endian
///         14     2  page size; 1 means 65536
///         16     4  last valid frame
///         20     4  size of the database in pages
///         24     8  checksum of the last frame
///         32     8  salts, as in the log
///         48    48  the same again
///         96     4  frames copied back into the database
package struct SharedMemoryIndex: Equatable, Sendable {
  package var isLittleEndian: Bool
  package var pageSize: Int
  package var lastFrame: UInt32
  package var pageCount: UInt32
  package var salts: Salts
  package var copiesAgree: Bool
  package var backfilled: UInt32

  /// Nothing where the bytes are no such header.
  package init?(parsing file: RawSpan) {
    guard file.byteCount >= 136 else { return nil }
    let isLittleEndian: Bool
    if file.word(at: 0) == LogHeader.version {
      isLittleEndian = false
    } else if file.word(at: 0).byteSwapped == LogHeader.version {
      isLittleEndian = true
    } else {
      return nil
    }
    func word(_ offset: Int) -> UInt32 {
      isLittleEndian ? file.word(at: offset).byteSwapped : file.word(at: offset)
    }
    self.isLittleEndian = isLittleEndian
    let size = isLittleEndian ? file.short(at: 14).byteSwapped : file.short(at: 14)
    pageSize = size == 1 ? 65_536 : Int(size)
    lastFrame = word(16)
    pageCount = word(20)
    // The salts are copied byte by byte from the log, which is big-endian.
    salts = Salts(one: file.word(at: 32), two: file.word(at: 36))
    copiesAgree = (0..<48).allSatisfy { file[at: $0] == file[at: $0 + 48] }
    backfilled = word(96)
  }

  /// What does not fit between this index and the log beside it.
  package func disagreements(with log: LogIndex, header: LogHeader) -> [String] {
    var found: [String] = []
    if pageSize != log.pageSize { found.append("page sizes differ") }
    if salts != header.salts, lastFrame != 0 { found.append("salts differ") }
    let valid = log.frames.prefix { $0.state == .live || $0.state == .superseded }.count
    if Int(lastFrame) > log.frames.count {
      found.append("it counts \(lastFrame) frames, the log holds \(log.frames.count)")
    } else if Int(lastFrame) != valid, salts == header.salts {
      found.append("it counts \(lastFrame) frames, \(valid) of the log are valid")
    }
    return found
  }
}
