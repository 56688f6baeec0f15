import Findings
import Foundation
import Languages
import RulePacks
import Testing
import YAML

@Suite struct `The Chinese catalogue` {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func catalogue() throws -> Catalogue { try .builtIn(.simplifiedChinese) }

  private static func isChinese(_ text: String) -> Bool {
    text.unicodeScalars.contains { (0x4e00...0x9fff).contains($0.value) }
  }

  @Test func `says every sentence once, and says it in Chinese`() throws {
    let catalogue = try Self.catalogue()
    for entries in [
      catalogue.phrases, catalogue.errors, catalogue.titles, catalogue.page, catalogue.help,
      catalogue.inspection, catalogue.proof,
    ] {
      #expect(Set(entries.map(\.english)).count == entries.count)
      for entry in entries {
        let hasHole = entry.english.contains("{")
        #expect(
          hasHole || Self.isChinese(entry.translation)
            || [
              ": ", ", ", "; ", "XML", "OpenStep", "SDK", "UID", "uid", "UUID", "uuid", "URI",
              "uri",
            ]
            .contains(entry.english), "\(entry.english)")
      }
    }
  }

  @Test func `has the title of every rule, and what it says to do`() throws {
    let say = Phrasebook.simplifiedChinese
    for file in RulePacks.files {
      let root = try #require(try YAMLParser.parse(file.text))
      guard case .mapping(let fields) = root.value else { continue }
      for name in ["title", "remedy"] {
        let text = try #require(fields.first { $0.key == name }).value.text()
        let translated = say.title(text)
        #expect(translated != text || Self.isChinese(text), "\(file.path): \(text)")
        // A remedy that ends without a full stop was cut off, by a # that YAML took for a comment.
        #expect(name == "title" || text.hasSuffix("."), "\(file.path): \(text)")
      }
    }
  }

  /// What checks say of one place (`message`), and why they saw nothing to decide on (`nothing`).
  @Test func `has every sentence that a rule says`() throws {
    let say = Phrasebook.simplifiedChinese
    var asked = 0
    func look(_ node: YAMLNode, _ file: String) throws {
      switch node.value {
      case .mapping(let entries):
        for entry in entries where entry.key != "examples" {
          if ["message", "nothing"].contains(entry.key),
            case .scalar(let text, _) = entry.value.value
          {
            asked += 1
            #expect(say.title(text) != text, "\(file): \(text)")
          } else {
            try look(entry.value, file)
          }
        }
      case .sequence(let nodes): for node in nodes { try look(node, file) }
      case .scalar: break
      }
    }
    for file in RulePacks.files {
      if let root = try YAMLParser.parse(file.text) { try look(root, file.path) }
    }
    #expect(asked > 100)
  }

  /// The words that a script of the page asks for: `t('…')`.
  @Test func `has every word of the HTML report's scripts`() throws {
    let folder = Self.root.appendingPathComponent("Sources/Reporting/Page")
    let known = Set(try Self.catalogue().page.map(\.english))
    var asked: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    where file.pathExtension == "js" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: #/\bt\('((?:[^'\\]|\\.)*)'/#) {
        asked.insert(String(match.1).replacing("\\'", with: "'"))
      }
    }
    #expect(asked.count > 50)
    #expect(asked.subtracting(known).isEmpty, "\(asked.subtracting(known).sorted())")
  }

  /// The words that a report's sources ask for: `say("…")`.
  @Test func `has every word of the reports`() throws {
    let folder = Self.root.appendingPathComponent("Sources/Reporting")
    let files = try #require(FileManager.default.subpaths(atPath: folder.path))
    let catalogue = try Self.catalogue()
    let known = Set((catalogue.phrases + catalogue.page).map(\.english))
    var asked: Set<String> = []
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for match in text.matches(of: #/\bsay\(\s*"((?:[^"\\]|\\.)*)"/#) {
        let words = String(match.1).replacing("\\\"", with: "\"")
        if !words.contains("\\(") { asked.insert(words) }
      }
    }
    #expect(asked.count > 20)
    #expect(asked.subtracting(known).isEmpty, "\(asked.subtracting(known).sorted())")
  }

  @Test(arguments: [
    ("OpenAI API key", "OpenAI API 密钥"), ("Chinese mobile number", "中国大陆手机号码"),
    ("GitLab personal access token", "GitLab 个人访问令牌"),
    ("A name nobody knows", "A name nobody knows"),
    (
      "Revoke it in the xAI console. Issue a new one and keep it in a secret store, out of files that ship or sync.",
      "立即吊销（xAI 控制台），重新签发并存入密钥管理服务，不要放入随应用分发或会被同步的文件。"
    ),
  ])
  func `names rules and says what to do`(english: String, chinese: String) {
    #expect(Phrasebook.simplifiedChinese.title(english) == chinese)
  }

  @Test func `leaves a person's own words alone`() {
    let say = Phrasebook.simplifiedChinese
    #expect(say.whole("a test's token") == "a test's token")
    #expect(say("a test's token") == "a test's token")
    #expect(
      say.whole("inside ciphertext that a given key opens")
        != "inside ciphertext that a given key opens")
  }

  @Test(arguments: [
    ("byte 45100+4 and 1 more", "字节 45100+4，另有 1 处"), ("3 files", "3 个文件"),
    ("nested deeper than 16 levels: not looked into", "嵌套超过 16 层：未继续深入"),
    ("member a in b.txt of the zip archive is encrypted", "zip 归档的成员 a in b.txt 已加密"),
    (
      "protected value \"dob\" as iso in deleted bytes of table person, column born",
      "表 person 的列 born 的已删除字节中存在明文保护值“dob”（形式 iso）"
    ),
  ])
  func `reads as it should`(english: String, chinese: String) {
    #expect(Phrasebook.simplifiedChinese(english) == chinese)
  }
}

@Suite struct `The standards` {
  @Test func `are read, with each control once`() throws {
    let standards = try StandardFile.builtIn()
    #expect(standards.map(\.id).prefix(2) == ["masvs", "mastg"])
    let ids = standards.flatMap { $0.controls.map(\.id) }
    #expect(Set(ids).count == ids.count)
    #expect(standards.first?.controls.count == 24)
  }

  @Test func `name no control that is not there`() throws {
    let standards = try StandardFile.builtIn()
    let ids = Set(standards.flatMap { $0.controls.map(\.id) })
    for control in standards.flatMap(\.controls) {
      #expect(ids.isSuperset(of: control.through), "\(control.id)")
      #expect(!control.through.contains(control.id))
    }
  }

  @Test func `hold every control that a rule names`() throws {
    let ids = Set(try StandardFile.builtIn().flatMap { $0.controls.map(\.id) })
    var named: Set<String> = Set(ControlOutcomes.ofNeedles)
    for file in RulePacks.files {
      guard let line = file.text.split(separator: "\n").first(where: { $0.hasPrefix("controls:") })
      else { continue }
      for name in line.matches(of: #/[A-Z][A-Za-z0-9]*-[A-Za-z0-9.-]+/#) {
        named.insert(String(name.0))
      }
    }
    #expect(named.subtracting(ids).isEmpty, "\(named.subtracting(ids).sorted())")
  }
}
