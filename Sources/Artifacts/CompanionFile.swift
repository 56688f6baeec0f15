import CImageProcess
import Glibc

/// A file that comes with the program: beside it in a build folder, below the same prefix once
/// installed.
package struct CompanionFile: Sendable {
  package var name: String
  var installed: String

  package static let vaultDriver = CompanionFile(
    name: "vault-driver", installed: "libexec/vestige/vault-driver")
  package static let faults = CompanionFile(
    name: "libvestige-faults.so", installed: "lib/vestige/libvestige-faults.so")
  package static let imageReader = CompanionFile(
    name: "image-reader", installed: "libexec/vestige/image-reader")

  package func path() throws(MissingCompanion) -> String {
    for program in [Self.program, Self.object].compactMap(\.self) {
      let folder = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      let beside = folder.joined(separator: "/") + "/" + name
      let below = folder.dropLast().joined(separator: "/") + "/" + installed
      for path in [beside, below] where access(path, R_OK) == 0 { return path }
    }
    throw MissingCompanion(name: name)
  }

  /// For a command line that is split at spaces.
  package func quotedPath() throws(MissingCompanion) -> String {
    let path = try path()
    return path.contains(" ") ? "'\(path)'" : path
  }

  private static var program: String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The library that this code is in, where it is none of the program's own: tests are loaded by a
  /// program of the toolchain.
  private static var object: String? {
    image_object_path(#dsohandle).map { String(cString: $0) }
  }
}

/// A part of the program is not there.
package struct MissingCompanion: Error, Equatable {
  package var name: String
}
