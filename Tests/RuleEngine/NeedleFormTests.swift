import Bytes
import Findings
import Foundation
import RuleEngine
import Testing

/// A value, a way it can stand in storage, and the bytes of that, made by other means than the
/// engine's.
struct Planted: Sendable, CustomTestStringConvertible {
  var kind: Needle.Kind
  var value: String
  var form: String
  var bytes: [UInt8]

  init(_ kind: Needle.Kind, _ value: String, _ form: String, _ text: String) {
    self.init(kind, value, form, bytes: Array(text.utf8))
  }

  init(_ kind: Needle.Kind, _ value: String, _ form: String, hex: String) {
    self.init(kind, value, form, bytes: [UInt8]("", hex: hex))
  }

  init(_ kind: Needle.Kind, _ value: String, _ form: String, bytes: [UInt8]) {
    self.kind = kind
    self.value = value
    self.form = form
    self.bytes = bytes
  }

  var testDescription: String { "\(kind.rawValue) as \(form)" }
}

@Suite struct `Forms of text` {
  static let secret = "Orchid-Zebra-42"
  static let name = "王明月"

  static let rows: [Planted] = [
    Planted(.text, secret, "utf8", "Orchid-Zebra-42"),
    Planted(.text, secret, "utf8", "ORCHID-ZEBRA-42"),
    Planted(
      .text, secret, "utf16le", hex: "4f007200630068006900640 02d005a0065006200720061002d0034003200"
    ),
    Planted(
      .text, secret, "utf16be", hex: "004f00720063006800690064002d005a0065006200720061002d00340032"),
    Planted(
      .text, "Zebra42!", "utf32le",
      hex: "5a000000 65000000 62000000 72000000 61000000 34000000 32000000 21000000"),
    Planted(
      .text, "Zebra42!", "utf32be",
      hex: "0000005a 00000065 00000062 00000072 00000061 00000034 00000032 00000021"),
    Planted(.text, secret, "percent", "%4f%72%63%68%69%64%2d%5a%65%62%72%61%2d%34%32"),
    Planted(.text, "a+b c/d&e=f", "percent", "a%2Bb%20c%2Fd%26e%3Df"),
    Planted(
      .text, "Zebra42!", "json-escape",
      "\\u005A\\u0065\\u0062\\u0072\\u0061\\u0034\\u0032\\u0021"),
    Planted(.text, secret, "reversed", "24-arbeZ-dihcrO"),
    Planted(.text, secret, "rot13", "Bepuvq-Mroen-42"),
    Planted(.text, secret, "hex", "4f72636869642d5a656272612d3432"),
    Planted(.text, secret, "hex", "4F72636869642D5A656272612D3432"),
    Planted(
      .text, secret, "hex-utf16le",
      bytes: "4f72636869642d5a656272612d3432".utf8.flatMap { [$0, 0] }),
    // Chinese: 3 characters are enough in any encoding.
    Planted(.text, name, "utf8", hex: "e78e8b e6988e e69c88"),
    Planted(.text, name, "utf16le", hex: "8b73 0e66 0867"),
    Planted(.text, name, "utf16be", hex: "738b 660e 6708"),
    Planted(.text, name, "utf32be", hex: "0000738b 0000660e 00006708"),
    Planted(.text, name, "gb18030", hex: "cdf5 c3f7 d4c2"),
    Planted(.text, name, "percent", "%E7%8E%8B%E6%98%8E%E6%9C%88"),
    Planted(.text, name, "json-escape", "\\u738b\\u660e\\u6708"),
    Planted(.text, name, "json-escape", "\\u738B\\u660E\\u6708"),
    Planted(.text, name, "quoted-printable", "=E7=8E=8B=E6=98=8E=E6=9C=88"),
    Planted(.text, name, "base64", "546L5piO5pyI"),
    Planted(.text, name, "utf16le-base64", "i3MOZghn"),
    Planted(.text, name, "utf16le-hex", "8B730E660867"),
    // Accents: other normal forms, other case, one byte a letter.
    Planted(.text, "Zoë Müller", "latin1", hex: "5a6feb204dfc6c6c6572"),
    Planted(.text, "Zoë Müller", "utf8-nfd", "Zoe\u{308} Mu\u{308}ller"),
    Planted(.text, "Zoe\u{308} Mu\u{308}ller", "utf8-nfc", "Zo\u{eb} M\u{fc}ller"),
    Planted(.text, "Zoë Müller", "utf8-upper", "ZO\u{cb} M\u{dc}LLER"),
    Planted(
      .text, "Zoë Müller", "utf16le-nfd", hex: "5a006f00650008032000 4d00750008036c006c0065007200"),
    Planted(.text, "Zoë Müller", "json-escape", "Zo\\u00EB M\\u00FCller"),
    Planted(.text, "Zoë Müller", "quoted-printable", "Zo=C3=AB M=C3=BCller"),
    // Other kinds that are text.
    Planted(.email, "mingyue@example.org", "utf8", "MingYue@Example.ORG"),
    Planted(.email, "mingyue@example.org", "percent", "mingyue%40example.org"),
    Planted(.passphrase, "correct horse battery", "utf8", "correct horse battery"),
  ]

