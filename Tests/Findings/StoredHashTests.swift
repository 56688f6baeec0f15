import Findings
import Testing

@Suite struct `Hash of an input` {
  @Test(arguments: [
    nil, String(repeating: "0f", count: 32), String(repeating: "AB", count: 32), "", "not known",
    String(repeating: "zz", count: 32),
  ])
  func `comes out as it was put in`(text: String?) {
    var input = InputRecord(path: "a", bytes: 1, sha256: text, kind: "data", encrypted: .no)
    #expect(input.sha256 == text && input.isHashed == (text != nil))
    input.sha256 = nil
    #expect(input.sha256 == nil && !input.isHashed)
  }

  @Test func `is the same from bytes and from digits`() {
    let bytes = (0..<32).map { UInt8($0 * 8) }
    var made = InputRecord(path: "a", bytes: 1, sha256: nil, kind: "data", encrypted: .no)
    made.setHash(bytes)
    let digits = made.sha256
    #expect(digits?.hasPrefix("0008101820") == true && digits?.utf8.count == 64)
    #expect(
      made == InputRecord(path: "a", bytes: 1, sha256: digits, kind: "data", encrypted: .no))
  }

  @Test func `a record of an input is small`() {
    #expect(MemoryLayout<InputRecord>.stride <= 112)
  }
}
