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
    let isDumb = Self.variable("TERM") == "dumb"
    usesColor =
      color == "always" || color == "auto" && isatty(STDOUT_FILENO) == 1 && !isPlain && !isDumb
    let progress = try arguments.choice("--progress", of: when) ?? "auto"
    isQuiet = arguments.has("--quiet")
    showsProgress =
      progress == "always"
      || progress == "auto" && isatty(STDERR_FILENO) == 1 && !isQuiet && !isDumb
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

  func print(_ text: String) throws(OutputError) {
    let code = Self.write(text, to: STDOUT_FILENO)
    guard code == 0 else { throw OutputError(path: nil, code: code) }
  }

  /// How many columns the terminal has that standard error is; nothing where it is none.
  static var columns: Int? {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
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

  /// Writes all of the text, however the descriptor takes it; the error where it cannot be written, or 0.
  @discardableResult
  static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = Glibc.write(descriptor, start, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return 0
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
