package import Bytes

/// One file opened for a look into it, read-only, and the files beside it.
package struct EvidenceFile {
  /// Its own name, without folders.
  package let name: String
  package let source: any ByteSource
  private let path: RawPath
  private let file: FileSource

  /// A file that a person named: a symbolic link was meant as what it points to.
  package init(_ path: String) throws(InputFile.Failure) {
    let raw = RawPath(path)
    self.path = raw
    name = raw.lastName.description
    do throws(ReadFailure) {
      let opened = try FileSource(raw, followingLink: true)
      guard opened.status.kind == .file else {
        throw ReadFailure(
          errno: opened.status.kind == .folder ? FileSystem.isFolder : FileSystem.noDevice)
      }
      file = opened
      source = opened
    } catch {
      throw InputFile.Failure(path: raw.description, message: FileSystem.message(error.errno))
    }
  }

  /// `-wal` is a suffix of the file's name, `name/of/file` a path from its folder.
  package func sibling(_ suffix: String) -> (any ByteSource)? {
    FileSource.beside(path, suffix)
  }

  /// Whether something wrote to the file while it was read.
  package var hasChanged: Bool { file.hasChanged }

  /// Seconds on a clock that only goes forward.
  package static var clock: Double { FileSystem.clock }
}

extension FileSource {
  /// A file beside another one: `-wal` is a suffix of its name, `name/of/file` a path from its folder.
  static func beside(_ file: RawPath, _ suffix: String) -> (any ByteSource)? {
    let path: RawPath
    if suffix.hasPrefix("-") {
      path = RawPath(bytes: file.bytes + Array(suffix.utf8))
    } else {
      // A name may lead one folder up, into a package that the file is a part of, and no further.
      let climbs = suffix.hasPrefix("../")
      let inner = climbs ? String(suffix.dropFirst(3)) : suffix
      guard !inner.isEmpty, !inner.split(separator: "/").contains(".."), !inner.hasPrefix("/")
      else { return nil }
      let slash = UInt8(ascii: "/")
      var folder = file.bytes.prefix((file.bytes.lastIndex(of: slash).map { $0 + 1 }) ?? 0)
      if climbs {
        guard folder.count > 1, let above = folder.dropLast().lastIndex(of: slash) else {
          return nil
        }
        folder = folder[...above]
      }
      path = RawPath(bytes: folder + Array(inner.utf8))
    }
    guard let source = try? FileSource(path), source.status.kind == .file else { return nil }
    return source
  }
}
