import FixtureKit
import RuleEngine
import Testing

/// What keeps names and code from being taken for secrets must let those through that a machine made: of
/// random values with every mix of letters, digits and signs nearly all are to be found.
@Suite struct `Random values under telling names` {
  struct Place: CustomTestStringConvertible, Sendable {
    /// `{}` stands for the value.
    var text: String
    var signs = ""
    var length: Int
    /// Of a thousand values.
    var mayMiss: Int
    /// Whether words would be a key there, too.
    var takesWords = false
    var testDescription: String { text }
  }

  private static let places = [
    Place(text: "password = \"{}\"", signs: "!#%&*+-", length: 14, mayMiss: 30),
    Place(text: "let password = \"{}\"", length: 14, mayMiss: 40),
    Place(text: "DB_PASSWORD={}\n", signs: "!#%*+-@^_?", length: 16, mayMiss: 15),
    Place(
      text: "<key>adminPassword</key><string>{}</string>", signs: "#%*+-", length: 14, mayMiss: 30),
    Place(
      text: "sqlite3_key(db, \"{}\", 20);", signs: "!#%&*+-@$^_=?", length: 20, mayMiss: 10,
      takesWords: true),
    Place(
      text: "PRAGMA key = '{}';", signs: "!#%*+-@$^_=?", length: 20, mayMiss: 10, takesWords: true),
    Place(text: "client_secret: \"{}\"", length: 32, mayMiss: 4),
    Place(text: "aws_secret_access_key = {}\n", signs: "+/", length: 40, mayMiss: 2),
    Place(text: "encryption_key = \"{}=\"", signs: "+/", length: 43, mayMiss: 2),
  ]

  @Test(arguments: places) func `are found`(place: Place) throws {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    let alphabet = Array((letters + place.signs).utf8)
    var random = SplitMix(seed: 11)
    let values = (0..<1_000).map { _ in
      String(decoding: random.bytes(place.length, of: alphabet), as: UTF8.self)
    }
    let missed = try Self.missed(values, in: place.text)
    #expect(missed.count <= place.mayMiss, "\(missed)")
    // The same places with what people write there.
    let names =
      ["${DB_PASSWORD}", "%password%", "%s:%d:%s"]
      + (place.takesWords ? [] : ["passwordFieldTitle", "EnterYourPassword"])
    #expect(try Self.missed(names, in: place.text) == names)
  }

  /// The values of which nothing is seen in their line.
  private static func missed(_ values: [String], in place: String) throws -> [String] {
    var text: [UInt8] = []
    let ranges = values.map { value -> Range<Int> in
      let start = text.count
      text += Array(place.replacing("{}", with: value).utf8)
      defer { text += Array("\n".utf8) }
      return start..<text.count
    }
    let seen = try Seen(text, rules: `The packs that ship`.rules).outcome.sightings.map(\.range)
    return zip(values, ranges).filter { _, line in !seen.contains { $0.overlaps(line) } }.map(\.0)
  }
}