  @Test(arguments: rows)
  func `are found in the middle of other bytes`(planted: Planted) throws {
    let bytes = [UInt8]("x = '", hex: "") + planted.bytes + [UInt8]("'; rest", hex: "")
    #expect(try Seen(bytes, planted.kind, planted.value).forms.contains(planted.form))
    // The same place without the value shows nothing.
    let clean =
      [UInt8]("x = '", hex: "") + planted.bytes.dropLast() + [UInt8]("\u{1}'; rest", hex: "")
    #expect(try Seen(clean, planted.kind, planted.value).isNothing)
  }

  @Test func `of a passphrase keep their case`() throws {
    #expect(
      try Seen(Array("CORRECT HORSE BATTERY".utf8), .passphrase, "correct horse battery").isNothing)
  }

  @Test(arguments: ["Orchid-Zebra-42", "王明月", "Zoë"], 0..<15)
  func `are found in base64 and base32 of a longer text, wherever they start`(
    value: String, before: Int
  ) throws {
    let whole = Data((String(repeating: "k", count: before) + value + "tail of the text").utf8)
    let text = whole.base64EncodedString()
    let seen = try Seen(Array(text.utf8), .text, value)
    guard value.utf8.count > 5 else {
      // Too few characters are left of a short value to tell it from chance.
      #expect(seen.isNothing)
      #expect(seen.chanceForms.isSubset(of: ["base64"]))
      return
    }
    #expect(seen.forms == ["base64"])
    let url = text.replacing("+", with: "-").replacing("/", with: "_")
    let inURL = try Seen(Array(url.utf8), .text, value)
    #expect(!inURL.isNothing && inURL.forms.isSubset(of: ["base64", "base64url"]))
    let base32 = Self.base32(Array(whole))
    #expect(try Seen(Array(base32.utf8), .text, value).forms == ["base32"])
    #expect(try Seen(Array(base32.lowercased().utf8), .text, value).forms == ["base32"])
  }

  private static func base32(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var bits = bytes.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
    while !bits.count.isMultiple(of: 5) { bits.append(0) }
    return String(
      stride(from: 0, to: bits.count, by: 5).map { start in
        alphabet[bits[start..<start + 5].reduce(0) { $0 << 1 | Int($1) }]
      })
  }

  @Test(arguments: [1, 0x20, 0x5a, 0x80, 0xff] as [UInt8])
  func `disguised by XOR are found in bytes that are no text`(key: UInt8) throws {
    let disguised = Array(Self.secret.utf8).map { $0 ^ key }
    let bytes = [0, 1, 2, 3] + disguised + [9, 0]
    let seen = try Seen(bytes, .text, Self.secret)
    #expect(seen.forms.contains { $0.hasPrefix("xor-0x") } || key == 0x20 && !seen.isNothing)
    var spoiled = disguised
    spoiled[4] ^= 0x11
    #expect(try Seen([0, 1, 2, 3] + spoiled + [9, 0], .text, Self.secret).isNothing)
  }

  @Test(arguments: [
    ("Lena", "Lenard said"), ("Lena", "Helena said"), ("Lena", "Magdalenas"), ("王", "王"),
  ])
  func `that are short words do not count inside longer ones`(value: String, text: String) throws {
    guard value != "王" else {
      #expect(throws: Engine.BuildError.self) { try Seen([], .text, value) }
      return
    }
    #expect(try Seen(Array(text.utf8), .text, value).isNothing)
    let wide = Array(text.utf16)
    #expect(try Seen(wide.flatMap { [UInt8($0 & 255), 0] }, .text, value).isNothing)
    #expect(try Seen(wide.flatMap { [0, UInt8($0 & 255)] }, .text, value).isNothing)
    for plain in ["said Lena, then", "Lena", "\"Lena\"", "名Lena名"] {
      #expect(try Seen(Array(plain.utf8), .text, value).forms == ["utf8"])
    }
    let alone = Array("to Lena!".utf16)
    #expect(try Seen(alone.flatMap { [UInt8($0), 0] }, .text, value).forms == ["utf16le"])
    #expect(try Seen(alone.flatMap { [0, UInt8($0)] }, .text, value).forms == ["utf16be"])
  }

  @Test(arguments: ["Hunter2", "Mingyue", "abc12", "张三"])
  func `of few characters count as words of their own`(value: String) throws {
    #expect(try Seen(Array("user \(value) logged in".utf8), .text, value).forms == ["utf8"])
    #expect(try Seen(Array("user x\(value.dropLast())".utf8), .text, value).isNothing)
  }
}

