import CFaultControl
import CrashImages
import Glibc

/// What the preloaded library does at the point it waits for.
package enum Fault: String, CaseIterable, Sendable {
  case killBefore = "kill-before"
  case killMiddle = "kill-middle"
  case killAfter = "kill-after"
  /// From the point on nothing that takes room can be written.
  case full
  /// One call fails.
  case error
  /// From the point on nothing can be written or synced.
  case errors
  /// One write does half.
  case short
  /// The program crashes, with a core where one is allowed.
  case abort

  var action: UInt32 {
    switch self {
    case .killBefore: UInt32(FAULT_KILL_BEFORE)
    case .killMiddle: UInt32(FAULT_KILL_MIDDLE)
    case .killAfter: UInt32(FAULT_KILL_AFTER)
    case .full: UInt32(FAULT_FULL)
    case .error: UInt32(FAULT_ERROR)
    case .errors: UInt32(FAULT_ERRORS)
    case .short: UInt32(FAULT_SHORT)
    case .abort: UInt32(FAULT_ABORT)
    }
  }

  /// In words, before the change it hits.
  var phrase: String {
    switch self {
    case .killBefore: "killed before"
    case .killMiddle: "killed in the middle of"
    case .killAfter: "killed after"
    case .full: "disk full from"
    case .error: "I/O error in"
    case .errors: "I/O errors from"
    case .short: "half done was"
    case .abort: "crashed before"
    }
  }
}

/// A protective call that the store is made to go without.
package struct Omission: Equatable, Sendable {
  /// Changes of this kind to paths with this end are said to be made, and are not.
  var kind: UInt32 = 0
  var suffix = ""
  /// Which of them, from 1; 0 means all.
  var index = 0
  /// `FAULT_NO_…`: protections of memory.
  var protections: UInt32 = 0
}

/// The page of memory that a driver's preloaded library reads its orders from.
final class FaultPage {
  let path: String
  private let page: UnsafeMutablePointer<fault_control>

  /// Makes the page; only changes below `root` count.
  init(at path: String, root: String, omitting omission: Omission) throws(Folder.Failure) {
    self.path = path
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Folder.Failure(errno: errno, path: path) }
    defer { close(descriptor) }
    let size = Int(FAULT_CONTROL_SIZE)
    guard ftruncate(descriptor, size) == 0 else { throw Folder.Failure(errno: errno, path: path) }
    let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let mapped, mapped != MAP_FAILED else { throw Folder.Failure(errno: errno, path: path) }
    page = mapped.bindMemory(to: fault_control.self, capacity: 1)
    page.pointee.magic = UInt32(FAULT_MAGIC)
    page.pointee.forget_kind = omission.kind
    page.pointee.forget_index = UInt64(omission.index)
    page.pointee.protections_off = omission.protections
    Self.copy(omission.suffix, to: &page.pointee.forget_suffix)
    Self.copy(root, to: &page.pointee.root)
  }

  deinit { munmap(page, Int(FAULT_CONTROL_SIZE)) }

  private static func copy<Room>(_ text: String, to room: inout Room) {
    withUnsafeMutableBytes(of: &room) { room in
      for (index, byte) in text.utf8.prefix(room.count - 1).enumerated() { room[index] = byte }
    }
  }

  /// Counts and logs from here on, and does something at the change of this number.
  func watch(_ fault: Fault? = nil, at point: Int = 0) {
    page.pointee.count = 0
    page.pointee.is_failing = 0
    page.pointee.action = fault?.action ?? UInt32(FAULT_NOTHING)
    page.pointee.target = UInt64(point)
    page.pointee.mode = 1
  }

  /// Ends what fails; changes are still counted and logged.
  func calm() {
    page.pointee.target = 0
    page.pointee.is_failing = 0
    page.pointee.action = UInt32(FAULT_NOTHING)
  }

  /// Changes since `watch`.
  var count: Int { Int(page.pointee.count) }
}
