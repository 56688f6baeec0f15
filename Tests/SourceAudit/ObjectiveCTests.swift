import Findings
import SourceAudit
import Testing

@Suite struct `Objective-C source` {
  static let sample = """
    #import <Foundation/Foundation.h>
    #define kKey @"0123456789abcdef"
    #define MYLOG(...) NSLog(__VA_ARGS__)
    // NSLog(@"%@", commented);
    @implementation Keeper
    - (void)save:(NSString *)value with:(int)count {
      NSMutableDictionary *query = [NSMutableDictionary dictionary];
      [query setObject:(__bridge id)kSecClassKey forKey:(__bridge id)kSecClass];
      query[(__bridge id)kSecAttrAccessible] = (__bridge id)kSecAttrAccessibleAlways;
      OSStatus status = SecItemAdd((__bridge CFDictionaryRef)query, NULL);
      [[NSUserDefaults standardUserDefaults] setObject:self.password
                                                forKey:@"p"];
      SecItemDelete((__bridge CFDictionaryRef)@{(__bridge id)kSecClass: (__bridge id)kSecClassKey});
      NSLog(@"a" @"b %@ /* not */", passwordField.text);
      MYLOG(@"%@", token);
      dispatch_async(queue, ^{ [store keep:value error:nil]; });
      if (count == 1 && [value length] > 2) { CCCrypt(0, 1, 2, kKey, 16, NULL, a, b, c, d, &e); }
    #ifdef DEBUG
      printf("%s", secret);
    #else
      puts(secret);
    #endif
    }
    @end
    """

  private static let facts = Source.objectiveC(sample)

  @Test func `states messages and calls with their arguments`() throws {
    let set = try #require(Self.facts.call("NSUserDefaults.standardUserDefaults.setObject"))
    #expect(set.values["0.names"] == ["password"])
    #expect(set.values["forKey"] == ["p"])
    #expect(set.values["type"] == ["NSUserDefaults"])
    #expect(set.place.line == 11)
    #expect(set.place.context.symbol == "Keeper.save")
    #expect(Self.facts.call("store.keep")?.values["error.kind"] == ["nil"])
    #expect(Self.facts.call("NSLog")?.values["0"] == ["ab %@ /* not */"])
    #expect(Self.facts.call("NSLog")?.values["1.names"] == ["password"])
  }

  @Test func `follows dictionaries`() {
    let add = Self.facts.call("SecItemAdd")?.values
    #expect(add?["kSecClass"] == ["kSecClassKey"])
    #expect(add?["kSecAttrAccessible"] == ["kSecAttrAccessibleAlways"])
    #expect(add?["dictionary"] == ["known"])
    #expect(add?["result"] == ["used"])
    #expect(Self.facts.call("SecItemDelete")?.values["kSecClass"] == ["kSecClassKey"])
    #expect(Self.facts.call("SecItemDelete")?.values["result"] == ["unused"])
  }

  @Test func `is not deceived by comments, and knows macros and debug builds`() {
    #expect(!Self.facts.contains { $0.values["arguments.names"]?.contains("commented") == true })
    #expect(Self.facts.call("MYLOG→NSLog")?.values["1.names"] == ["token"])
    #expect(Self.facts.call("CCCrypt")?.values["3.kind"] == ["constant"])
    #expect(Self.facts.call("CCCrypt")?.values["5.kind"] == ["nil"])
    #expect(Self.facts.call("printf")?.values["scope"] == ["debug"])
    #expect(Self.facts.call("puts")?.values["scope"] == nil)
    #expect(Self.facts.call("puts")?.values["imports"] == ["Foundation/Foundation"])
  }

  @Test func `what a block of C declares is not called`() {
    let facts = Source.objectiveC(
      """
      #ifdef __cplusplus
      extern "C" {
      #endif
      int sqlite3_rekey(sqlite3 *db, const void *key, int count);
      namespace store {
      int sqlite3_key(sqlite3 *db, const void *key, int count);
      }
      static void change(sqlite3 *db) { sqlite3_rekey_v2(db, "main", key, 32); }
      }
      """)
    #expect(facts.filter { $0.subject == .call }.map(\.name) == ["sqlite3_rekey_v2"])
  }

  @Test(arguments: Array(stride(from: 0, through: sample.utf8.count, by: 7)))
  func `cut short anywhere is survived`(length: Int) {
    let bytes = Array(Self.sample.utf8.prefix(length))
    _ = ObjectiveCAudit.audit(AuditInput(bytes, name: "A.m", path: "A.m")) { _, _ in true }
    _ = SwiftAudit.audit(AuditInput(bytes, name: "A.swift", path: "A.swift")) { _, _ in true }
  }

  @Test(arguments: [
    "[", "(", "{", "@{", "@[", "^{", "[a b:", "a?", "\"", "@", "#if DEBUG\n", "/*", "-(",
  ])
  func `nested without end is survived`(opening: String) {
    let text = "- (void)f { " + String(repeating: opening, count: 5_000)
    _ = Source.objectiveC(text)
    _ = Source.objectiveC(String(repeating: opening, count: 5_000))
  }

  /// What a file keeps of its logs where it ships, and the calls that are left.
  @Test(arguments: [
    ("DDLogLevelWarning", ["DDLogError", "DDLogWarn"]),
    ("DDLogLevelInfo", ["DDLogError", "DDLogWarn", "DDLogInfo"]),
    ("LOG_LEVEL_OFF", []),
    ("DDLogLevelAll", ["DDLogError", "DDLogWarn", "DDLogInfo", "DDLogVerbose"]),
    ("levelOfTheApp", ["DDLogError", "DDLogWarn", "DDLogInfo", "DDLogVerbose"]),
  ])
  func `logs below the level of a file are those of a debug build`(level: String, kept: [String]) {
    let facts = Source.objectiveC(
      """
      #ifdef DEBUG
      static const DDLogLevel ddLogLevel = DDLogLevelVerbose;
      #else
      static const DDLogLevel ddLogLevel = \(level);
      #endif
      - (void)f {
        DDLogError(@"%@", a); DDLogWarn(@"%@", a); DDLogInfo(@"%@", a); DDLogVerbose(@"%@", a);
      }
      """)
    let shipped = facts.filter { $0.subject == .call && $0.values["scope"] == nil }.map(\.name)
    #expect(shipped == kept)
  }

  @Test func `a level for debug builds alone silences nothing`() {
    let facts = Source.objectiveC(
      """
      #ifdef DEBUG
      static const DDLogLevel ddLogLevel = DDLogLevelError;
      #endif
      - (void)f { DDLogInfo(@"%@", a); }
      """)
    #expect(facts.call("DDLogInfo")?.values["scope"] == nil)
  }
}
