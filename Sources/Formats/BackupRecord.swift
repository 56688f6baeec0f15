import Bytes

/// What a backup of an iPhone records of one file: the keyed archive of an MBFile in Manifest.db.
package struct BackupRecord: Equatable, Sendable {
  package var path: String?
  /// Class of Data Protection: 1 complete, 2 unless open, 3 until first unlock, 4 none; 0 where the
  /// file had none.
  package var protectionClass: Int64?
  package var byteCount: Int64?
  package var mode: Int64?

  /// Nothing where the archive is of something else.
  package init?(parsing archive: RawSpan) {
    guard archive.hasBytes("bplist"), let list = try? BinaryPropertyList(parsing: archive).list,
      let keyed = KeyedArchive(list, in: archive),
      let root = list.value(of: keyed.top, under: "root", in: archive),
      let object = keyed.target(of: root, in: list),
      keyed.className(of: object, in: list, file: archive) == "MBFile"
    else { return nil }
    func integer(_ key: StaticString) -> Int64? {
      guard let value = list.value(of: object, under: key, in: archive),
        let target = keyed.target(of: value, in: list), list.nodes[target].kind == .integer
      else { return nil }
      return list.nodes[target].integer
    }
    protectionClass = integer("ProtectionClass")
    byteCount = integer("Size")
    mode = integer("Mode")
    if let value = list.value(of: object, under: "RelativePath", in: archive),
      let target = keyed.target(of: value, in: list)
    {
      path = list.text(target, in: archive, limit: 1024)
    }
  }

  /// The class in the words of Foundation.
  package var protection: String? {
    switch protectionClass {
    case 1: "complete"
    case 2: "complete-unless-open"
    case 3: "complete-until-first-user-authentication"
    case 4: "none"
    default: nil
    }
  }
}
