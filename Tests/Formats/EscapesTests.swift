import Bytes
import Findings
import Formats
import Testing

@Suite struct `Escapes` {
  /// The source text that `part` of the decoded text came from.
  private func source(of part: String, in decoded: DecodedBytes?, of text: String) -> String? {
    guard let decoded, let found = decoded.text.firstRange(of: part) else { return nil }
    let lower = decoded.text.utf8.distance(from: decoded.text.startIndex, to: found.lowerBound)
    guard let range = decoded.map.range(of: lower..<lower + part.utf8.count) else { return nil }
    return String(decoding: Array(text.utf8)[range.offset..<range.end], as: UTF8.self)
  }

  private func decode(_ text: String, _ decoder: (RawSpan) -> DecodedBytes?) -> DecodedBytes? {
    let bytes = Array(text.utf8)
    return decoder(bytes.span.bytes)
  }

  @Test(arguments: [
    ("a%20b", "a b"), ("%E4%B8%AD", "中"), ("%zz%41%", "%zzA%"), ("100%%41", "100%A"),
  ])
  func `percent escapes become their bytes`(text: String, expected: String) {
    #expect(decode(text, PercentEscapes.decode)?.text == expected)
  }

  @Test(arguments: [
    (#"a\"b\\c\/d"#, #"a"b\c/d"#), (#"\u4e2d\u6587"#, "中文"), (#"\ud83d\ude00"#, "😀"),
    (#"\ud83dx"#, "\u{FFFD}x"), (#"\xe4\xb8\xad"#, "中"), (#"\u{1F600}"#, "😀"), (#"\101\0"#, "A\0"),
    (#"\U0001F600"#, "😀"), (#"\q\n\u12"#, "\\q\n\\u12"), (#"\346\227\245x"#, "日x"),
    (#"\x{65E5}"#, "日"),
    // Beside escapes of characters \x is one, unless together they are UTF-8 already.
    (#"Dvo\u0159\xe1k"#, "Dvořák"), (#"\xe9\xe8 \u4e2d"#, "éè 中"), (#"\xe4\xb8\xad\u6587"#, "中文"),
  ])
  func `backslash escapes become their characters`(text: String, expected: String) {
    #expect(decode(text, BackslashEscapes.decode)?.text == expected)
  }

  @Test func `bytes alone stay bytes, of whatever encoding`() {
    let decoded = decode(#"\xd5\xc5\xc8\xfd"#, BackslashEscapes.decode)
    #expect(decoded?.bytes == [0xd5, 0xc5, 0xc8, 0xfd])
    let mixed = #"x\u0159\xe1k"#
    #expect(source(of: "á", in: decode(mixed, BackslashEscapes.decode), of: mixed) == #"\xe1"#)
  }

  @Test(arguments: [
    ("a=E4=B8=AD=\r\nb", "a中b"), ("soft=\nbreak", "softbreak"), ("soft= \t\nbreak", "softbreak"),
    ("=3D=", "=="), ("x=zz=41", "x=zzA"),
  ])
  func `quoted-printable loses its soft breaks`(text: String, expected: String) {
    #expect(decode(text, QuotedPrintable.decode)?.text == expected)
  }

  @Test(arguments: [
    ("a&amp;&lt;b", "a&<b"), ("&#x4e2d;&#65;", "中A"), ("&unknown;&quot;", "&unknown;\""),
    ("&#xFFFFFFFF;&gt;", "&#xFFFFFFFF;>"),
  ])
  func `character references become their characters`(text: String, expected: String) {
    #expect(decode(text, MarkupEntities.decode)?.text == expected)
  }

  @Test(arguments: [
    ("=?UTF-8?B?5byg5LiJ?=", "张三"), ("Re: =?utf-8?q?Zo=C3=AB_B?= x", "Re: Zoë B x"),
    ("=?ISO-8859-1?Q?Zo=EB?=", "Zoë"), ("=?gb2312?B?1cXI/Q==?=", "张三"),
    // A character divided among words, and words of different sets.
    ("=?UTF-8?Q?=E5=BC?=\r\n =?UTF-8?Q?=A0?= =?us-ascii?Q?b?=", "张b"),
    ("=?UTF-8*de?Q?a?= and =?x-none?Q?b?=", "a and b"), ("=?UTF-8?Q??=", ""),
  ])
  func `encoded words become their text`(text: String, expected: String) {
    #expect(decode(text, EncodedWords.decode)?.text == expected)
  }

  @Test(arguments: [
    ("a\u{1b}[31mb\u{1b}[0m", "ab"), ("\u{1b}[38;5;196mx", "x"),
    ("\u{1b}]8;;https://e.example\u{7}link\u{1b}]8;;\u{1b}\\!", "link!"), ("\u{1b}(Bx\u{1b}7", "x"),
    ("a\u{1b}[\nb\u{1b}[K", "a\u{1b}[\nb"),
  ])
  func `sequences of terminals leave no trace`(text: String, expected: String) {
    #expect(decode(text, TerminalSequences.decode)?.text == expected)
  }

  @Test(arguments: [
    "=?", "=?UTF-8", "=?UTF-8?", "=?UTF-8?B", "=?UTF-8?B?", "=?UTF-8?B?YQ==", "=?UTF-8?B?YQ==?",
    "=?UTF-8?X?YQ?=", "=??B?YQ?=", "=?UTF-8?Q?a b?=", "\u{1b}", "\u{1b}[", "\u{1b}[31", "\u{1b}]x",
  ])
  func `what is cut short or none is not decoded`(text: String) {
    #expect(decode(text, EncodedWords.decode) == nil)
    #expect(decode(text, TerminalSequences.decode) == nil)
  }

  @Test(arguments: ["plain", "", "100% sure", "a \\q", "a & b", "x = y", "%", "\\", "&;"])
  func `where there is nothing to decode there is nothing`(text: String) {
    #expect(decode(text, PercentEscapes.decode) == nil)
    #expect(decode(text, BackslashEscapes.decode) == nil)
    #expect(decode(text, QuotedPrintable.decode) == nil)
    #expect(decode(text, MarkupEntities.decode) == nil)
  }

  @Test func `every decoded byte names the bytes it came from`() {
    let percent = "id=%E4%B8%AD&next=1"
    #expect(source(of: "中", in: decode(percent, PercentEscapes.decode), of: percent) == "%E4%B8%AD")
    #expect(source(of: "next", in: decode(percent, PercentEscapes.decode), of: percent) == "next")
    let json = #"a\u4e2d\n\nb secret"#
    #expect(source(of: "中", in: decode(json, BackslashEscapes.decode), of: json) == #"\u4e2d"#)
    #expect(source(of: "secret", in: decode(json, BackslashEscapes.decode), of: json) == "secret")
    let mail = "sec=\r\nret=3D1"
    #expect(
      source(of: "secret", in: decode(mail, QuotedPrintable.decode), of: mail) == "sec=\r\nret")
    let word = "To: =?gbk?B?1cXI/Q==?= <a>"
    #expect(source(of: "三", in: decode(word, EncodedWords.decode), of: word) == "1cXI/Q")
    let log = "sec\u{1b}[1mret"
    #expect(source(of: "cr", in: decode(log, TerminalSequences.decode), of: log) == "c\u{1b}[1mr")
    let markup = "x&amp;y"
    #expect(source(of: "&y", in: decode(markup, MarkupEntities.decode), of: markup) == "&amp;y")
  }

  @Test func `base64 with line breaks keeps its places`() {
    let text = "c2Vj\n\tcmV0"
    let bytes = Array(text.utf8)
    let (decoded, isComplete) = Base64Text.decode(bytes.span.bytes)
    #expect(decoded.text == "secret")
    #expect(isComplete)
    #expect(source(of: "ret", in: decoded, of: text) == "cmV0")
  }

  @Test func `a map of many short runs stays small and honest`() throws {
    let text = String(repeating: "a%41", count: 200_000)
    let decoded = try #require(decode(text, PercentEscapes.decode))
    #expect(decoded.bytes.count == 400_000)
    for offset in [0, 1, 399_998, 399_999, 250_001] {
      let range = try #require(decoded.map.range(of: offset..<offset + 1))
      let exact = offset / 2 * 4 + offset % 2
      #expect(range.offset <= exact && exact < range.end, "offset \(offset): \(range)")
      #expect(range.length <= 32_768)
    }
  }
}