@Suite struct `Forms of dates` {
  /// 1984-03-17 is 448,329,600 s after 1970 and -529,977,600 s from 2001; in Shanghai the day began
  /// eight hours earlier.
  static let day = "1984-03-17"

  static let texts = [
    "1984-03-17", "19840317", "1984/03/17", "1984.03.17", "1984/3/17", "1984-3-17", "17.03.1984",
    "17/03/1984", "17-03-1984", "03/17/1984", "03-17-1984", "17/3/1984", "3/17/1984", "17.3.1984",
    "March 17, 1984", "17 March 1984", "Mar 17, 1984", "17 MAR 1984", "17-Mar-1984", "1984年3月17日",
    "1984年03月17日",
  ]

  @Test(arguments: texts)
  func `are found in every layout, and not inside longer numbers`(text: String) throws {
    #expect(try !Seen(Array("born \(text), then".utf8), .date, Self.day).isNothing)
    #expect(try !Seen(Array(text.utf8), .date, Self.day).isNothing)
    #expect(try Seen(Array("born 7\(text)".utf8), .date, Self.day).isNothing)
    if text.last?.isNumber == true {
      #expect(try Seen(Array("born \(text)5".utf8), .date, Self.day).isNothing)
    }
    #expect(try Seen(Array("born \(text)".utf8), .date, "1984-03-18").isNothing)
  }

  static let rows: [Planted] = [
    Planted(.date, day, "epoch-s", "448329600"),
    Planted(.date, day, "epoch-s", "448300800"),
    Planted(.date, day, "epoch-ms", "448329600000"),
    Planted(.date, day, "epoch-us", "448329600000000"),
    Planted(.date, day, "2001-s", "-529977600"),
    Planted(.date, "1984-03-17T08:30:00+08:00", "epoch-s", "448331400"),
    Planted(.date, "1984-03-17T08:30:00+08:00", "instant-iso", "1984-03-17T00:30:00Z"),
    Planted(.date, "1984-03-17T08:30:00+08:00", "instant-iso", "1984-03-17 00:30:00"),
    // The clock of India, mail, the web and the logs of servers.
    Planted(.date, "1984-03-17T08:30:00+08:00", "instant-iso", "1984-03-17T06:00:00+05:30"),
    Planted(.date, "1984-03-17T08:30:00+08:00", "instant-basic", "19840317T003000Z"),
    Planted(.date, "1984-03-17T08:30:00+08:00", "instant-named", "Sat, 17 Mar 1984 00:30:00 GMT"),
    Planted(.date, "1984-03-07T08:30:00+08:00", "instant-named", "7 Mar 1984 08:30:00 +0800"),
    Planted(.date, "1984-03-17T08:30:00+08:00", "instant-named", "[16/Mar/1984:19:30:00 -0500]"),
  ]

