import Bytes
import Findings
import RuleEngine
import RulePacks
import Testing

@Suite struct `Judging a match` {
  private static func rule(_ change: (inout Rule) -> Void = { _ in }) -> Rule {
    var rule = Rule(id: "t.token", title: "A token", severity: .high, remedy: "Remove it.")
    rule.pattern = "tok_(?<secret>[0-9A-Za-z]{12,40})"
    rule.anchors = [Array("tok_".utf8)]
    change(&rule)
    return rule
  }

  private static func sees(_ text: String, _ rule: Rule) throws -> Bool {
    try !Seen(Array(text.utf8), rules: [rule]).isNothing
  }

  @Test(arguments: [
    ("user_dob: tok_8fK3mQ2xW9pL", true), ("userDob: tok_8fK3mQ2xW9pL", true),
    ("DOB tok_8fK3mQ2xW9pL", true), ("dobs tok_8fK3mQ2xW9pL", true),
    ("dob2 tok_8fK3mQ2xW9pL", true),
    ("adobe: tok_8fK3mQ2xW9pL", false), ("dobro: tok_8fK3mQ2xW9pL", false),
    ("Dobson: tok_8fK3mQ2xW9pL", false), ("tok_8fK3mQ2xW9pL", false),
    ("tok_8fK3mQ2xW9pL dob", false), ("出生日期 tok_8fK3mQ2xW9pL", true),
    (
      "dob                                                                      tok_8fK3mQ2xW9pL",
      false
    ),
  ])
  func `a word near it counts as a word or as part of an identifier`(text: String, counts: Bool)
    throws
  {
    let rule = Self.rule {
      $0.context = ["dob", "出生日期"]
    }
    #expect(try Self.sees(text, rule) == counts)
    // Without the wish for a word all of them are seen.
    #expect(try Self.sees(text, Self.rule()))
  }

  @Test func `a word behind it, or in the name of its field, counts where it may`() throws {
    let after = Self.rule {
      $0.context = ["dob"]
      $0.contextAfter = true
    }
    #expect(try Self.sees("tok_8fK3mQ2xW9pL dob", after))
    let named = Self.rule { $0.context = ["dob"] }
    let value = Array("tok_8fK3mQ2xW9pL".utf8)
    #expect(try !Seen(value, rules: [named], names: ["userDob"]).isNothing)
    #expect(try Seen(value, rules: [named], names: ["adobe"]).isNothing)
  }

  @Test func `a word that says it is something else spoils it`() throws {
    let rule = Self.rule { $0.contextNot = ["checksum"] }
    #expect(try !Self.sees("checksum: tok_8fK3mQ2xW9pL", rule))
    #expect(try Self.sees("password: tok_8fK3mQ2xW9pL", rule))
  }

  /// What says of one value what it is says nothing of the next.
  @Test(arguments: [
    ("checksum of the dob tok_8fK3mQ2xW9pL", false), ("dob checksum: tok_8fK3mQ2xW9pL", false),
    ("dob: checksum,tok_8fK3mQ2xW9pL", false),
    ("my %checksum;\ndob = tok_8fK3mQ2xW9pL", true), ("%checksum\n\ndob=tok_8fK3mQ2xW9pL", true),
    ("{\"checksum\": \"1f\", \"dob\": \"tok_8fK3mQ2xW9pL\"}", true),
    ("<a>checksum</a><a>dob</a> tok_8fK3mQ2xW9pL", true), ("checksum\0dob\0tok_8fK3mQ2xW9pL", true),
    ("checksum() {\ndob = tok_8fK3mQ2xW9pL", false),
    ("checksum: {a: 1}\ndob: tok_8fK3mQ2xW9pL", true),
    ("%checksum; sub x {\ndob = tok_8fK3mQ2xW9pL", true),
    ("{\"checksum\": {\"a\": 1, \"dob\": \"tok_8fK3mQ2xW9pL\"}}", false),
    ("checksum=1f&dob=tok_8fK3mQ2xW9pL", true), ("checksum\ntok_8fK3mQ2xW9pL", false),
    ("checksum\ndob\nchecksum tok_8fK3mQ2xW9pL", false),
    ("x dob=tok_8fK3mQ2xW9pL", true), ("author\nx dob=tok_8fK3mQ2xW9pL", false),
  ])
  func `a word that belongs to another value does not`(text: String, counts: Bool) throws {
    let rule = Self.rule {
      $0.context = ["dob"]
      $0.contextNot = ["checksum"]
      $0.blockNot = ["author"]
    }
    #expect(try Self.sees(text, rule) == counts)
  }

