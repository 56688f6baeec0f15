import CFaultControl
import CrashImages
import Glibc

/// What the preloaded library wrote down: every change to a file, in order, with the bytes written.
struct ChangeLog {
  struct Entry {
    /// From 1; 0 for a change outside of the folder that counts.
    var number: Int
    var change: FileChange
    /// Where the bytes of a write lie in the log itself.
    var bytes: Range<Int>
  }

  private(set) var entries: [Entry] = []
  /// Files that were mapped for writing: nobody sees what is written there.
  private(set) var mapped: Set<String> = []
  /// Whether the log ends with a whole entry.
  private(set) var isWhole = true

  init(at path: String) {
    guard let bytes = try? Folder.read(path) else { return }
    var offset = 0
    let headSize = MemoryLayout<fault_record>.size
    while offset < bytes.count {
      guard bytes.count - offset >= headSize else {
        isWhole = false
        return
      }
      let head = bytes.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: offset, as: fault_record.self)
      }
      let path = offset + headSize
      let other = path + Int(head.path_count)
      let content = other + Int(head.other_count)
      guard content <= bytes.count, Int(head.byte_count) <= bytes.count - content else {
        isWhole = false
        return
      }
      let end = content + Int(head.byte_count)
      let name = String(decoding: bytes[path..<other], as: UTF8.self)
      let otherName = String(decoding: bytes[other..<content], as: UTF8.self)
      if head.kind == UInt32(FAULT_MAP) {
        mapped.insert(name)
      } else if let change = Self.change(head, name, otherName, bytes[content..<end]) {
        entries.append(
          Entry(number: Int(head.number), change: change, bytes: content..<end))
      }
      offset = end
    }
  }

  private static func change(
    _ head: fault_record, _ path: String, _ other: String, _ bytes: ArraySlice<UInt8>
  ) -> FileChange? {
    switch Int(head.kind) {
    case Int(FAULT_CREATE): .create(path)
    case Int(FAULT_WRITE): .write(path, offset: Int(head.offset), bytes: Array(bytes))
    case Int(FAULT_TRUNCATE): .truncate(path, count: Int(head.offset))
    case Int(FAULT_SYNC): .sync(path)
    case Int(FAULT_SYNC_FOLDER): .syncFolder(path)
    case Int(FAULT_REMOVE): .remove(path)
    case Int(FAULT_RENAME): .rename(path, to: other)
    case Int(FAULT_MAKE_FOLDER): .makeFolder(path)
    case Int(FAULT_REMOVE_FOLDER): .removeFolder(path)
    case Int(FAULT_LINK): .link(path, to: other)
    case Int(FAULT_EXTEND): .extend(path, count: Int(head.offset))
    default: nil
    }
  }

  /// The changes that count, by number.
  var counted: [FileChange] { entries.filter { $0.number > 0 }.map(\.change) }

  /// The write that a byte of the log belongs to.
  func entry(holding offset: Int) -> Entry? {
    entries.first { $0.bytes.contains(offset) }
  }
}

extension FileChange {
  var withoutBytes: FileChange {
    guard case .write(let path, let offset, _) = self else { return self }
    return .write(path, offset: offset, bytes: [])
  }

  /// In words, with the path below `root`.
  func described(below root: String) -> String {
    func short(_ path: String) -> String {
      path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : path
    }
    return switch self {
    case .create(let path): "making \(short(path))"
    case .write(let path, let offset, let bytes):
      "writing \(bytes.count) bytes at \(offset) of \(short(path))"
    case .truncate(let path, let count): "cutting \(short(path)) to \(count)"
    case .sync(let path), .syncFolder(let path): "syncing \(short(path))"
    case .remove(let path), .removeFolder(let path): "removing \(short(path))"
    case .rename(let from, let to): "renaming \(short(from)) to \(short(to))"
    case .makeFolder(let path): "making \(short(path))"
    case .link(let from, let to): "linking \(short(from)) to \(short(to))"
    case .extend(let path, let count): "making room for \(count) bytes in \(short(path))"
    }
  }
}