  @Test(arguments: rows)
  func `are found as counts of seconds in digits`(planted: Planted) throws {
    let seen = try Seen(Array("at=".utf8) + planted.bytes + Array("\n".utf8), .date, planted.value)
    #expect(seen.forms.contains(planted.form))
    guard !planted.form.hasPrefix("instant") else { return }
    #expect(
      try Seen(Array("at=1".utf8) + planted.bytes.drop { $0 == 0x2d }, .date, planted.value)
        .isNothing)
  }

  static let fields: [Planted] = [
    Planted(.date, day, "epoch-s-int32-be", hex: "1ab8f780"),
    Planted(.date, day, "epoch-s-int32-le", hex: "80f7b81a"),
    Planted(.date, day, "epoch-ms-int48-be", hex: "006862 86cc00"),
    Planted(.date, day, "epoch-ms-int64-be", hex: "000000686286cc00"),
    Planted(.date, day, "real-2001-be", hex: "c1bf96d100000000"),
    Planted(.date, day, "real-2001-le", hex: "00000000d196bfc1"),
    Planted(.date, day, "epoch-s-real-be", hex: "41bab8f780000000"),
    // julianday('1984-03-17') is 2445776.5.
    Planted(.date, day, "real-julian-be", hex: "4142a8e840000000"),
    Planted(.date, day, "julian-int32-be", hex: "002551d1"),
    Planted(.date, day, "date-int32-be", hex: "012ebd3d"),
  ]

  @Test(arguments: fields)
  func `in binary count as all of a field, and are else counted as chance`(planted: Planted) throws
  {
    let field = try Seen(planted.bytes, .date, planted.value, asField: true)
    #expect(field.forms.contains(planted.form))
    let inside = try Seen([7, 7] + planted.bytes + [7, 7], .date, planted.value, asField: true)
    #expect(inside.isNothing)
    #expect(inside.chanceForms.contains(planted.form))
  }

  @Test(arguments: [
    "1984-13-01", "1984-02-30", "17.03.1984", "1984-3-17", "yesterday", "1984-03-17T25:00:00Z", "",
  ])
  func `that are none are refused, by id and without the value`(value: String) throws {
    let error = #expect(throws: Engine.BuildError.self) { try Seen([], .date, value) }
    let problem = error?.problem ?? ""
    #expect(problem.contains("\"n\""))
    #expect(value.isEmpty || !problem.contains(value))
  }
}

@Suite struct `Forms of numbers, telephones and keys` {
  static let key = "8f1d3a5c7e90b2d4f60718293a4b5c6dd1e2f3041526374859607a8b9cadbecf"

