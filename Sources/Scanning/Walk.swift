import Bytes
import Findings
import Glibc

/// Finds the files below the given paths, in the order of their names, and says what it left out.
struct Walk: Sendable {
  private(set) var files: [WalkedFile] = []
  private(set) var diagnostics: [Diagnostic] = []
  private let include: [Glob]
  private let exclude: [Glob]
  private var seen: [Identity: String] = [:]
  private var roots: [RawPath] = []
  /// Where files were met so far, if one root lies in another: each counts once, under the root that was
  /// named first.
  private var met: Set<RawPath>?
  /// The root that is walked now, as reports name it.
  private var root = "."

  private struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  /// A path that was named does not exist or cannot be looked at.
  struct MissingPath: Error, Equatable {
    var path: String
    var message: String
  }

  init(include: [Glob], exclude: [Glob]) {
    self.include = include
    self.exclude = exclude
  }

  /// Walks all roots. With several, names in reports start with the root as it was given; with one
  /// folder they are relative to it.
  mutating func add(_ paths: [String]) throws(MissingPath) {
    roots = paths.compactMap { FileSystem.resolved(RawPath($0)) }
    met = isAnyRootInAnother ? [] : nil
    var visited: Set<Identity> = []
    for path in paths {
      let root = RawPath(path)
      let status: FileStatus
      do throws(ReadFailure) {
        status = try FileSystem.status(of: root, followingLink: true)
      } catch {
        throw MissingPath(path: root.description, message: FileSystem.message(error.errno))
      }
      guard visited.insert(Identity(device: status.device, inode: status.inode)).inserted else {
        continue
      }
      self.root = paths.count > 1 ? root.description : "."
      if status.kind == .folder {
        walk(root, name: paths.count > 1 ? root : RawPath(bytes: []))
      } else {
        // A root that is a symbolic link was named on purpose: what it points to is meant.
        visit(
          FileSystem.resolved(root) ?? root, name: paths.count > 1 ? root : Self.name(of: root),
          status)
      }
    }
    files.sort { $0.name < $1.name }
    countNames()
  }

  /// Says of each file how far its names are those of the file before.
  private mutating func countNames() {
    var before: [Substring] = []
    for index in files.indices {
      let file = files[index]
      let names = file.name.split(separator: "/")
      let root = file.root == "." ? 0 : file.root.split(separator: "/").count
      // A single file that was named is below no root.
      let depth = max(1, names.count - root)
      let shared = zip(names, before).prefix { $0 == $1 }.count - (names.count - depth)
      files[index].depth = Int32(depth)
      files[index].namesBefore = Int32(min(max(0, shared), depth - 1))
      before = names
    }
  }

  /// What a single file is called: as it was named, where that is a way down from here, so that it has
  /// the same name as among others.
  private static func name(of root: RawPath) -> RawPath {
    let steps = root.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let leadsDown = !steps.contains { $0.isEmpty || $0.elementsEqual("..".utf8) }
    return leadsDown ? root : root.lastName
  }

  private mutating func walk(_ folder: RawPath, name: RawPath) {
    // What every name below follows: the root itself, unless names start with it.
    let start = name.bytes.isEmpty ? folder : RawPath(bytes: [])
    var waiting = [(folder, name)]
    while let (folder, name) = waiting.popLast() {
      do throws(ReadFailure) {
        for entry in try FileSystem.names(in: folder) {
          let path = folder.appending(entry)
          let inner = name.appending(entry)
          guard isWanted(inner) else { continue }
          guard let status = status(of: path, name: inner) else { continue }
          if status.kind == .folder {
            waiting.append((path, inner))
          } else {
            visit(path, name: inner, below: start, status)
          }
        }
      } catch {
        report(
          name, .walkUnreadable, "folder cannot be listed: \(FileSystem.message(error.errno))",
          remedy: "run as a user who may read it, or leave it out with --exclude")
      }
    }
  }

  private mutating func status(of path: RawPath, name: RawPath) -> FileStatus? {
    do throws(ReadFailure) {
      return try FileSystem.status(of: path)
    } catch {
      report(
        name, error.errno == ENOENT ? .readVanished : .walkUnreadable,
        "cannot be looked at: \(FileSystem.message(error.errno))",
        remedy: "scan again while nothing else changes the folder")
      return nil
    }
  }

  private func isWanted(_ name: RawPath) -> Bool {
    !exclude.contains { $0.matches(name.description) }
  }

  private mutating func visit(
    _ path: RawPath, name: RawPath, below folder: RawPath? = nil, _ status: FileStatus
  ) {
    guard include.isEmpty || include.contains(where: { $0.matches(name.description) }) else {
      return
    }
    guard isNew(path) else { return }
    switch status.kind {
    case .file:
      addFile(path, name: name, below: folder, status)
    case .symbolicLink:
      visitLink(path, name: name)
    case .fifo, .socket, .device:
      report(
        name, .walkSpecial, "not a file: \(status.kind) was not opened",
        remedy: "leave it out with --exclude, or accept it with --allow walk.special")
    case .folder:
      break
    }
  }

  private var isAnyRootInAnother: Bool {
    roots.contains { root in roots.contains { root.bytes.starts(with: $0.appending([]).bytes) } }
  }

  /// Whether no root led here before.
  private mutating func isNew(_ path: RawPath) -> Bool {
    guard met != nil else { return true }
    let parent = RawPath(bytes: Array(path.bytes.dropLast(path.lastName.bytes.count)))
    let folder = FileSystem.resolved(parent.bytes.isEmpty ? RawPath(".") : parent) ?? parent
    return met?.insert(folder.appending(path.lastName.bytes)).inserted ?? true
  }

  private mutating func addFile(
    _ path: RawPath, name: RawPath, below folder: RawPath?, _ status: FileStatus
  ) {
    var file = WalkedFile(
      path: path, name: name, below: folder, byteCount: status.byteCount, root: root)
    let identity = Identity(device: status.device, inode: status.inode)
    if status.links > 1 {
      file.sameAs = seen[identity]
      if file.sameAs == nil { seen[identity] = file.name }
    }
    files.append(file)
  }

  /// What a link points to is scanned where it lies; only a target outside every root is left out.
  private mutating func visitLink(_ path: RawPath, name: RawPath) {
    guard let target = FileSystem.resolved(path) else { return }
    let isInside = roots.contains { root in
      target == root || target.bytes.starts(with: root.bytes + [UInt8(ascii: "/")])
        || root.bytes == [UInt8(ascii: "/")]
    }
    guard !isInside else { return }
    report(
      name, .walkSymlink, "symbolic link to a place outside what is scanned was not followed",
      remedy: "name its target as a further PATH, or accept it with --allow walk.symlink")
  }

  private mutating func report(
    _ name: RawPath, _ code: Diagnostic.Code, _ message: String, remedy: String
  ) {
    diagnostics.append(
      Diagnostic(
        path: name.description, locator: name.description, code: code, message: message,
        remedy: remedy))
  }
}