  /// What stood behind a value of the file before says nothing of this one.
  @Test func `a word behind a value of other bytes is forgotten`() throws {
    let plain = Self.rule {
      $0.context = ["dob"]
      $0.contextNot = ["checksum"]
    }
    let behind = Self.rule {
      $0.id = "t.other"
      $0.pattern = "oth_(?<secret>[0-9A-Za-z]{12,40})"
      $0.anchors = [Array("oth_".utf8)]
      $0.context = ["dob"]
      $0.contextAfter = true
    }
    let searcher = Searcher(try Engine(rules: [plain, behind], needles: []))
    func count(_ text: String) -> Int {
      var outcome = SearchOutcome()
      searcher.search(
        Array(text.utf8).span.bytes, surroundings: Surroundings(), into: &outcome)
      return outcome.sightings.count
    }
    let text = "my %checksum;\ndob = tok_8fK3mQ2xW9pL"
    #expect(count(text) == 1)
    #expect(count("oth_5nV7cR1yT4zH dob checksum") == 1)
    #expect(count(text) == 1)
    #expect(count("dob checksum: tok_8fK3mQ2xW9pL") == 0)
  }

  /// A name that the pattern holds is one, too.
  @Test(arguments: [
    ("keys.hex-key-plain", "key"), ("keys.hex-key", "encryption_key"),
    ("secrets.generic-hex-secret", "app_secret"),
  ])
  func `a word of another line hides no key`(rule: String, name: String) throws {
    let rules = `The packs that ship`.rules.filter { $0.id == rule }
    let value = "9ab3c4dc58f9d98a1e7d357da2bc531d82b0e312b07df4342906c38fac99bd54"
    func isSeen(_ text: String) throws -> Bool {
      try !Seen(Array("\(text) = \"\(value)\"\n".utf8), rules: rules).isNothing
    }
    #expect(
      try isSeen(name) && isSeen("my %hash;\n\(name)") && isSeen("use Digest::SHA1;\n\(name)"))
    #expect(try !isSeen("hash of the \(name)") && !isSeen("sha1(\(name))"))
  }

  /// One random token in ten thousand spells a word, in letters of any size.
  @Test(arguments: ["8fK3mQTODo9pL2", "8fK3xXxX9pLQ2w", "8fK3tODO9pLQ2w", "8fK3mQxXXx9pL2"])
  func `a word that chance spelled is no placeholder`(value: String) throws {
    #expect(try Self.sees("tok_\(value)", Self.rule()))
    for word in ["TODO", "todo", "Todo", "xxxx", "XXXX"] {
      #expect(try !Self.sees("tok_8fK3\(word)9pL2", Self.rule()))
    }
  }

  /// What holds for names and formats says nothing of a value that a machine made.
  @Test func `a pattern of text spares what looks generated`() throws {
    let rule = Self.rule { $0.textNot = ["^[A-Z]", "[a-z]{4}"] }
    let plain = Self.rule { $0.not = rule.textNot }
    for value in ["Qz7Kx2Wm9Tp4Lr", "8W8fkqzK3m7xT2p", "AyvVgfiLPnoaeTahZpMEtNBh"] {
      #expect(try Self.sees("tok_\(value)", rule), "\(value)")
      #expect(try !Self.sees("tok_\(value)", plain), "\(value)")
    }
    for value in ["passwordField", "MainWindow2Title", "Qz7mainwindow", "NSLocationWhenInUse"] {
      #expect(try !Self.sees("tok_\(value)", rule), "\(value)")
    }
  }

  /// As symbol tables and debug information of Swift programs have them.
  @Test(arguments: [
    "$s8Evidence10SigningKeyV04with{}LLyxxs13OpaquePointer", "$S4main3KeyV{}", "_T04main3KeyV{}",
    "\0_{}\0SigningKey",
  ])
  func `a hash in a name that the compiler made is no key`(name: String) throws {
    let rules = `The packs that ship`.rules.filter { $0.id == "keys.hex-key" }
    let value = "7C3FE91A5D024B86F0E2D91C6A47B358"
    let text = name.replacing("{}", with: value)
    func isSeen(_ text: String) throws -> Bool {
      try !Seen(Array(text.utf8), rules: rules).isNothing
    }
    #expect(try !isSeen("signing_key " + text), "\(text)")
    // The same beside the name, or behind a mark of its own, is one.
    for known in ["signing_key ", "signing_key = $", "signing_key = x_"] {
      #expect(try isSeen(known + value), "\(known)")
    }
  }

  @Test(arguments: [
    "exampleQ2xW9pL", "CHANGEMEQ2xW9", "xxxxxxxxxxxxxxxx", "aaaaaaaaaaaaaaaa", "1234567890123",
    "abcdefghijklmnop", "0123456789abcdef", "yourTOKENyourtoken", "redactedQ2xW9p",
  ])
  func `a placeholder is none`(value: String) throws {
    #expect(try !Self.sees("tok_\(value)", Self.rule()))
    #expect(try Self.sees("tok_8fK3mQ2xW9pL", Self.rule()))
  }

  @Test(arguments: [
    "${TOKEN_OF_APP}", "<your token here>", "{{ token }}", "%TOKEN%", "$(cat token)",
  ])
  func `a template is none`(value: String) throws {
    let rule = Self.rule { $0.pattern = "tok_(?<secret>[^\\n]{4,40})" }
    #expect(try !Self.sees("tok_\(value)", rule))
    #expect(try Self.sees("tok_8fK3mQ2xW9pL", rule))
  }

  @Test func `entropy, a check and patterns of what it is not are asked`() throws {
    #expect(try !Self.sees("tok_abababababcc", Self.rule { $0.entropy = 3 }))
    #expect(try Self.sees("tok_8fK3mQ2xW9pL", Self.rule { $0.entropy = 3 }))
    let not = Self.rule { $0.not = ["^8fK3"] }
    #expect(try !Self.sees("tok_8fK3mQ2xW9pL", not))
    #expect(try Self.sees("tok_9fK3mQ2xW9pL", not))
    let checked = Self.rule {
      $0.pattern = "tok_(?<secret>[0-9]{16})"
      $0.checksum = "luhn"
    }
    #expect(try Self.sees("tok_4539051173208468", checked))
    #expect(try !Self.sees("tok_4539051173208467", checked))
  }

  @Test(arguments: [
    ("\"tok_8fK3mQ2xW9pL\"", true), ("key = tok_8fK3mQ2xW9pL\n", true),
    ("k: tok_8fK3mQ2xW9pL,", true),
    ("<b>tok_8fK3mQ2xW9pL</b>", true), ("tok_8fK3mQ2xW9pL", true),
    ("go to tok_8fK3mQ2xW9pL now", false),
    ("\"see tok_8fK3mQ2xW9pL\"", false), ("xtok_8fK3mQ2xW9pL\"", false),
  ])
  func `a rule that wants a field takes a whole one`(text: String, counts: Bool) throws {
    let rule = Self.rule {
      $0.pattern = "(?<secret>tok_[0-9A-Za-z]{12})"
      $0.wantsField = true
    }
    #expect(try Self.sees(text, rule) == counts)
    #expect(try Self.sees(text, Self.rule()))
  }

  @Test(arguments: [false, true])
  func `text in UTF-16 is judged like any other`(isBigEndian: Bool) throws {
    let rule = Self.rule { $0.context = ["dob"] }
    func wide(_ text: String) -> [UInt8] {
      text.utf16.flatMap { unit in
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 255))
        return isBigEndian ? [high, low] : [low, high]
      }
    }
    let text = wide("出生 user_dob = tok_8fK3mQ2xW9pL, 完")
    let seen = try Seen(text, rules: [rule])
    let start = "出生 user_dob = tok_".utf16.count * 2
    #expect(seen.outcome.sightings.map(\.range) == [start..<start + 24])
    // At an odd offset too (there bytes alone do not tell the order), and not without its word.
    let shifted = try Seen([7] + text, rules: [rule]).outcome.sightings.map(\.range.lowerBound)
    #expect(shifted.count == 1)
    #expect(shifted.allSatisfy { abs($0 - start - 1) <= 1 })
    #expect(try Seen(wide("adobe = tok_8fK3mQ2xW9pL"), rules: [rule]).isNothing)
  }

  @Test func `one match with two anchors is one sighting, two matches are two`() throws {
    let rule = Self.rule {
      $0.anchors = [Array("tok_".utf8), Array("mQ2x".utf8)]
    }
    let one = try Seen(Array("tok_8fK3mQ2xW9pL".utf8), rules: [rule])
    #expect(one.outcome.sightings.count == 1)
    let two = try Seen(Array("tok_8fK3mQ2xW9pL tok_7aB4mQ2xZ1cD".utf8), rules: [rule])
    #expect(two.outcome.sightings.map(\.range) == [4..<16, 21..<33])
  }

  @Test func `rules that overlap see the same bytes each for itself`() throws {
    var other = Self.rule()
    other.id = "t.other"
    other.pattern = "[0-9A-Za-z_]{14,40}"
    let seen = try Seen(Array("tok_8fK3mQ2xW9pL".utf8), rules: [Self.rule(), other])
    #expect(seen.rules == ["t.token", "t.other"])
    #expect(Set(seen.outcome.sightings.map(\.range)) == [4..<16, 0..<16])
  }

  @Test(arguments: [
    (Rule.Alphabet.hex, "8f1d3a5c7e90b2d4f6071829"), (.base32, "MFRGGZDFMZTWQ2LKNNWG23TP"),
    (.alnum, "8fK3mQ2xW9pL7aB4Zq5tYv1c"),
    (.base64, "8fK3/Q2xW9+L7aB4Zq5tYv1c"), (.digits, "861029475301826475930184"),
  ])
  func `a rule without a literal is found by its run, at its length`(
    alphabet: Rule.Alphabet, value: String
  ) throws {
    let yaml = """
      id: t.run
      title: A run
      severity: low
      pattern: '(?<![0-9A-Za-z+/])[0-9A-Za-z+/]{24}(?![0-9A-Za-z+/])'
      run: {alphabet: \(alphabet.rawValue), min: 24, max: 24}
      remedy: Remove it.
      examples: {match: ["-"], clean: ["-"]}
      """
    let rule = try #require(
      try RulePack.rules(in: [(path: "t/run.yaml", text: yaml)], checksPatterns: true).first)
    #expect(try Self.sees("k=\(value);", rule))
    #expect(try !Self.sees("k=\(value)77;", rule))
    #expect(try !Self.sees("k=\(value.dropLast(2));", rule))
  }

  @Test func `a value whose rule wants its name is found where the name stands apart`() throws {
    let rules = `The packs that ship`.rules
    let password = Array("v7#Kq9!mZ2pLw4".utf8)
    let named = try Seen(password, rules: rules, asField: true, fieldName: "db_password")
    #expect(named.rules.contains { $0.contains("password") || $0.contains("secret") })
    #expect(named.outcome.sightings.allSatisfy { $0.range.upperBound <= password.count })
    #expect(try Seen(password, rules: rules, asField: true).isNothing)
    #expect(try Seen(password, rules: rules, asField: true, fieldName: "headline").isNothing)
  }

  @Test(arguments: [
    "ResourceStatusApplyConfiguration", "engineLookupAndResolvePrivateKey",
    "sSDy10Foundation8NSObjectCyXlGMD", "N3tsi24TlsSessionKeyLoggerCacheE",
    "Ljava/lang/UnsupportedOperationException", "3sun/security/pkcs11/P11SecretKeyFactory",
    "ss22__RawDictionaryStorageC10_rawValuesSvvM",
  ])
  func `words joined to a name are no key, whatever stands before them`(name: String) throws {
    let rules = `The packs that ship`.rules
    let words = "aws_secret_key tencent_secret_key session_key encryption_key: "
    #expect(try Seen(Array("\(words)\(name) ".utf8), rules: rules).isNothing)
  }

  @Test func `a digest before the name of a file is none of the line before`() throws {
    let rules = `The packs that ship`.rules
    let value = "9e3c1fd2a7b8460519fe7c23d8a4b6e1"
    let name = "google/auth/api_key encryption_key"
    #expect(try Seen(Array("\(name)\n\(value)  google/auth/b\n".utf8), rules: rules).isNothing)
    #expect(try !Seen(Array("\(name)\n\(value)\n".utf8), rules: rules).isNothing)
  }

  @Test(arguments: [false, true])
  func `a run of digits is seen in UTF-16 among binary bytes`(isBigEndian: Bool) throws {
    let rules = `The packs that ship`.rules
    let key = "8f3ac1d29e7b460519fe7c23d8a4b6e1c05f93a7d20b4c6e8811f0a25d3b7ce9"
    func bytes(_ text: String) -> [UInt8] {
      let units = Array(text.utf16).flatMap { unit -> [UInt8] in
        let pair = [UInt8(unit >> 8), UInt8(unit & 0xff)]
        return isBigEndian ? pair : pair.reversed()
      }
      return [0x81, 0x02, 0x9f, 0x13, 0xfe, 0x07] + units + [0x90, 0x03, 0x88, 0x1b]
    }
    let seen = try Seen(bytes("x'\(key)'"), rules: rules)
    #expect(seen.rules == ["keys.sqlcipher-raw-key"])
    #expect(seen.outcome.sightings.map(\.range.count) == [128])
    #expect(try Seen(bytes("x'\(String(repeating: "0", count: 64))'"), rules: rules).isNothing)
  }

  @Test func `a name is no value of itself`() throws {
    let rules = `The packs that ship`.rules
    let name = "a11y_hide_password"
    #expect(try Seen(Array(name.utf8), rules: rules, asField: true, fieldName: name).isNothing)
    let other = Array("a11y_hide_passwords".utf8)
    #expect(try !Seen(other, rules: rules, asField: true, fieldName: name).isNothing)
  }

  @Test func `a pattern that backtracks without end is given up and said so`() throws {
    let rule = Self.rule { $0.pattern = "tok_(?:(?:a+)+)+!" }
    // The sign that ends a match is there, but not where the letters end.
    let seen = try Seen(
      Array(("tok_" + String(repeating: "a", count: 4_000) + "?!").utf8), rules: [rule])
    #expect(seen.isNothing)
    #expect(seen.outcome.abandoned > 0)
  }

  @Test func `without anything to find there is no engine`() {
    #expect(throws: Engine.BuildError.nothingToFind) { try Engine(rules: [], needles: []) }
  }
}
