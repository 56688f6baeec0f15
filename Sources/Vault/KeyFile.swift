package import VaultKeys

/// A two-copy file on disk (``TwoCopies``), changed so that a cut at any point leaves the old or the
/// new content, and after the change nothing of the old one.
enum KeyFile {
  /// Makes the file with both copies equal; it has its name only once it is whole.
  static func create(_ path: String, body: [UInt8]) throws(DiskFailure) {
    let copy = TwoCopies.encode(sequence: 1, body: body)
    let draft = path + ".new"
    try Disk.write(copy + copy, to: draft)
    try Disk.sync(draft)
    try Disk.rename(draft, to: path)
    try Disk.syncFolder(path.parentFolder)
  }

  /// Replaces the content. The first sync is the commit point; the second removes the old copy.
  static func replace(
    _ path: String, body: [UInt8], sequence: UInt64, current place: Int
  ) throws(DiskFailure) {
    let copy = TwoCopies.encode(sequence: sequence, body: body)
    try write(copy, place: 1 - place, path)
    try write(copy, place: place, path)
  }

  /// Writes one place and makes it durable.
  static func write(_ copy: [UInt8], place: Int, _ path: String) throws(DiskFailure) {
    try Disk.write(copy, to: path, at: place * TwoCopies.copyCount)
    try Disk.sync(path)
  }

  /// The whole copies, newest first.
  static func copies(_ path: String) throws(DiskFailure) -> [TwoCopies.Copy] {
    TwoCopies.decode(try Disk.read(path, limit: TwoCopies.fileCount))
  }

  /// Finishes a change that was cut off: makes the other place equal to the copy that counts.
  static func heal(
    _ path: String, from copy: TwoCopies.Copy, among copies: [TwoCopies.Copy]
  ) throws(DiskFailure) {
    let isHealed =
      copies.count == 2 && copies[0].sequence == copies[1].sequence
      && copies[0].body == copies[1].body
    guard !isHealed else { return }
    let bytes = TwoCopies.encode(sequence: copy.sequence, body: copy.body)
    try write(bytes, place: 1 - copy.place, path)
  }
}

/// The key slots of a vault on disk.
struct SlotFile {
  let path: String
  private(set) var table: SlotTable
  private var copy: TwoCopies.Copy

  /// Reads the newest whole copy, and finishes a change that was cut off.
  init(reading path: String) throws(VaultError) {
    self.path = path
    let copies = try onDisk { () throws(DiskFailure) in try KeyFile.copies(path) }
    guard let newest = copies.first else { throw .key(.slotsDamaged) }
    table = try mapping { () throws(KeyError) in try SlotTable(parsing: newest.body) }
    copy = newest
    try onDisk { () throws(DiskFailure) in
      try KeyFile.heal(path, from: newest, among: copies)
    }
  }

  mutating func replace(by table: SlotTable) throws(VaultError) {
    let (path, copy) = (path, copy)
    try onDisk { () throws(DiskFailure) in
      try KeyFile.replace(
        path, body: table.encoded, sequence: copy.sequence + 1, current: copy.place)
    }
    self.copy.sequence += 1
    self.table = table
  }
}

/// The wrapped keys of one profile on disk.
package struct RingFile {
  let layout: ProfileLayout
  package private(set) var ring: KeyRing
  private var place: Int

  /// Makes the file of a new profile.
  init(
    creating ring: KeyRing, at layout: ProfileLayout, with sealer: borrowing ItemSealer
  ) throws(VaultError) {
    self.layout = layout
    self.ring = ring
    place = 0
    let body = try mapping { () throws(KeyError) in try ring.encoded(sequence: 1, with: sealer) }
    try onDisk { () throws(DiskFailure) in try KeyFile.create(layout.keys, body: body) }
    try reload(with: sealer)
  }

  /// Reads the newest copy that this space's key opens, and finishes a change that was cut off. A
  /// newer copy under another key is one whose commit, in the slots, never came.
  package init(reading layout: ProfileLayout, with sealer: borrowing ItemSealer)
    throws(VaultError)
  {
    self.layout = layout
    let copies = try onDisk { () throws(DiskFailure) in try KeyFile.copies(layout.keys) }
    var refusal = KeyError.keysDamaged
    var found: (ring: KeyRing, copy: TwoCopies.Copy)?
    for copy in copies where found == nil {
      do throws(KeyError) {
        found = (try KeyRing(parsing: copy, with: sealer), copy)
      } catch {
        refusal = error
      }
    }
    guard let found else { throw .key(refusal) }
    ring = found.ring
    place = found.copy.place
    try onDisk { () throws(DiskFailure) in
      try KeyFile.heal(layout.keys, from: found.copy, among: copies)
    }
  }

  private mutating func reload(with sealer: borrowing ItemSealer) throws(VaultError) {
    self = try RingFile(reading: layout, with: sealer)
  }

  /// Writes the ring: durable, and the old copies gone, when it returns.
  mutating func replace(
    by ring: KeyRing, with sealer: borrowing ItemSealer
  ) throws(VaultError) {
    let sequence = self.ring.sequence + 1
    let body = try mapping { () throws(KeyError) in
      try ring.encoded(sequence: sequence, with: sealer)
    }
    let (path, place) = (layout.keys, place)
    try onDisk { () throws(DiskFailure) in
      try KeyFile.replace(path, body: body, sequence: sequence, current: place)
    }
    try reload(with: sealer)
  }

  /// Writes the new ring beside the old one, for a commit that happens elsewhere.
  func prepare(_ ring: KeyRing, with sealer: borrowing ItemSealer) throws(VaultError) {
    let sequence = self.ring.sequence + 1
    let body = try mapping { () throws(KeyError) in
      try ring.encoded(sequence: sequence, with: sealer)
    }
    let (path, place) = (layout.keys, place)
    try onDisk { () throws(DiskFailure) in
      try KeyFile.write(
        TwoCopies.encode(sequence: sequence, body: body), place: 1 - place, path)
    }
  }
}
