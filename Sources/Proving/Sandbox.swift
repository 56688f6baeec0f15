import CrashImages
import DriverProtocol
import Glibc

/// A folder that stands for a machine: the store, its home and temporary folders, and beside them what
/// the harness keeps.
///
///     disk/store, disk/home, disk/tmp, disk/work   what a crash leaves
///     output                                        what the driver wrote to standard error
///     answers                                       the messages of its refusals
///     page, log                                     orders and records of the preloaded library
final class Sandbox: Sendable {
  let root: String
  var disk: String { root + "/disk" }
  var store: String { disk + "/store" }
  var home: String { disk + "/home" }
  var output: String { root + "/output" }
  var answers: String { root + "/answers" }
  var log: String { root + "/log" }

  /// What requests call it.
  var place: [String: JSONValue] { ["dir": .string(store), "home": .string(home)] }

  static let folders = ["home", "tmp", "work"]

  /// A new machine, or a copy of another one's disk.
  init(at root: String, copying other: Sandbox? = nil) throws(Folder.Failure) {
    self.root = root
    try Folder.make(root)
    if let other {
      try Folder.copy(other.disk, to: disk)
    } else {
      try Folder.make(disk)
      for name in Self.folders { try Folder.make(disk + "/" + name) }
    }
  }

  /// A machine whose disk is an image taken from another one.
  init(at root: String, image: DiskImage, of other: Sandbox) throws(Folder.Failure) {
    self.root = root
    try Folder.make(root)
    try image.write(from: other.disk, to: disk)
    // A program finds its home, whatever the power left of it.
    for name in Self.folders { try Folder.make(disk + "/" + name) }
  }

  deinit { Folder.remove(root) }

  /// Starts a driver on this machine.
  func start(
    _ command: DriverCommand, page: FaultPage? = nil, library: String? = nil
  ) throws(DriverProcess.StartFailure) -> DriverProcess {
    var environment =
      Self.inherited + [
        "HOME=\(home)", "XDG_DATA_HOME=\(home)", "XDG_CONFIG_HOME=\(home)",
        "XDG_CACHE_HOME=\(home)",
        "TMPDIR=\(disk)/tmp", "SQLITE_TMPDIR=\(disk)/tmp",
      ]
    // A call that is looked up when it is first made leaves the vector registers, and with them pieces
    // of what was copied last, on the stack: no program can help that.
    environment.append("LD_BIND_NOW=1")
    if let page, let library {
      environment += [
        "LD_PRELOAD=\(library)", "VESTIGE_FAULTS=\(page.path)", "VESTIGE_FAULTS_LOG=\(log)",
      ]
    }
    return try DriverProcess(
      command, in: disk + "/work", environment: environment, errorPath: output,
      answersPath: answers)
  }

  func makePage(omitting omission: Omission = Omission()) throws(Folder.Failure) -> FaultPage {
    try FaultPage(at: root + "/page", root: disk, omitting: omission)
  }

  /// What a driver needs of the environment to find its own libraries and nothing more.
  private static let inherited: [String] = {
    let names: [String] = ["PATH", "LD_LIBRARY_PATH", "LANG", "VIRTUAL_ENV"]
    return names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
  }()
}

/// Where a driver says its things are.
struct Places: Sendable {
  var files: [String] = []
  var temporary: [String] = []
  var keys: [String] = []

  init(_ members: [String: JSONValue]) {
    files = members["files"]?.strings ?? []
    temporary = members["temporary"]?.strings ?? []
    keys = members["keys"]?.strings ?? []
  }

  /// The place a file counts to.
  func name(of path: String, in sandbox: Sandbox) -> String {
    func isInside(_ places: [String]) -> Bool {
      places.contains { path == $0 || path.hasPrefix($0 + "/") }
    }
    if isInside(keys) { return "keys" }
    if isInside(files) || path.hasPrefix(sandbox.store) { return "files" }
    if path.hasSuffix("/core") || path.contains("/core.") { return "core" }
    return path == sandbox.output || path == sandbox.answers ? "output" : "temporary"
  }
}
