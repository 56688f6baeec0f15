import CFaultControl
import DriverProtocol
import Glibc

/// What came back for a request.
enum Reply: Equatable {
  case done([String: JSONValue])
  case refused(Refusal)
  /// The driver died, hung, or answered something that is no answer.
  case none(String)

  var members: [String: JSONValue]? { if case .done(let members) = self { members } else { nil } }
  var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

/// A running driver: requests go in, replies come out, one line each.
final class DriverProcess {
  let identifier: Int32
  private let input: Int32
  private let output: Int32
  private var waiting: [UInt8] = []
  /// How it ended, once it did: as `waitpid` tells it.
  private(set) var status: Int32?
  private static let longestReply = 16 << 20
  /// Where messages of refusals are kept, each once: they are searched like everything else.
  private let answersPath: String?
  private var messages: Set<String> = []

  /// The driver could not be started.
  struct StartFailure: Error {
    var errno: Int32
  }

  /// - Parameters:
  ///   - folder: Where it runs; it has no other folders of its own.
  ///   - errorPath: What it writes to standard error goes there.
  init(
    _ command: DriverCommand, in folder: String, environment: [String], errorPath: String,
    answersPath: String? = nil
  ) throws(StartFailure) {
    var arguments: [UnsafeMutablePointer<CChar>?] = command.arguments.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var (input, output): (Int32, Int32) = (-1, -1)
    let started = fault_spawn(&arguments, &variables, folder, errorPath, &input, &output)
    guard started > 0 else { throw StartFailure(errno: -started) }
    identifier = started
    self.input = input
    self.output = output
    self.answersPath = answersPath
  }

  deinit {
    end()
  }

  /// Asks and waits for the reply.
  func ask(_ request: DriverRequest, seconds: Double = 30) -> Reply {
    guard status == nil else { return .none("the driver is not running") }
    guard send(request.line) else { return .none(ending()) }
    guard let line = nextLine(before: Self.clock + seconds) else {
      if waiting.count >= Self.longestReply {
        end()
        return .none("the answer is longer than \(Self.longestReply >> 20) MiB")
      }
      let isHanging = !hasEnded()
      if isHanging { end() }
      return .none(isHanging ? "no answer within \(Int(seconds)) seconds" : ending())
    }
    guard let members = (try? JSONValue(parsing: line))?.object,
      let isDone = members["ok"]?.boolean
    else { return .none("the answer is not one of the protocol") }
    if isDone { return .done(members) }
    let kind = members["error"]?.string.flatMap(Refusal.Kind.init(rawValue:)) ?? .refused
    let message = members["message"]?.string ?? ""
    keep(message)
    return .refused(Refusal(kind, message))
  }

  private func keep(_ message: String) {
    guard let answersPath, !message.isEmpty, messages.insert(message).inserted else { return }
    let file = open(answersPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(file) }
    let line = Array((message + "\n").utf8)
    _ = write(file, line, line.count)
  }

  private func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(input, $0.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private func nextLine(before deadline: Double) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var searched = 0
    while true {
      if let end = waiting[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { waiting.removeSubrange(...end) }
        return Array(waiting[..<end])
      }
      searched = waiting.count
      let left = deadline - Self.clock
      guard left > 0, waiting.count < Self.longestReply else { return nil }
      var asked = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let ready = poll(&asked, 1, Int32(min(left, 60) * 1000) + 1)
      if ready <= 0 { continue }
      let count = read(output, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      waiting += buffer[..<count]
    }
  }

  /// Whether it ended by itself; waits a moment, since a closed pipe comes before the end.
  private func hasEnded() -> Bool {
    for _ in 0..<200 {
      var status: Int32 = 0
      if self.status != nil { return true }
      if waitpid(identifier, &status, WNOHANG) == identifier {
        self.status = status
        return true
      }
      usleep(1000)
    }
    return false
  }

  /// How it ended, in words.
  private func ending() -> String {
    guard hasEnded(), let status else { return "the driver closed its pipes" }
    let signal = status & 0x7f
    return signal == 0
      ? "the driver ended with status \(status >> 8 & 0xff)" : "the driver died of signal \(signal)"
  }

  /// Whether it died of SIGKILL, as it was made to.
  var wasKilled: Bool { hasEnded() && (status ?? 0) & 0x7f == SIGKILL }

  /// Ends it and waits for the end.
  func end() {
    if status == nil {
      kill(identifier, SIGKILL)
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
      self.status = status
      close(input)
      close(output)
    } else if !isClosed {
      close(input)
      close(output)
    }
    isClosed = true
  }
  private var isClosed = false

  static var clock: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// The command that starts a driver.
package struct DriverCommand: Equatable, Sendable {
  /// As it was given.
  package var text: String
  var arguments: [String]

  /// Words with spaces between; anything a shell would have to look at is left to a shell. A word that
  /// names a file is that file, wherever the driver runs.
  package init(_ text: String) {
    self.text = text
    let special = Set("\"'\\$`|&;<>()*?[]{}~#!\n")
    arguments =
      text.contains(where: special.contains)
      ? ["/bin/sh", "-c", "exec " + text]
      : text.split(separator: " ").map { Self.absolute(String($0)) }
  }

  private static func absolute(_ word: String) -> String {
    guard !word.hasPrefix("/"), access(word, F_OK) == 0, let path = realpath(word, nil) else {
      return word
    }
    defer { free(path) }
    return String(cString: path)
  }
}
