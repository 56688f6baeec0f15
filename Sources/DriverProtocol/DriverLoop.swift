import Glibc

/// Reads requests from standard input, one a line, until it ends, and writes a reply to each.
package enum DriverLoop {
  package static func serve(_ driver: some StoreDriver) async {
    var requests = RequestLines()
    while var line = requests.next() {
      let reply = await Self.reply(to: line, driver)
      // The request holds what is protected: it is not left lying about.
      line.wipe()
      guard Self.write(reply) else { return }
    }
  }

  private static func reply(to line: [UInt8], _ driver: some StoreDriver) async -> String {
    var members: [String: JSONValue]
    do throws(Refusal) {
      members = try await driver.answer(try request(line))
      members["ok"] = .boolean(true)
    } catch {
      members = [
        "ok": .boolean(false), "error": .string(error.kind.rawValue),
        "message": .string(error.message),
      ]
    }
    return JSONValue.object(members).text + "\n"
  }

  private static func request(_ line: [UInt8]) throws(Refusal) -> DriverRequest {
    guard let value = try? JSONValue(parsing: line), var members = value.object else {
      throw Refusal(.refused, "the request is not a JSON object")
    }
    guard let name = members.removeValue(forKey: "do")?.string, let verb = Verb(rawValue: name)
    else { throw Refusal(.unsupported, "the request is not one of this protocol") }
    return DriverRequest(verb, members)
  }

  private static func write(_ text: String) -> Bool {
    var bytes = Array(text.utf8)
    defer { bytes.wipe() }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(STDOUT_FILENO, $0.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }
}

/// The lines of standard input.
private struct RequestLines {
  private static let longestLine = 16 << 20
  private var waiting: [UInt8] = []

  mutating func next() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    defer { buffer.wipe() }
    while true {
      if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(waiting[..<end])
        var rest = Array(waiting[(end + 1)...])
        swap(&rest, &waiting)
        rest.wipe()
        return line
      }
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0, waiting.count < Self.longestLine else { return nil }
      waiting += buffer[..<count]
    }
  }
}

extension [UInt8] {
  /// Zeroes what it holds, for a buffer that something protected passed through.
  fileprivate mutating func wipe() {
    withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
  }
}
