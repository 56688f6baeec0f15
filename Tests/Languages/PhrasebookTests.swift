import Findings
import Languages
import Testing

@Suite struct `A phrasebook` {
  private static func book(_ yaml: String) throws -> Phrasebook {
    Phrasebook(.simplifiedChinese, try Catalogue(yaml: yaml))
  }

  @Test func `translates whole sentences and sentences with holes`() throws {
    let say = try Self.book(
      """
      phrases:
        "Passed": "通过"
        "{} files, {}": "{} 个文件，{}"
        "{t} in {t}": "{2}中的{1}"
        "line {}": "第 {} 行"
      titles:
        "{} API key": "{} API 密钥"
      errors:
        "{} must be {}": "{} 必须是 {}"
      """)
    #expect(say("Passed") == "通过")
    #expect(say("{} files, {}", "3", "4 KiB") == "3 个文件，4 KiB")
    #expect(say("3 files, 4 KiB") == "3 个文件，4 KiB")
    #expect(say("line 3 in line 12") == "第 12 行中的第 3 行")
    #expect(say.title("OpenAI API key") == "OpenAI API 密钥")
    #expect(say("OpenAI API key") == "OpenAI API key")
    #expect(say.error("--jobs must be 1") == "--jobs 必须是 1")
    #expect(say("--jobs must be 1") == "--jobs must be 1")
    #expect(say("nobody knows this") == "nobody knows this")
  }

  @Test func `takes what stands in a hole as it is`() throws {
    let say = try Self.book("phrases: {\"member {}\": \"成员 {}\", \"gone\": \"没了\"}")
    #expect(say("member gone") == "成员 gone")
    #expect(say("member {}") == "成员 {}")
    #expect(say("member ") == "member ")
  }

  @Test(arguments: ["", "x", "phrases: [a]", "other: {}", "phrases: {\"a\": \"{}\"}"])
  func `refuses a damaged catalogue`(yaml: String) {
    #expect(throws: (any Error).self) { try Catalogue(yaml: yaml) }
  }

  @Test func `leaves English alone`() {
    #expect(Phrasebook.english("Findings") == "Findings")
    #expect(Phrasebook.english("{} files", "2") == "2 files")
    #expect(Phrasebook.simplifiedChinese("Findings") == "发现")
  }

  @Test(arguments: [
    ("zh_CN.UTF-8", Language.simplifiedChinese), ("zh-Hans", .simplifiedChinese),
    ("zh", .simplifiedChinese),
    ("zh_SG", .simplifiedChinese), ("zh_TW.UTF-8", .english), ("zh-Hant", .english),
    ("zh_HK", .english), ("C", .english),
    ("", .english), ("en_GB.UTF-8", .english), ("de_CH", .english),
  ])
  func `is chosen by the locale`(locale: String, language: Language) {
    #expect(Language(locale: locale) == language)
  }
}