  static let rows: [Planted] = [
    Planted(.number, "6228480741936258", "decimal", "6228480741936258"),
    Planted(.number, "6228480741936258", "decimal-grouped", "6228 4807 4193 6258"),
    Planted(.number, "6228480741936258", "decimal-grouped", "6228-4807-4193-6258"),
    Planted(.number, "6228480741936258", "decimal-grouped", "6,228,480,741,936,258"),
    Planted(
      .number, "6228480741936258", "decimal-utf16le",
      bytes: "6228480741936258".utf8.flatMap { [$0, 0] }),
    Planted(.number, "6,228,480,741,936,258", "decimal", "6228480741936258"),
    Planted(.number, "6228480741936258", "decimal-grouped", "6_228_480_741_936_258"),
    Planted(
      .number, "6228480741936258", "decimal-grouped",
      "6\u{202f}228\u{202f}480\u{202f}741\u{202f}936\u{202f}258"),
    Planted(.number, "6228480741936258", "hex-literal", "0x1620C52E1D0C82"),
    Planted(.number, "6228480741936258", "int64-be", hex: "001620c52e1d0c82"),
    Planted(.number, "6228480741936258", "int-varint", hex: "8b8898d2f0f49902"),
    Planted(.number, "9123456789012345678", "int-varint", hex: "bfa7a0f9e4a2e9f34e"),
    Planted(.number, "6228480741936258", "int64-le", hex: "820c1d2ec5201600"),
    Planted(.number, "1152268.921875", "decimal", "1152268.921875"),
    Planted(.number, "1152268.921875", "real-be", hex: "4131 950c ec00 0000"),
    Planted(.number, "1152268.9218754", "real-be", bytes: bits(1_152_268.921_875_4)),
    Planted(.phone, "+8613800138123", "digits", "8613800138123"),
    Planted(.phone, "+8613800138123", "digits", "13800138123"),
    Planted(.phone, "+8613800138123", "digits-grouped", "138 0013 8123"),
    Planted(.phone, "+8613800138123", "digits-grouped", "138-0013-8123"),
    Planted(.phone, "+8613800138123", "digits-grouped", "86 138 0013 8123"),
    Planted(.phone, "+1 415 555 2671", "digits-grouped", "415-555-2671"),
    Planted(.phone, "+1 415 555 2671", "digits-grouped", "1.415.555.2671"),
    Planted(.phone, "+1 415 555 2671", "digits-grouped", "(415) 555-2671"),
    Planted(.phone, "+1 415 555 2671", "digits-grouped", "+1(415) 555-2671"),
    Planted(.phone, "+1 415 555 2671", "digits-grouped", "(415)\u{a0}555\u{2011}2671"),
    Planted(.phone, "+1 415 555 2671", "digits-grouped", "415 555-2671"),
    Planted(.phone, "+44 20 7946 0958", "digits-grouped", "020 7946 0958"),
    Planted(.phone, "+44 20 7946 0958", "digits-grouped", "(020) 7946 0958"),
    Planted(.phone, "+8613800138123", "digits-grouped", "138\u{a0}0013\u{a0}8123"),
    Planted(.phone, "+8613800138123", "int64-be", hex: "000007d58e7f558b"),
    Planted(
      .phone, "+8613800138123", "digits-utf16le",
      bytes: "13800138123".utf8.flatMap { [$0, 0] }),
    Planted(
      .phone, "+8613800138123", "digits-utf16be",
      bytes: "13800138123".utf8.flatMap { [0, $0] }),
    Planted(.keyHex, key, "raw", hex: key),
    Planted(.keyHex, key, "half", hex: String(key.prefix(32))),
    Planted(.keyHex, key, "half", hex: String(key.suffix(32))),
    Planted(.keyHex, key, "hex", key),
    Planted(.keyHex, key, "hex", "x'\(key.uppercased())'"),
    Planted(.keyHex, key, "hex-utf16le", bytes: key.utf8.flatMap { [$0, 0] }),
    Planted(.keyHex, key, "hex-array", pairs.map { "0x\($0)" }.joined(separator: ", ")),
    Planted(.keyHex, key, "hex-array", pairs.map { "0X\($0.uppercased())" }.joined(separator: ",")),
    Planted(.keyHex, key, "hex-escape", pairs.map { "\\x\($0)" }.joined()),
    Planted(.keyHex, key, "hex-spaced", pairs.joined(separator: ":")),
    Planted(.keyHex, key, "decimal-array", raw.map { "\($0)" }.joined(separator: ", ")),
    Planted(
      .keyHex, key, "decimal-array", raw.map { "\(Int8(bitPattern: $0))" }.joined(separator: ",")),
    Planted(.keyHex, key, "half-hex", String(key.prefix(32))),
    Planted(.keyHex, key, "half-hex", "\"\(key.suffix(32).uppercased())\""),
    Planted(.keyHex, key, "hex-spaced", groups(of: 4).joined(separator: " ")),
    Planted(.keyHex, key, "hex-spaced", groups(of: 8).joined(separator: "-")),
    Planted(.keyHex, key, "base64", Data(raw).base64EncodedString()),
    Planted(.keyHex, key, "reversed", bytes: raw.reversed()),
    Planted(
      .keyHex, key, "raw-words-swapped",
      bytes: stride(from: 0, to: 32, by: 4).flatMap { raw[$0..<$0 + 4].reversed() }),
    Planted(.bytesHex, "de ad be ef 00 01", "raw", hex: "deadbeef0001"),
  ]

