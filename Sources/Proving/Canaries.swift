import CrashImages
import DriverProtocol
import Findings
import RuleEngine

/// Values that stand nowhere else in the world, so that each one found tells what it was.
package struct Canary: Sendable {
  /// What it protects, and what the matrix shows it as.
  package enum Group: String, CaseIterable, Sendable {
    case values, names, passwords, keys
    /// Words that tell that a second space is there.
    case words
  }

  var needle: Needle
  var group: Group
  var value: String { needle.value }
}

/// Makes canaries of every kind, and the items they stand in, from a seed.
package struct CanaryMaker {
  private var random: SplitMix
  private(set) var canaries: [Canary] = []

  init(seed: UInt64) {
    random = SplitMix(state: seed)
  }

  private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  /// A word that can be said, and that no language has.
  private mutating func word(_ syllables: Int) -> String {
    let consonants = Array("bdfgklmnprstvz")
    let vowels = Array("aeiou")
    return (0..<syllables).map { _ in
      String([consonants[number(0..<consonants.count)], vowels[number(0..<vowels.count)]])
    }.joined()
  }

  private mutating func digits(_ count: Int) -> String {
    String(number(1..<10)) + (1..<count).map { _ in String(number(0..<10)) }.joined()
  }

  private mutating func add(
    _ id: String, _ kind: Needle.Kind, _ value: String, _ group: Canary.Group
  )
    -> String
  {
    let severity: Severity = group == .keys || group == .passwords ? .critical : .high
    canaries.append(
      Canary(needle: Needle(id: id, kind: kind, value: value, severity: severity), group: group))
    return value
  }

  /// An item with a text to search for, a name, and two more fields in turn.
  mutating func item(_ id: String) -> Item {
    let term = add("\(id).text", .text, word(7), .values)
    var fields = ["text": "meet \(term) behind the old mill"]
    let name = word(3).capitalizedFirst + " " + word(4).capitalizedFirst
    fields["name"] = add("\(id).name", .text, name, .values)
    for kind in [canaries.count % 6, (canaries.count + 3) % 6] { addField(kind, id, &fields) }
    return Item(id: id, term: term, fields: fields)
  }

  private mutating func addField(_ kind: Int, _ id: String, _ fields: inout [String: String]) {
    switch kind {
    case 0:
      fields["email"] = add("\(id).email", .email, word(4) + "@" + word(4) + ".example", .values)
    case 1: fields["phone"] = add("\(id).phone", .phone, "+4477009" + digits(5), .values)
    case 2:
      let day =
        "\(number(1931..<1999))-" + Self.two(number(1..<13)) + "-" + Self.two(number(1..<29))
      fields["born"] = add("\(id).date", .date, day, .values)
    case 3: fields["member"] = add("\(id).number", .number, digits(13), .values)
    case 4:
      let text = (0..<8).compactMap { _ in Unicode.Scalar(UInt32(number(0x4e00..<0x9000))) }
      let value = String(String.UnicodeScalarView(text))
      fields["note"] = add("\(id).note", .text, value, .values)
    default: fields["token"] = add("\(id).token", .keyHex, hexadecimal(32), .values)
    }
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private mutating func hexadecimal(_ count: Int) -> String {
    (0..<2 * count).map { _ in String(number(0..<16), radix: 16) }.joined()
  }

  mutating func password(_ id: String) -> String {
    add("password.\(id)", .passphrase, word(4) + "-" + word(4) + "-" + digits(4), .passwords)
  }

  mutating func attachment(_ id: String) -> Attachment {
    let name = add("\(id).file-name", .text, word(6), .names) + ".txt"
    let line = add("\(id).file-text", .text, word(8), .values)
    // Longer than a page, so that it does not fit where the row stands.
    return Attachment(name: name, text: String(repeating: line + " ", count: 400))
  }

  /// The words that a second space must not be called by.
  mutating func words(_ words: [String]) {
    for word in words { _ = add("word.\(word)", .text, word, .words) }
  }
}

/// What is kept under an id.
struct Item: Equatable, Sendable {
  var id: String
  /// The word it is found by.
  var term: String
  var fields: [String: String]
  var attachment: Attachment?

  var putRequest: [String: JSONValue] {
    ["id": .string(id), "fields": .object(fields.mapValues(JSONValue.string))]
  }
}

struct Attachment: Equatable, Sendable {
  var name: String
  var text: String
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
