import FixtureKit
import Foundation
import SecretBytes
import Testing
import Vault
import VaultKeys

/// `vestige inspect`, as a shell calls it.
@Suite struct `The inspect command` {
  @Test func `verifies every sealed value of a store and names the damaged ones`() async throws {
    let folder = try TemporaryFolder()
    var raw = (0..<32).map { UInt8($0 * 7 & 255) }
    let hex = raw.map { String(Int($0) + 0x100, radix: 16).suffix(2) }.joined()
    let key = SecretBytes(wiping: &raw)
    let store = try SealedRecordStore(path: folder["store.sqlite"], key: key, creating: true)
    for row in 1...9 {
      try await store.add(
        .init(user: "u\(row)", created: 1, type: "kind"), birth: ["city": "Orchid-Zebra-42"],
        result: [row])
    }
    try await store.close()
    let whole = try inspect(folder, hex)
    #expect(whole["sealed"]?.contains { $0["open"] as? Int == 9 } == true)
    #expect(whole["damagedValues"] == nil)

    // A sync that breaks bytes: the first sealed value of the file is changed in place.
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder["store.sqlite"]))
    let place = try #require(bytes.range(of: Data("kind".utf8), options: .backwards))
    bytes[place.upperBound + 30] ^= 1
    try bytes.write(to: URL(fileURLWithPath: folder["store.sqlite"]))
    let broken = try inspect(folder, hex)
    let damaged = try #require(broken["damagedValues"])
    #expect(damaged.count == 1)
    #expect(damaged[0]["problem"] as? String == "not authentic")
    #expect((damaged[0]["column"] as? String)?.hasPrefix("ZENCRYPTED") == true)

    let other = try inspect(folder, String(repeating: "0f", count: 32))
    #expect(other["damagedValues"] == nil)
    #expect(other["sealed"]?.allSatisfy { $0["open"] as? Int == 0 } == true)
  }

  private func inspect(
    _ folder: TemporaryFolder, _ hex: String
  ) throws -> [String: [[String: Any]]] {
    let run = try CommandLineRun(
      ["inspect", folder["store.sqlite"], "--key", "hex=env:KEY", "--json"],
      environment: ["KEY": hex])
    #expect(run.status == 0)
    #expect(!run.output.contains(hex) && !run.output.contains("Orchid"))
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let sections = json?["sections"] as? [String: [String: Any]] ?? [:]
    return sections.compactMapValues { $0["rows"] as? [[String: Any]] }
  }

  @Test func `ends with 2 where there is nothing to inspect, with 3 where not all could be read`()
    throws
  {
    let folder = try TemporaryFolder()
    #expect(try CommandLineRun(["inspect"]).status == 2)
    #expect(try CommandLineRun(["inspect", folder["none"]]).status == 2)
    #expect(try CommandLineRun(["inspect", folder.path]).errors.contains("directory"))
    try folder.write("a.gz", "\u{1f}x")
    try folder.write("b.plist", "<?xml version=\"1.0\"?><plist><dict><key>a</key>")
    #expect(try CommandLineRun(["inspect", folder["b.plist"]]).status == 3)
    #expect(try CommandLineRun(["inspect", folder["b.plist"], "c"]).status == 2)
    let salt = try CommandLineRun(["inspect", folder["a.gz"], "--key", "salt=00"])
    #expect(salt.errors.contains("salt must have 32 hexadecimal digits"))
  }
}
