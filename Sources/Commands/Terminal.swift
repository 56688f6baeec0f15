import Findings
import Glibc
import Languages

/// Where text for a person goes: standard output and standard error, coloured where that helps.
struct Terminal: Sendable {
  var usesColor: Bool
  var showsProgress: Bool
  var isQuiet: Bool
  /// The language of messages and reports.
  var language: Language

  init(_ arguments: Arguments) throws(UsageError) {
    let when = ["auto", "always", "never"]
    let color = try arguments.choice("--color", of: when) ?? "auto"
    let isPlain = Self.variable("NO_COLOR").map { !$0.isEmpty } ?? false
    usesColor = color == "always" || color == "auto" && isatty(STDOUT_FILENO) == 1 && !isPlain
    let progress = try arguments.choice("--progress", of: when) ?? "auto"
    isQuiet = arguments.has("--quiet")
    showsProgress =
      progress == "always" || progress == "auto" && isatty(STDERR_FILENO) == 1 && !isQuiet
    let chosen = try arguments.choice("--lang", of: Language.allCases.map(\.rawValue))
    language = chosen.flatMap(Language.init(rawValue:)) ?? Self.languageOfEnvironment
  }

  /// For messages before the arguments are known, or when they are wrong.
  static func basic(_ arguments: [String]) -> Terminal {
    var terminal = Terminal()
    for (index, argument) in arguments.enumerated() {
      let value =
        argument == "--lang"
        ? arguments.dropFirst(index + 1).first.map { Substring($0) }
        : argument.hasPrefix("--lang=") ? argument.dropFirst(7) : nil
      if let language = value.flatMap({ Language(rawValue: String($0)) }) {
        terminal.language = language
      }
    }
    return terminal
  }

  private init() {
    usesColor = false
    showsProgress = false
    isQuiet = false
    language = Self.languageOfEnvironment
  }

  /// As the C library takes it: the first of these variables that is set and not empty.
  private static var languageOfEnvironment: Language {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(variable)
    return Language(locale: names.first { !$0.isEmpty } ?? "")
  }

  static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// What a command says, in the language of this run.
  func say(_ english: String) -> String { Phrasebook.of(language).help(english) ?? english }

  func print(_ text: String) {
    Self.write(text, to: STDOUT_FILENO)
  }

  /// An error as the house writes it: what is wrong, and what to do.
  func report(_ error: any Explained) {
    let (start, end) = usesColor ? ("\u{1b}[1;31m", "\u{1b}[0m") : ("", "")
    let say = Phrasebook.of(language)
    let (problem, remedy) = (say.error(error.problem), say.error(error.remedy))
    // A Chinese colon is as wide as a colon and a blank.
    let gap = language == .english ? " " : ""
    Self.write(
      "\(start)\(say("error:"))\(end)\(gap)\(Self.harmless(problem))\n\(say("help:"))"
        + "\(gap)\(Self.harmless(remedy))\n",
      to: STDERR_FILENO)
  }

  /// Writes all of the text, however the descriptor takes it; false where it cannot be written.
  @discardableResult
  static func write(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = Glibc.write(descriptor, start, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
  }

  /// Text from outside without control characters, which could take over a terminal.
  static func harmless(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          scalar.value < 0x20 && scalar != "\n" || (0x7f...0x9f).contains(scalar.value)
            ? "\u{fffd}" : scalar
        }))
  }
}

/// Text on its way to a file or the terminal, written in pieces.
struct FileOutput: TextOutputStream {
  private let descriptor: Int32
  private let closes: Bool
  private var buffer = ""
  private(set) var hasFailed = false

  static func standardOutput() -> FileOutput {
    FileOutput(descriptor: STDOUT_FILENO, closes: false)
  }

  /// Creates or replaces a file.
  init(creating path: String) throws(OutputError) {
    let opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard opened >= 0 else {
      throw OutputError(path: path, message: String(cString: strerror(errno)))
    }
    self.init(descriptor: opened, closes: true)
  }

  private init(descriptor: Int32, closes: Bool) {
    self.descriptor = descriptor
    self.closes = closes
  }

  mutating func write(_ text: String) {
    buffer += text
    if buffer.utf8.count > 1 << 16 { flush() }
  }

  private mutating func flush() {
    if !Terminal.write(buffer, to: descriptor) { hasFailed = true }
    buffer = ""
  }

  /// Writes what is left; false where any of it could not be written.
  mutating func finish() -> Bool {
    flush()
    if closes, close(descriptor) != 0 { hasFailed = true }
    return !hasFailed
  }
}

extension FileOutput {
  /// Writes a file that is not text.
  static func write(_ bytes: [UInt8], to path: String) throws(OutputError) {
    let opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard opened >= 0 else {
      throw OutputError(path: path, message: String(cString: strerror(errno)))
    }
    let isWritten = bytes.withUnsafeBytes { Terminal.write($0, to: opened) }
    guard close(opened) == 0, isWritten else {
      throw OutputError(path: path, message: "writing failed")
    }
  }
}

/// A report cannot be written.
struct OutputError: Equatable {
  var path: String
  var message: String
}

extension OutputError: Explained {
  var problem: String { "\(path) cannot be written: \(message)" }
  var remedy: String { "name a path in a folder that you may write to" }
}