  private static var raw: [UInt8] { [UInt8]("", hex: key) }
  private static var pairs: [String] { raw.map { [$0].hexadecimal } }
  private static func groups(of size: Int) -> [String] {
    stride(from: 0, to: key.count, by: size).map { start in
      String(key.dropFirst(start).prefix(size))
    }
  }
  private static func bits(_ number: Double) -> [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: number.bitPattern >> ($0 * 8)) }
  }

  @Test(arguments: rows)
  func `are found as they are stored`(planted: Planted) throws {
    let asField = ["real-be", "int64-be", "int64-le"].contains(planted.form)
    let before = asField ? [] : Array("value: ".utf8)
    let after = asField ? [] : Array(" \n".utf8)
    let seen = try Seen(
      before + planted.bytes + after, planted.kind, planted.value, asField: asField)
    #expect(seen.forms.contains(planted.form))
    var spoiled = planted.bytes
    spoiled[spoiled.count / 2] = spoiled[spoiled.count / 2] == 0x39 ? 0x38 : 0x39
    let clean = try Seen(before + spoiled + after, planted.kind, planted.value, asField: asField)
    #expect(!clean.forms.contains(planted.form))
  }

  @Test(arguments: [
    (Needle.Kind.number, "19840317", "id 719840317"), (.number, "19840317", "id 198403175"),
    (.number, "19840317", "550e8400-e29b-41d4-a716-446619840317"),
    (.number, "19840317", "19840317-e29b-41d4-a716-446655440000"),
    (.number, "1984", "550e8400-e29b-1984-a716-446655440000"),
    (.number, "198403171984", "550e8400-e29b-41d4-a716-198403171984"),
    (.number, "19840317", "v19840317"),
    (.number, "19840317", "12.19840317"), (.number, "19840317", "19840317.25"),
    (.number, "19840317", "0x19840317ab"), (.phone, "+8613800138123", "613800138123999"),
    (.phone, "+8613800138123", "0013800138123"), (.number, "1234", "12345"),
  ])
  func `are not seen inside longer ones`(kind: Needle.Kind, value: String, text: String) throws {
    #expect(try Seen(Array(text.utf8), kind, value).isNothing)
    #expect(try !Seen(Array("is \(value.drop { $0 == "+" }).".utf8), kind, value).isNothing)
  }

  @Test(arguments: [
    // A whole REAL in a column of texts.
    ("19840317", "19840317.0", true), ("19840317", "id 19840317.00;", true),
    ("19840317", "19840317.05", false), ("19840317", "19840317.0.1", false),
    // Values of a record stand beside each other without anything between them.
    ("6228480741936258", "Anna6228480741936258Berlin", true),
    ("6228480741936258", "Anna16228480741936258Berlin", false),
    ("6228480741936258", "Anna62284807419362581Berlin", false),
    ("198403171984", "Anna198403171984", false),
  ])
  func `are told from what stands beside them`(value: String, text: String, counts: Bool) throws {
    #expect(try Seen(Array(text.utf8), .number, value).isNothing != counts)
    let wide: [UInt8] = text.utf8.flatMap { [$0, 0] }
    #expect(try Seen(wide, .number, value).isNothing != counts)
  }

  @Test(arguments: [
    (Needle.Kind.text, "Ann"), (.text, "王"), (.number, "123"), (.number, "12x"), (.phone, "12345"),
    (.keyHex, "abcdef"), (.keyHex, "abcdefghij"), (.bytesHex, "0"), (.number, ""),
    (.passphrase, "abc"),
    (.number, "inf"), (.number, "nan"),
  ])
  func `and other values that cannot be looked for are refused, without being told`(
    kind: Needle.Kind, value: String
  ) {
    let error = #expect(throws: Engine.BuildError.self) { try Seen([], kind, value) }
    let text = (error?.problem ?? "") + (error?.remedy ?? "")
    #expect(text.contains("\"n\""))
    #expect(value.count < 3 || !text.contains(value))
  }
}

@Suite struct `Needles` {
  static let needle = Needle(id: "dob", kind: .date, value: "1984-03-17", note: "of the user")

