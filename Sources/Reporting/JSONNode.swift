/// One value of a JSON text and where it starts: what reading a report back works on.
struct JSONNode {
  enum Value {
    case null
    case boolean(Bool)
    /// As written.
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([(name: String, value: JSONNode)])
  }

  /// The text says something it must not: what, and at which byte.
  struct Failure: Error, Equatable {
    var problem: String
    var offset: Int
  }

  var value: Value
  var offset: Int

  private func failure(_ problem: String) -> Failure { Failure(problem: problem, offset: offset) }

  /// The value of a member, or nothing where it is missing or null.
  func optional(_ name: String) throws(Failure) -> JSONNode? {
    guard case .object(let members) = value else { throw failure("an object is wanted here") }
    guard let member = members.first(where: { $0.name == name })?.value else { return nil }
    if case .null = member.value { return nil }
    return member
  }

  func required(_ name: String) throws(Failure) -> JSONNode {
    guard let member = try optional(name) else { throw failure("\"\(name)\" is missing") }
    return member
  }

  func text() throws(Failure) -> String {
    guard case .string(let text) = value else { throw failure("text is wanted here") }
    return text
  }

  func integer() throws(Failure) -> Int {
    guard case .number(let text) = value, let number = Int(text) else {
      throw failure("a whole number is wanted here")
    }
    return number
  }

  /// A whole number that counts something.
  func count() throws(Failure) -> Int {
    let number = try integer()
    guard number >= 0 else { throw failure("a number that is not negative is wanted here") }
    return number
  }

  func number() throws(Failure) -> Double {
    guard case .number(let text) = value, let number = Double(text), number.isFinite else {
      throw failure("a number is wanted here")
    }
    return number
  }

  func boolean() throws(Failure) -> Bool {
    guard case .boolean(let truth) = value else { throw failure("true or false is wanted here") }
    return truth
  }

  func items() throws(Failure) -> [JSONNode] {
    guard case .array(let items) = value else { throw failure("a list is wanted here") }
    return items
  }

  func texts() throws(Failure) -> [String] {
    var texts: [String] = []
    for item in try items() { texts.append(try item.text()) }
    return texts
  }

  /// One of the words of an enumeration.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    of words: Word.Type = Word.self
  ) throws(Failure) -> Word {
    guard let word = Word(rawValue: try text()) else {
      let known = words.allCases.map(\.rawValue).joined(separator: ", ")
      throw failure("one of \(known) is wanted here")
    }
    return word
  }
}
