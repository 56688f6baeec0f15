import Findings
import Languages

/// The arguments of one `vestige vault` command: a folder, options with values, flags, and words.
struct VaultArguments {
  var root: String
  var words: [String] = []
  /// In what language the command speaks.
  let say: Phrasebook
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// What a command accepts besides the folder.
  struct Shape {
    /// Options that take a value.
    var options: Set<String> = []
    var flags: Set<String> = []
    /// How many words may follow the folder.
    var words: ClosedRange<Int> = 0...0
  }

  /// Options of every command.
  private static let common: Set<String> = ["--password-fd", "--secrets", "--profile", "--lang"]

  init(_ arguments: some Collection<String>, shape: Shape) throws(VaultUsage) {
    say = Phrasebook.of(Terminal.basic(Array(arguments)).language)
    var words: [String] = []
    var rest = Array(arguments)[...]
    var isEnded = false
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--"), !isEnded else {
        words.append(argument)
        continue
      }
      if argument == "--" {
        isEnded = true
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      let name = parts[0]
      if shape.flags.contains(name), parts.count == 1 {
        flags.insert(name)
      } else if shape.options.union(Self.common).contains(name) {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
          throw VaultUsage(problem: "\(name) needs a value")
        }
        if name == "--lang", Language(rawValue: value) == nil {
          throw VaultUsage(problem: "--lang must be one of en, zh-Hans")
        }
        values[name] = value
      } else if name.hasPrefix("--password") {
        throw VaultUsage(problem: "a password never stands in the arguments, use --password-fd N")
      } else {
        throw VaultUsage(problem: "unknown option \(name)")
      }
    }
    guard let root = words.first else { throw VaultUsage(problem: "which vault? give its folder") }
    self.root = root
    self.words = Array(words.dropFirst())
    guard shape.words.contains(self.words.count) else {
      throw VaultUsage(
        problem: self.words.count < shape.words.lowerBound
          ? "something is missing" : "too many arguments")
    }
  }

  /// A line of output: what it is about, and a value that stays as it is.
  func line(_ name: String, _ value: String) {
    print((say.help(name) ?? name) + (say.language == .english ? ": " : "：") + value)
  }

  func value(_ name: String) -> String? { values[name] }
  func has(_ flag: String) -> Bool { flags.contains(flag) }

  func number(_ name: String) throws(VaultUsage) -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw VaultUsage(problem: "\(name) needs a number")
    }
    return number
  }
}

/// The command line itself is wrong: exit status 2.
struct VaultUsage: Explained {
  var problem: String
  var remedy = "see vestige vault --help"
}