  @Test func `never print their value`() {
    #expect("\(Self.needle)" == "needle dob")
    #expect(String(reflecting: Self.needle) == "needle dob")
    var text = ""
    dump(Self.needle, to: &text)
    dump([Self.needle], to: &text)
    dump(Optional(Self.needle), to: &text)
    #expect(text.contains("dob"))
    #expect(!text.contains("1984"))
  }

  @Test func `across the border of two searched windows are found once`() throws {
    let engine = try Engine(
      rules: [], needles: [Needle(id: "n", kind: .text, value: "Orchid-Zebra-42")])
    let searcher = Searcher(engine)
    for start in 40..<80 {
      let bytes =
        [UInt8](repeating: 0x2e, count: start) + Array("Orchid-Zebra-42".utf8)
        + [UInt8](repeating: 0x2e, count: 40)
      var ranges: [Range<Int>] = []
      for accepted in [0..<60, 60..<bytes.count] {
        var outcome = SearchOutcome()
        searcher.search(
          bytes.span.bytes, accepted: accepted, surroundings: Surroundings(), into: &outcome)
        ranges += outcome.sightings.map(\.range)
      }
      #expect(ranges == [start..<start + 15])
    }
  }

  @Test func `are masked where they are seen, and shown only when asked for`() throws {
    let bytes = Array("x Orchid-Zebra-42 y".utf8)
    let needle = Needle(id: "n", kind: .text, value: "Orchid-Zebra-42")
    var outcome = SearchOutcome()
    Searcher(try Engine(rules: [], needles: [needle])).search(
      bytes.span.bytes, surroundings: Surroundings(), into: &outcome)
    #expect(outcome.sightings.map(\.sample) == ["Or•••••••"])
    #expect(outcome.sightings.map(\.revealed) == [nil])
    outcome.removeAll()
    Searcher(try Engine(rules: [], needles: [needle], reveals: true)).search(
      bytes.span.bytes, surroundings: Surroundings(), into: &outcome)
    #expect(outcome.sightings.map(\.revealed) == ["Orchid-Zebra-42"])
  }
}

@Suite struct `Needle files` {
  @Test(arguments: [
    "- {id: a, kind: text, value: Orchid}\n- {id: b, kind: date, value: '1984-03-17', severity: low}\n",
    """
    [{"id": "a", "kind": "text", "value": "Orchid"},
     {"id": "b", "kind": "date", "value": "1984-03-17", "severity": "low"}]
    """,
  ])
  func `are lists in YAML or JSON`(text: String) throws {
    let needles = try NeedleFile.needles(in: text, path: "n.yaml")
    #expect(needles.map(\.id) == ["a", "b"])
    #expect(needles.map(\.kind) == [.text, .date])
    #expect(needles.map(\.value) == ["Orchid", "1984-03-17"])
    #expect(needles.map(\.severity) == [.high, .low])
  }

  @Test(arguments: [
    ("", "n.yaml:1:1: "), ("Hush-Value: 1\n", "n.yaml:1:1: "),
    ("- {id: a, kind: text, value: Hush-Value}\n- {id: a, kind: text, value: x}\n", "n.yaml:2:3: "),
    ("- {id: a, kind: secret, value: Hush-Value}\n", "n.yaml:1:17: "),
    ("- {id: a, kind: text, Hush-Value: 1}\n", "n.yaml:1:23: "),
    ("- {id: a, kind: text, value: ''}\n", "n.yaml:1:30: "),
    ("- {id: a, kind: text, value: [Hush-Value]}\n", "n.yaml:1:30: "),
    ("- {id: a, value: Hush-Value}\n", "n.yaml:1:3: "),
    ("- {id: a, kind: text, value: Hush-Value, severity: huge}\n", "n.yaml:1:52: "),
    ("- {id: a, kind: text, value: \"Hush-Value\n", "n.yaml:"),
    ("- Hush-Value\n", "n.yaml:1:3: "), ("- id: a\n\tHush-Value\n", "n.yaml:"),
  ])
  func `that are damaged are told by their place, never by a value`(text: String, place: String) {
    let error = #expect(throws: NeedleFileError.self) {
      try NeedleFile.needles(in: text, path: "n.yaml")
    }
    #expect(error?.problem.hasPrefix(place) == true)
    #expect(error?.problem.contains("Hush") == false)
  }
}
