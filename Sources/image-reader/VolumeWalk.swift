import CSleuthKit
import Glibc
import ImageProtocol

/// The files of one file system, those that were deleted with them, and its free blocks.
final class VolumeWalk {
  private let system: UnsafeMutablePointer<TSK_FS_INFO>
  private let name: String
  private let output: RecordOutput
  /// Files that were told of, by their number: a file may have several names.
  private var told: Set<TSK_INUM_T> = []
  private var free: [Range<UInt64>] = []
  private static let blockSize = 1 << 18
  /// A record has room for as many.
  private static let mostPieces = 100_000

  init(_ system: UnsafeMutablePointer<TSK_FS_INFO>, name: String, _ output: RecordOutput) {
    self.system = system
    self.name = name
    self.output = output
  }

  func run() {
    if system.pointee.last_block_act < system.pointee.last_block {
      report("the image ends before the file system does")
    }
    let me = Unmanaged.passUnretained(self).toOpaque()
    // What is in use comes first: of what was deleted, blocks may be in use again.
    for flag in [TSK_FS_DIR_WALK_FLAG_ALLOC, TSK_FS_DIR_WALK_FLAG_UNALLOC] {
      let flags = TSK_FS_DIR_WALK_FLAG_ENUM(
        rawValue: flag.rawValue | TSK_FS_DIR_WALK_FLAG_RECURSE.rawValue)
      let failed = tsk_fs_dir_walk(
        system, system.pointee.root_inum, flags,
        { file, path, me in
          guard let file, let me else { return TSK_WALK_CONT }
          Unmanaged<VolumeWalk>.fromOpaque(me).takeUnretainedValue()
            .read(file, below: path.map { String(cString: $0) } ?? "")
          return TSK_WALK_CONT
        }, me)
      if failed != 0 { report(ImageWalk.lastError) }
    }
    readFreeBlocks(me)
  }

  private func report(_ message: String, path: [UInt8] = []) {
    output.put(
      .problem(
        ImageProblem(
          .damaged, volume: name, offset: UInt64(clamping: system.pointee.offset), path: path,
          message: message)))
  }

