import Glibc
import Languages
import SecretBytes

/// Where passwords come from: a file descriptor, one a line, or the terminal without echo. They go
/// from the system straight into guarded memory, byte by byte.
final class PasswordInput {
  private let descriptor: Int32?
  private let say: Phrasebook
  private static let longest = 1024

  /// - Parameter descriptor: The number after `--password-fd`.
  init(descriptor: Int?, say: Phrasebook) {
    self.say = say
    self.descriptor = descriptor.map(Int32.init(truncatingIfNeeded:))
  }

  /// The next password.
  func next(_ prompt: String) throws(VaultUsage) -> SecretBytes {
    if let descriptor { return try Self.line(from: descriptor) }
    return try ask(prompt)
  }

  /// A new password: asked for twice on a terminal.
  func new(_ prompt: String) throws(VaultUsage) -> SecretBytes {
    let first = try next(prompt)
    guard first.count > 0 else { throw VaultUsage(problem: "an empty password protects nothing") }
    if descriptor == nil {
      let second = try ask("again: ")
      guard first.isEqual(to: second) else { throw VaultUsage(problem: "the two differ") }
    }
    return first
  }

  private func ask(_ prompt: String) throws(VaultUsage) -> SecretBytes {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else {
      throw VaultUsage(
        problem: "there is no terminal to ask on", remedy: "give the password with --password-fd N")
    }
    defer { close(terminal) }
    var shown = termios()
    guard tcgetattr(terminal, &shown) == 0 else {
      throw VaultUsage(problem: "the terminal cannot hide what is typed")
    }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(terminal, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(terminal, TCSAFLUSH, &shown)
      _ = write(terminal, "\n", 1)
    }
    let text = Array((say.help(prompt) ?? prompt).utf8)
    _ = write(terminal, text, text.count)
    return try Self.line(from: terminal)
  }

  /// One line, without its end. Read byte by byte: what comes after it is the next password.
  private static func line(from descriptor: Int32) throws(VaultUsage) -> SecretBytes {
    let buffer = SecretBytes(zeroCount: longest)
    let count = buffer.withMutableBytes { bytes -> Int in
      var count = 0
      while count < longest {
        guard read(descriptor, bytes.baseAddress.map { $0 + count }, 1) == 1 else {
          return count == 0 ? -1 : count
        }
        if bytes[count] == UInt8(ascii: "\n") { return count }
        count += 1
      }
      return -2
    }
    switch count {
    case -2: throw VaultUsage(problem: "a password has at most \(longest - 1) bytes")
    case -1: throw VaultUsage(problem: "there is no password to read")
    default:
      return buffer.withBytes {
        SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
    }
  }
}
