import Findings

/// The arguments of a command, checked against its options.
struct Arguments {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Reads arguments in any order; `--` ends the options, `--name=value` and `--name value` mean the
  /// same.
  init(_ arguments: some Sequence<String>, options: [Option]) throws(UsageError) {
    var rest = Array(arguments)[...]
    var endsOptions = false
    while let argument = rest.popFirst() {
      if endsOptions || !argument.hasPrefix("-") || argument == "-" {
        operands.append(argument)
      } else if argument == "--" {
        endsOptions = true
      } else {
        try read(argument, &rest, options)
      }
    }
  }

  private mutating func read(
    _ argument: String, _ rest: inout ArraySlice<String>, _ options: [Option]
  ) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = argument == "-h" ? "--help" : String(parts[0])
    guard let option = options.first(where: { $0.name == name }) else {
      throw .unknownOption(name, known: Self.nearest(name, options))
    }
    guard option.isRepeatable || values[name] == nil else { throw .repeated(name) }
    guard let wanted = option.value else {
      guard parts.count == 1 else { throw .unwantedValue(name) }
      values[name] = [""]
      return
    }
    let value: String
    if parts.count == 2 {
      value = String(parts[1])
    } else if let next = rest.popFirst() {
      value = next
    } else {
      throw .missingValue(name, wanted)
    }
    // A variable of the shell that is not set: it would choose nothing, and say nothing.
    guard !value.isEmpty else { throw .badValue(name, "has an empty value") }
    values[name, default: []].append(value)
  }

  /// Adds a value as if it stood on the command line.
  mutating func add(_ name: String, _ value: String) { values[name, default: []].append(value) }

  /// Gives a value to an option that does not stand on the command line.
  mutating func setDefault(_ name: String, _ value: String) {
    if values[name] == nil { values[name] = [value] }
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  func all(_ name: String) -> [String] { values[name] ?? [] }

  subscript(name: String) -> String? { values[name]?.last }

  /// The value of an option that takes one of few words.
  func choice(_ name: String, of choices: [String]) throws(UsageError) -> String? {
    guard let value = self[name] else { return nil }
    guard choices.contains(value) else {
      throw .badValue(name, "must be \(choices.joined(separator: ", "))")
    }
    return value
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let value = self[name] else { return nil }
    guard let number = Int(value), range.contains(number) else {
      throw .badValue(
        name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A size in bytes: `64k`, `512M`, `4G`, `1GiB`.
  func size(_ name: String) throws(UsageError) -> Int? {
    guard let value = self[name] else { return nil }
    let digits = value.prefix { $0.isASCII && $0.isNumber }
    let shifts = ["": 0, "k": 10, "m": 20, "g": 30, "t": 40]
    var unit = value.dropFirst(digits.count).lowercased()
    for suffix in ["ib", "b"] where unit.hasSuffix(suffix) { unit.removeLast(suffix.count) }
    guard let number = Int(digits), let shift = shifts[unit], number < 1 << (62 - shift) else {
      throw .badValue(name, "must be a size such as 512M or 4G")
    }
    return number << shift
  }

  /// The known option that a mistyped one is most like.
  private static func nearest(_ name: String, _ options: [Option]) -> String? {
    let distances = options.map { ($0.name, distance(Array($0.name), Array(name))) }
    return distances.min { $0.1 < $1.1 }.flatMap { $0.1 <= 3 ? $0.0 : nil }
  }

  /// How many letters must change to turn one word into the other.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, otherLetter) in other.enumerated() {
        let next = min(
          row[column] + 1, row[column + 1] + 1, diagonal + (letter == otherLetter ? 0 : 1))
        diagonal = row[column + 1]
        row[column + 1] = next
      }
    }
    return row[other.count]
  }
}

/// The command line says something it cannot mean.
enum UsageError: Error, Equatable {
  case unknownCommand(String)
  case unknownOption(String, known: String?)
  case repeated(String)
  case unwantedValue(String)
  case missingValue(String, String)
  case badValue(String, String)
  case missingOperand(String)
  case unwantedOperand(String)
  case overwritesScanned(String)
}

extension UsageError: Explained {
  var problem: String {
    switch self {
    case .unknownCommand(let name): "unknown command \"\(name)\""
    case .unknownOption(let name, _): "unknown option \(name)"
    case .repeated(let name): "\(name) stands here twice"
    case .unwantedValue(let name): "\(name) takes no value"
    case .missingValue(let name, let value): "\(name) needs a \(value)"
    case .badValue(let name, let wanted): "\(name) \(wanted)"
    case .missingOperand(let name): "\(name) is missing"
    case .unwantedOperand(let name): "\"\(name)\" is not wanted here"
    case .overwritesScanned(let path):
      "--report would overwrite \(path), which is scanned and is no report of an earlier run"
    }
  }

  var remedy: String {
    switch self {
    case .unknownOption(_, let known?): "did you mean \(known)?"
    case .overwritesScanned:
      "name another path, or leave the file out with --exclude if it may be lost"
    default: "vestige --help and vestige COMMAND --help say what there is"
    }
  }
}