  private func read(_ file: UnsafeMutablePointer<TSK_FS_FILE>, below folder: String) {
    guard let entry = file.pointee.name?.pointee, let meta = file.pointee.meta?.pointee,
      let text = entry.name, hasContent(meta), !isOfSystem(meta)
    else { return }
    let isDeleted =
      entry.flags.rawValue & TSK_FS_NAME_FLAG_UNALLOC.rawValue != 0
      || meta.flags.rawValue & TSK_FS_META_FLAG_UNALLOC.rawValue != 0
    // A name that was deleted, of a file that is there: a new file has its number.
    if isDeleted, meta.flags.rawValue & TSK_FS_META_FLAG_ALLOC.rawValue != 0 { return }
    guard told.insert(meta.addr).inserted else { return }
    let path =
      Array(folder.utf8)
      + UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:))
    for index in 0..<max(0, tsk_fs_file_attr_getsize(file)) {
      guard let attribute = tsk_fs_file_attr_get_idx(file, index),
        Self.holdsContent(attribute.pointee.type), attribute.pointee.size > 0
      else { continue }
      read(attribute, path: path + Self.suffix(of: attribute.pointee), isDeleted: isDeleted)
    }
  }

  private func hasContent(_ meta: TSK_FS_META) -> Bool {
    switch meta.type {
    case TSK_FS_META_TYPE_REG, TSK_FS_META_TYPE_UNDEF, TSK_FS_META_TYPE_LNK: true
    default: false
    }
  }

  /// Files that hold the file system itself: the bytes of the image were searched.
  private func isOfSystem(_ meta: TSK_FS_META) -> Bool {
    switch system.pointee.ftype {
    case TSK_FS_TYPE_NTFS, TSK_FS_TYPE_HFS: meta.addr < 16
    default: false
    }
  }

  private static func holdsContent(_ type: TSK_FS_ATTR_TYPE_ENUM) -> Bool {
    switch type {
    case TSK_FS_ATTR_TYPE_DEFAULT, TSK_FS_ATTR_TYPE_NTFS_DATA, TSK_FS_ATTR_TYPE_HFS_DATA,
      TSK_FS_ATTR_TYPE_HFS_RSRC, TSK_FS_ATTR_TYPE_HFS_EXT_ATTR:
      true
    default: false
    }
  }

  /// `:name` of a stream besides the file's content.
  private static func suffix(of attribute: TSK_FS_ATTR) -> [UInt8] {
    guard let name = attribute.name, attribute.type != TSK_FS_ATTR_TYPE_DEFAULT else { return [] }
    let text = String(cString: name)
    let isMain = attribute.type == TSK_FS_ATTR_TYPE_HFS_DATA || ["", "$Data", "N/A"].contains(text)
    return isMain ? [] : Array(":\(text)".utf8)
  }

  private func read(_ attribute: UnsafePointer<TSK_FS_ATTR>, path: [UInt8], isDeleted: Bool) {
    let size = UInt64(clamping: attribute.pointee.size)
    if attribute.pointee.flags.rawValue & TSK_FS_ATTR_ENC.rawValue != 0 {
      output.put(.problem(ImageProblem(.encrypted, volume: name, path: path, message: "")))
    }
    let layout = layout(of: attribute.pointee)
    if let layout, layout.pieces.isEmpty { return }
    output.put(
      .file(
        ImageFile(
          path: path, volume: name, byteCount: size, isDeleted: isDeleted,
          pieces: layout?.pieces ?? [], slack: layout?.slack ?? 0..<0)))
    if layout == nil { copy(attribute, size, path: path, isDeleted: isDeleted) }
  }

  private func copy(
    _ attribute: UnsafePointer<TSK_FS_ATTR>, _ size: UInt64, path: [UInt8], isDeleted: Bool
  ) {
    var offset: UInt64 = 0
    while offset < size {
      let wanted = Int(min(UInt64(Self.blockSize), size - offset))
      var count = 0
      let block = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
        count = buffer.withMemoryRebound(to: CChar.self) {
          tsk_fs_attr_read(
            attribute, TSK_OFF_T(offset), $0.baseAddress, wanted, TSK_FS_FILE_READ_FLAG_NONE)
        }
        filled = max(0, count)
      }
      guard count > 0 else {
        // Of what was deleted the rest may be gone.
        if !isDeleted { report(ImageWalk.lastError, path: path) }
        break
      }
      output.put(.content(block))
      offset += UInt64(count)
    }
    output.put(.endOfFile)
  }

  /// Where the bytes of a file lie in the image, none where all of it is holes, and where its last block goes
  /// on behind its end. Nothing of what is compressed, or lies inside other structures.
  private func layout(of attribute: TSK_FS_ATTR) -> (
    pieces: [ImageFile.Piece], slack: Range<UInt64>
  )? {
    let transformed =
      TSK_FS_ATTR_RES.rawValue | TSK_FS_ATTR_COMP.rawValue | TSK_FS_ATTR_ENC.rawValue
    guard attribute.flags.rawValue & transformed == 0, attribute.nrd.skiplen == 0 else {
      return nil
    }
    let block = UInt64(system.pointee.block_size)
    let base = UInt64(clamping: system.pointee.offset)
    let size = UInt64(clamping: attribute.size)
    // What was never written reads as zeros, and is something else's that was deleted.
    let written =
      attribute.nrd.initsize > 0 ? min(size, UInt64(clamping: attribute.nrd.initsize)) : size
    var pieces: [ImageFile.Piece] = []
    var slack: Range<UInt64> = 0..<0
    var next = attribute.nrd.run
    while let run = next?.pointee {
      next = run.next
      // The library reads what it did not find as zeros, too.
      let holes = TSK_FS_ATTR_RUN_FLAG_SPARSE.rawValue | TSK_FS_ATTR_RUN_FLAG_FILLER.rawValue
      if run.flags.rawValue & holes != 0 { continue }
      guard run.flags.rawValue == 0, pieces.count < Self.mostPieces else { return nil }
      guard let place = stretch(from: run.addr, count: run.len, unit: block, base: base),
        let offset = stretch(from: run.offset, count: run.len, unit: block)?.lowerBound
      else { return nil }
      let whole = UInt64(place.count)
      let count = offset < written ? min(whole, written - offset) : 0
      guard count > 0 else { continue }
      pieces.append(.init(offset: offset, source: place.lowerBound, count: count))
      if count < whole { slack = place.lowerBound + count..<place.upperBound }
    }
    return (pieces, slack)
  }

  private func readFreeBlocks(_ me: UnsafeMutableRawPointer) {
    // The blocks of a container are told of once for all its volumes.
    guard system.pointee.ftype != TSK_FS_TYPE_APFS else { return }
    let flags = TSK_FS_BLOCK_WALK_FLAG_ENUM(
      rawValue: TSK_FS_BLOCK_WALK_FLAG_UNALLOC.rawValue | TSK_FS_BLOCK_WALK_FLAG_AONLY.rawValue)
    _ = tsk_fs_block_walk(
      system, system.pointee.first_block, system.pointee.last_block_act, flags,
      { block, me in
        guard let block, let me else { return TSK_WALK_CONT }
        Unmanaged<VolumeWalk>.fromOpaque(me).takeUnretainedValue().add(free: block.pointee.addr)
        return TSK_WALK_CONT
      }, me)
    if !free.isEmpty { output.put(.unallocated(free)) }
  }

  private func add(free address: TSK_DADDR_T) {
    guard
      let block = stretch(
        from: address, count: 1, unit: UInt64(system.pointee.block_size),
        base: UInt64(clamping: system.pointee.offset))
    else { return }
    if let last = free.last, last.upperBound == block.lowerBound {
      free[free.count - 1] = last.lowerBound..<block.upperBound
      return
    }
    if free.count == 4096 {
      output.put(.unallocated(free))
      free.removeAll(keepingCapacity: true)
    }
    free.append(block)
  }
}
