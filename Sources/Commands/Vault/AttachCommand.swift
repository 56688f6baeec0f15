import Glibc
import Vault

extension VaultCommands {
  /// `attach`: seals files into the vault and gives them back, piece by piece.
  static func attach(_ raw: [String]) async throws {
    let arguments = try VaultArguments(
      raw,
      shape: .init(
        options: ["--message", "--get", "--delete"], flags: ["--list"], words: 0...1))
    try await withProfile(arguments) { profile in
      if let word = arguments.value("--get") {
        try await profile.readAttachment(Attachment.ID(number: try number(word))) {
          piece throws(VaultError) in
          try output(piece)
        }
      } else if let word = arguments.value("--delete") {
        try await profile.deleteAttachment(Attachment.ID(number: try number(word)))
      } else if let path = arguments.words.first {
        let message = try arguments.value("--message").map { Message.ID(number: try number($0)) }
        print(try await seal(path, message: message, into: profile).number)
      } else {
        for attachment in try await profile.attachments() {
          print("\(attachment.id.number)\t\(attachment.size)\t\(attachment.name)")
        }
      }
    }
  }

  private static func seal(
    _ path: String, message: Message.ID?, into profile: Profile
  ) async throws -> Attachment.ID {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw VaultError.io(code: Int(errno), path: path) }
    defer { if descriptor > 0 { close(descriptor) } }
    let name = path.split(separator: "/").last.map(String.init) ?? "-"
    return try await profile.attach(name, to: message) { limit throws(VaultError) in
      var buffer = [UInt8](repeating: 0, count: limit)
      let count = Glibc.read(descriptor, &buffer, limit)
      guard count >= 0 else { throw .io(code: Int(errno), path: path) }
      return Array(buffer[..<count])
    }
  }
}
