import CSleuthKit
import ImageProtocol

/// What an image starts with.
enum ImageShape: String {
  /// A table of partitions.
  case disk
  /// A file system.
  case volume
}

/// Every volume of an image, and what of it is in none.
struct ImageWalk {
  private let path: String
  private let output: RecordOutput

  init(path: String, _ output: RecordOutput) {
    self.path = path
    self.output = output
  }

  func run(as shape: ImageShape) {
    guard let image = tsk_img_open_utf8_sing(path, TSK_IMG_TYPE_RAW, 0) else {
      return output.put(.problem(ImageProblem(.damaged, volume: "", message: Self.lastError)))
    }
    defer { tsk_img_close(image) }
    switch shape {
    case .disk: readPartitions(of: image)
    case .volume: readVolume(of: image, at: 0, name: "")
    }
  }

  private func readPartitions(of image: UnsafeMutablePointer<TSK_IMG_INFO>) {
    guard let table = tsk_vs_open(image, 0, TSK_VS_TYPE_DETECT) else {
      return output.put(.problem(ImageProblem(.damaged, volume: "", message: Self.lastError)))
    }
    defer { tsk_vs_close(table) }
    let sector = UInt64(table.pointee.block_size)
    var next = table.pointee.part_list
    var number = 0
    while let part = next?.pointee {
      next = part.next
      let place = stretch(from: part.start, count: part.len, unit: sector)
      if part.flags.rawValue & TSK_VS_PART_FLAG_UNALLOC.rawValue != 0 {
        if let place { output.put(.unallocated([place])) }
      } else if part.flags.rawValue & TSK_VS_PART_FLAG_ALLOC.rawValue != 0 {
        number += 1
        let name = "partition \(number)"
        if let place {
          readVolume(of: image, at: place.lowerBound, name: name)
        } else {
          output.put(.problem(ImageProblem(.damaged, volume: name, message: "it lies nowhere")))
        }
      }
    }
  }

  private func readVolume(
    of image: UnsafeMutablePointer<TSK_IMG_INFO>, at offset: UInt64, name: String
  ) {
    if let pool = tsk_pool_open_img_sing(image, TSK_OFF_T(offset), TSK_POOL_TYPE_APFS) {
      defer { tsk_pool_close(pool) }
      return readPool(pool, at: offset, name: name)
    }
    guard let system = tsk_fs_open_img(image, TSK_OFF_T(offset), TSK_FS_TYPE_DETECT) else {
      return output.put(
        .problem(ImageProblem(.unknown, volume: name, offset: offset, message: Self.lastError)))
    }
    defer { tsk_fs_close(system) }
    VolumeWalk(system, name: name, output).run()
  }

  /// The volumes of an APFS container, which share its blocks.
  private func readPool(_ pool: UnsafePointer<TSK_POOL_INFO>, at offset: UInt64, name: String) {
    var next = pool.pointee.vol_list
    while let volume = next?.pointee {
      next = volume.next
      let own = volume.desc.map { String(cString: $0) } ?? "volume \(volume.index)"
      let whole = name.isEmpty ? own : "\(name)/\(own)"
      guard volume.flags.rawValue & TSK_POOL_VOLUME_FLAG_ENCRYPTED.rawValue == 0 else {
        output.put(.problem(ImageProblem(.encrypted, volume: whole, offset: offset, message: "")))
        continue
      }
      guard let view = pool.pointee.get_img_info(pool, volume.block),
        let system = tsk_fs_open_img(view, TSK_OFF_T(offset), TSK_FS_TYPE_APFS)
      else {
        output.put(
          .problem(ImageProblem(.damaged, volume: whole, offset: offset, message: Self.lastError)))
        continue
      }
      VolumeWalk(system, name: whole, output).run()
      tsk_fs_close(system)
    }
    var free = tsk_pool_unallocated_runs(pool)
    let first = free
    var ranges: [Range<UInt64>] = []
    while let run = free?.pointee {
      let place = stretch(
        from: run.addr, count: run.len, unit: UInt64(pool.pointee.block_size),
        base: pool.pointee.img_offset)
      if let place { ranges.append(place) }
      free = run.next
    }
    tsk_fs_attr_run_free(first)
    for start in stride(from: 0, to: ranges.count, by: 4096) {
      output.put(.unallocated(Array(ranges[start..<min(start + 4096, ranges.count)])))
    }
  }

  /// What the library says of its last failure.
  static var lastError: String {
    tsk_error_get().map { String(cString: $0) } ?? ""
  }
}
