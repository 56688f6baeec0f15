import Findings
import Foundation
import Reporting
import Testing

@Suite struct `The CASE report` {
  private static func graph(_ report: Report) throws -> [[String: Any]] {
    let object = try JSONSerialization.jsonObject(with: Data(CASEReport().render(report).utf8))
    let document = try #require(object as? [String: Any])
    #expect(document["@context"] is [String: String])
    return try #require(document["@graph"] as? [[String: Any]])
  }

  private static func nodes(_ type: String, in graph: [[String: Any]]) -> [[String: Any]] {
    graph.filter { $0["@type"] as? String == type }
  }

  @Test func `has each file once, each range once, and a note on every finding`() throws {
    let graph = try Self.graph(.sample)
    #expect(Self.nodes("uco-observable:File", in: graph).count == 4)
    #expect(Self.nodes("uco-core:Annotation", in: graph).count == 4)
    #expect(Self.nodes("uco-observable:ObservableRelationship", in: graph).count == 4)
    #expect(Self.nodes("case-investigation:InvestigativeAction", in: graph).count == 1)
    let ids = graph.compactMap { $0["@id"] as? String }
    #expect(Set(ids).count == graph.count)
  }

  @Test func `points at nothing that is not there`() throws {
    let graph = try Self.graph(.sample)
    let ids = Set(graph.compactMap { $0["@id"] as? String })
    for node in graph {
      for (key, value) in node where key != "uco-core:hasFacet" {
        let links = (value as? [[String: Any]] ?? [value as? [String: Any] ?? [:]])
        for case let id as String in links.map({ $0["@id"] as Any }) {
          #expect(ids.contains(id), "\(key) \(id)")
        }
      }
    }
  }

  @Test(arguments: hostileTexts)
  func `keeps any text and stays JSON`(text: String) throws {
    #expect(try Self.graph(.hostile(text)).count > 5)
  }
}

@Suite struct `The DFXML report` {
  @Test func `has each file with its hash, and findings inside their file`() throws {
    let text = DFXMLReport().render(.sample)
    #expect(text.components(separatedBy: "<fileobject>").count == 5)
    #expect(text.contains("<hashdigest type=\"sha256\">\(String(repeating: "ab", count: 32))</"))
    let start = try #require(text.range(of: "<filename>store.sqlite</filename>"))
    #expect(text[start.upperBound...].contains("file_offset=\"45100\" len=\"4\""))
    #expect(text.contains("<vestige:unread code=\"format.encrypted\""))
  }

  @Test(arguments: hostileTexts)
  func `takes no text for markup`(text: String) {
    let written = DFXMLReport().render(.hostile(text))
    let plain = DFXMLReport().render(.hostile("x"))
    #expect(written.count { $0 == "<" } == plain.count { $0 == "<" })
    #expect(written.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
  }
}
