import Findings
import FixtureKit
import Foundation
import RuleEngine
import Scanning
import Testing

@Suite struct `Mail messages` {
  private func report(_ bytes: [UInt8], _ value: String = Leak.text) async throws -> Report {
    let folder = try TemporaryFolder()
    try folder.write("a.eml", bytes: bytes)
    return try await folder.scan(needles: [Needle(id: "leak", kind: .text, value: value)])
  }

  private static let header = """
    From: A <a@example.org>
    To: B <b@example.org>
    Subject: =?UTF-8?Q?Hello?=
    MIME-Version: 1.0
    Content-Type: multipart/mixed;
     boundary="=_limit_1"

    This is a message in parts.

    """

  private static func part(_ encoding: String, _ body: String, type: String = "text/plain")
    -> String
  {
    """
    --=_limit_1
    Content-Type: \(type); name="inner.bin"
    Content-Transfer-Encoding: \(encoding)

    \(body)

    """
  }

  private static func message(_ parts: String...) -> [UInt8] {
    Array((header + parts.joined() + "--=_limit_1--\nepilogue\n").utf8)
  }

  @Test func `a part in base64 is a file of its own, whatever its bytes`() async throws {
    let zip = ZipBuilder([
      ZipBuilder.Entry("notes.txt", String(repeating: "filler ", count: 99) + Leak.text)
    ]).bytes()
    let body = Base64Fixture.encoded(zip, width: 76)
    let report = try await report(
      Self.message(Self.part("7bit", "nothing"), Self.part("base64", body)))
    let found = try #require(report.findings.first)
    #expect(report.findings.count == 1)
    #expect(found.locator.contains("/part/2/inner.bin!/notes.txt"))
  }

  @Test func `text in base64 and an encoding of its own is read`() async throws {
    // 王明月 in GB 18030 between ASCII.
    let text =
      Array("Dear ".utf8) + [0xcd, 0xf5, 0xc3, 0xf7, 0xd4, 0xc2] + Array(", hello\r\n".utf8)
    let body = Base64Fixture.encoded([0xc4, 0xe3, 0xba, 0xc3, 0x2c] + text + text, width: 76)
    let message = Self.message(Self.part("BASE64", body, type: "text/plain; charset=gb18030"))
    #expect(!(try await report(message, "王明月").findings.isEmpty))
    #expect(try await report(message, "王明日").findings.isEmpty)
  }

  @Test func `quoted-printable is read without a soft line break, too`() async throws {
    let message = Self.message(Self.part("quoted-printable", "=4Frchid=2DZebra-4=32"))
    #expect(try await report(message).findings.map(\.form) == ["utf8"])
  }

  @Test(arguments: [
    "=?UTF-8?B?546L5piO?= =?UTF-8?B?5pyI?=", "=?gb2312?Q?=CD=F5=C3?= =?gb2312?Q?=F7=D4=C2?=",
    "=?utf-8?q?=E7=8E=8B=E6=98=8E=E6?=\n =?utf-8?q?=9C=88?=",
  ])
  func `a header in encoded words is read`(subject: String) async throws {
    let text = "Subject: \(subject)\nFrom: a@example.org\nContent-Type: text/plain\n\nHello\n"
    let found = try await report(Array(text.utf8), "王明月").findings
    #expect(found.map(\.locator) == ["a.eml!/encoded-word/0"])
    #expect(found.first?.line == 1)
    #expect(try await report(Array(text.utf8), "王明日").findings.isEmpty)
  }

  @Test func `every message of a mailbox is read`() async throws {
    let one = Self.message(Self.part("quoted-printable", "=4Frchid=2DZebra-4=32"))
    let mailbox = (0..<3).flatMap { _ in
      Array("From a@example.org Mon Jan  1 00:00:00 2024\n".utf8) + one
    }
    #expect(try await report(mailbox).findings.count == 3)
  }

  @Test func `cut short anywhere is read as far as it goes`() async throws {
    let body = Base64Fixture.encoded(Array("It is Orchid-Zebra-42, they said.".utf8), width: 76)
    let message = Self.message(Self.part("base64", body))
    let end = try #require(message.firstOffset(of: body)) + body.utf8.count
    for length in 0..<message.count {
      let report = try await report(Array(message.prefix(length)))
      if length >= end { #expect(report.findings.count == 1) }
    }
  }
}
