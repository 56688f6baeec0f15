import RuleEngine
import RulePacks
import Testing

@Suite struct `The lexicon` {
  static let shipped = (try? LexiconFile.lexicon(of: RulePacks.lexicon)) ?? Lexicon()

  @Test(arguments: [
    ("userDateOfBirth", ["user", "date", "of", "birth"]), ("USER_DOB", ["user", "dob"]),
    ("user.date-of-birth", ["user", "date", "of", "birth"]),
    ("URLSession2", ["url", "session", "2"]),
    ("userPINs", ["user", "pins"]), ("kSecAttrAccount", ["k", "sec", "attr", "account"]),
    ("用户密码Key", ["用户密码", "key"]), ("", []),
  ])
  func `splits names into words`(name: String, words: [String]) {
    #expect(Words(name).words == words)
  }

  @Test(arguments: [
    ("password", "credential"), ("userPassword", "credential"), ("user_passwd", "credential"),
    ("PASSWORD", "credential"), ("passwords", "credential"), ("mypassword", "credential"),
    ("accessToken", "token"), ("access_token", "token"), ("accesstoken", "token"),
    ("userPIN", "credential"), ("PIN", "credential"), ("masterKey", "key"), ("privateKeys", "key"),
    ("dateOfBirth", "birth"), ("birthPlace", "birth"), ("用户密码", "credential"),
    ("出生地点", "birth"), ("mima", "credential"), ("userMima", "credential"), ("shengRi", "birth"),
    ("creditCardNumber", "finance"), ("homeAddress", "location"), ("身份证号", "identity"),
  ])
  func `knows sensitive names`(name: String, expected: String) {
    #expect(Self.shipped.classes(of: name).contains(expected), "\(Self.shipped.classes(of: name))")
  }

  @Test(arguments: [
    "passwordLength", "isPasswordSet", "hasPassword", "passwordTextField", "PasswordManager",
    "tokenCount", "publicKey", "pinned", "spinner", "keyboard", "secretary", "cancellationToken",
    "birthmark", "tokenExpirationDate", "shouldShowPassword", "mapPin", "name", "user",
    "encryptedPassword", "passwordHash", "compass", "bypass", "monkey", "emailTemplate",
  ])
  func `leaves harmless names alone`(name: String) {
    #expect(Self.shipped.classes(of: name) == [])
  }

  @Test func `takes names and values of a project`() throws {
    var lexicon = Self.shipped
    try LexiconFile.add("classes: {horoscope: [rising sign]}", path: "own.yaml", to: &lexicon)
    lexicon.add(values: ["Orchid-Zebra-42"])
    #expect(lexicon.classes(of: "userRisingSign") == ["horoscope"])
    #expect(lexicon.classes(of: "was Orchid-Zebra-42 there") == ["value"])
  }

  @Test(arguments: [
    ("words: [a]", "own.yaml:1:1: unknown key"),
    ("classes: [a]", "own.yaml:1:10: classes with lists"),
    ("classes: {a: b}", "own.yaml:1:14: a list is wanted"), ("", "own.yaml:1:1: the file is empty"),
  ])
  func `tells a mistake by file, line and column`(text: String, expected: String) {
    var lexicon = Lexicon()
    let error = #expect(throws: RuleFileError.self) {
      try LexiconFile.add(text, path: "own.yaml", to: &lexicon)
    }
    #expect(error?.problem.hasPrefix(expected) == true, "\(error?.problem ?? "none")")
  }
}
