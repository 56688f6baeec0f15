import Findings
import FixtureKit
import Inspection
import Languages
import Reporting
import SQLiteFormat
import Testing

@Suite struct `An inspection in Chinese` {
  private static let say = Phrasebook.simplifiedChinese
  /// Names of formats, which are the same in every language.
  private static let names: Set<String> = ["XML", "OpenStep", "SDK", "uid", ""]

  private static func isKnown(_ english: String) -> Bool {
    names.contains(english) || say.inspection(english) != english
  }

  /// A file of every kind that has sections of its own.
  private static func shown() throws -> [Inspected] {
    var shown: [Inspected] = []
    for settings in PlantedDatabase.settings.prefix(2) {
      shown.append(try Inspected("store.db", of: PlantedDatabase.deletedRows(settings).files))
      let log = try PlantedDatabase.log(settings).files
      shown += [try Inspected("store.db", of: log), try Inspected("store.db-wal", of: log)]
      for isHot in [true, false] {
        let files = try PlantedDatabase.journal(settings, isHot: isHot).files
        shown += try files.keys.sorted().map { try Inspected($0, of: files) }
      }
    }
    var program = MachOBuilder()
    program.sections = [.init("__TEXT", "__cstring", Array("harbour\0".utf8))]
    shown.append(try Inspected("Tidal", of: ["Tidal": program.bytes()]))
    let archive = ZipBuilder([ZipBuilder.Entry("m.txt", "text")]).bytes()
    shown.append(try Inspected("a.zip", of: ["a.zip": archive]))
    shown.append(
      try Inspected(
        "a.plist", of: ["a.plist": Array("<plist><dict><key>a</key><true/></dict></plist>".utf8)]))
    return shown
  }

  @Test func `calls every part of a file by a Chinese name`() throws {
    var words = 0
    for one in try Self.shown() {
      for section in one.inspection.sections {
        var asked = [section.title] + section.remarks + section.facts.map(\.label)
        asked += section.table?.columns.map(\.label) ?? []
        asked += section.layout?.runs.map(\.role) ?? []
        let values = section.facts.map(\.value) + (section.table?.rows.flatMap { $0 } ?? [])
        for case .word(let word) in values { asked.append(word) }
        words += asked.count
        for word in asked {
          #expect(Self.isKnown(word), "\(one.inspection.kind), \(section.key): \(word)")
        }
      }
    }
    #expect(words > 200)
  }

  @Test func `leaves no English sentence, and keeps to 80 columns`() throws {
    for one in try Self.shown() {
      var text = ""
      InspectionText(style: .plain, reveals: false, language: Self.say)
        .write(one.inspection, to: &text)
      let sentences = text.matches(of: #/[a-z]{2,} [a-z]{2,} [a-z]{2,}/#).map(\.0)
      #expect(sentences.isEmpty, "\(one.inspection.kind): \(sentences)")
      for line in text.split(separator: "\n") {
        let width = line.unicodeScalars.reduce(0) {
          $0 + ((0x2e80..<0xfff0).contains($1.value) ? 2 : 1)
        }
        #expect(width <= 80, "\(line)")
      }
      #expect(one.text().contains(#/[a-z]{2,}/#))
    }
  }

  @Test func `shows a statement's journal page by page`() throws {
    let page = try #require(PlantedDatabase.settings.first).pageSize
    let database = try PlantedDatabase.deletedRows(.init(pageSize: page)).files["store.db"] ?? []
    var journal: [UInt8] = []
    for number in 1..<min(4, database.count / page) {
      journal += [0, 0, 0, UInt8(number + 1)] + database[number * page..<(number + 1) * page]
    }
    let shown = try Inspected("etilqs_a1", of: ["etilqs_a1": journal])
    #expect(shown.inspection.kind == "sqlite-statement-journal")
    let count = journal.count / (page + 4)
    #expect(count > 1)
    #expect(shown.number("layout", "records") == count)
    #expect(shown.number("layout", "pageSize") == page)
    #expect(shown.text().contains("Pages as they lie"))
  }
}
