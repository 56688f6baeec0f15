import FixtureKit
import Foundation
import Testing

/// Code that keeps secrets seldom calls the keychain where it decides on the class: a helper of another
/// file does.
@Suite struct `Helpers around the keychain` {
  private static let helper = """
    import Security
    final class KeychainStore {
      static let shared = KeychainStore()
      func query(_ account: String) -> [String: Any] {
        var query: [String: Any] = [kSecAttrAccount as String: account]
        query[kSecAttrAccessible as String] = CLASS
        return query
      }
      func store(_ data: Data, access: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly) -> OSStatus {
        var query: [CFString: Any] = [kSecValueData: data]
        query[kSecAttrAccessible] = access
        return SecItemAdd(query as CFDictionary, nil)
      }
      func add(_ attributes: [CFString: Any]) -> OSStatus {
        SecItemAdd(attributes as CFDictionary, nil)
      }
      func find(_ account: String, access: CFString) -> Data? { nil }
    }
    """
  private static let use = """
    func one() -> OSStatus { KeychainStore.shared.store(data, access: CLASS) }
    func two() -> OSStatus {
      let keychain = KeychainStore()
      return keychain.add([kSecValueData: data, kSecAttrAccessible: CLASS])
    }
    func three() -> OSStatus {
      var query = KeychainStore.shared.query("a")
      query[kSecValueData as String] = data
      return SecItemAdd(query as CFDictionary, nil)
    }
    func four() -> OSStatus { KeychainStore.shared.store(data) }
    func five() -> Data? { KeychainStore.shared.find("a", access: CLASS) }
    func six() -> OSStatus { Elsewhere.shared.store(data, access: CLASS) }

    """
  private static let objectiveC = """
    @implementation Saver
    + (BOOL)save {
      return [Box keep:data access:(__bridge id)CLASS];
    }
    @end

    """
  private static let objectiveCHelper = """
    @implementation Box
    + (BOOL)keep:(NSData *)data access:(id)access {
      NSDictionary *item = @{(__bridge id)kSecAttrAccessible: access, (__bridge id)kSecValueData: data};
      return SecItemAdd((__bridge CFDictionaryRef)item, NULL) == errSecSuccess;
    }
    @end

    """

  /// The lines of what callers are told.
  private func lines(class name: String) throws -> [String] {
    let folder = try TemporaryFolder()
    for (file, text) in [
      ("Helper.swift", Self.helper), ("Use.swift", Self.use), ("Saver.m", Self.objectiveC),
      ("Box.m", Self.objectiveCHelper),
    ] {
      try folder.write(file, text.replacing("CLASS", with: name))
    }
    let report = folder["report.json"]
    let run = try CommandLineRun([
      "check", folder["."], "--include", "*.swift", "--include", "*.m", "--report",
      "json=" + report, "--quiet",
    ])
    #expect(run.errors.isEmpty)
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: report)))
        as? [String: Any])
    let findings = try #require(json["findings"] as? [[String: Any]])
    return findings.filter { $0["rule"] as? String == "masvs.keychain-always" }.map {
      "\($0["path"] ?? "") \($0["line"] ?? 0)"
    }
  }

  @Test func `are followed into other files`() throws {
    #expect(
      try lines(class: "kSecAttrAccessibleAlways")
        == ["Saver.m 3", "Use.swift 1", "Use.swift 4", "Use.swift 9"])
    #expect(try lines(class: "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly") == [])
  }
}
