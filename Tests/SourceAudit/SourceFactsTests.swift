import Findings
import SourceAudit
import Testing

/// Source as text, and its facts in short.
enum Source {
  static func swift(_ text: String, path: String = "A.swift") -> [Fact] {
    SwiftAudit.audit(AuditInput(Array(text.utf8), name: "A.swift", path: path)) { _, _ in true }
      .facts
  }

  static func objectiveC(_ text: String) -> [Fact] {
    ObjectiveCAudit.audit(AuditInput(Array(text.utf8), name: "A.m", path: "A.m")) { _, _ in true }
      .facts
  }
}

extension [Fact] {
  func call(_ name: String) -> Fact? { first { $0.subject == .call && $0.name == name } }
  func declaration(_ name: String) -> Fact? {
    first { $0.subject == .declaration && $0.name == name }
  }
  func assignment(_ name: String) -> Fact? {
    first { $0.subject == .assignment && $0.name == name }
  }
}

@Suite struct `Swift source` {
  @Test func `states calls with their arguments, wherever lines break`() throws {
    let facts = Source.swift(
      """
      class Keeper {
        func save() {
          UserDefaults.standard
            .set(
              user.password,
              forKey: "p")
        }
      }
      """)
    let call = try #require(facts.call("UserDefaults.standard.set"))
    #expect(call.values["0"] == ["user.password"])
    #expect(call.values["0.names"] == ["password"])
    #expect(call.values["forKey"] == ["p"])
    #expect(call.values["type"] == ["UserDefaults"])
    #expect(call.values["function"] == ["save"])
    #expect(call.values["class"] == ["Keeper"])
    #expect(call.place.line == 3)
    #expect(call.place.context.symbol == "Keeper.save")
  }

  /// What an argument shows to whoever prints it.
  @Test(arguments: [
    ("password", ["password"]), ("self.password", ["password"]), ("user.password!", ["password"]),
    ("password.count", ["count"]), ("password.isEmpty", ["isEmpty"]),
    ("password == other", []), ("!password", []), ("password as Any", ["password"]),
    ("try? load(password)", ["load"]), ("hash(password)", ["hash"]),
    ("String(describing: password)", ["password"]), ("password.lowercased()", ["password"]),
    ("\"text \\(password)\"", ["password"]), ("\"password\"", []),
    ("\"a\" + password + \"b\"", ["password"]), ("flag ? password : pin", ["password", "pin"]),
    ("passwordField.text ?? \"\"", ["password"]), ("txtPassword.text!", ["Password"]),
    ("[password, pin]", ["password", "pin"]), ("dictionary[\"password\"]", ["password"]),
    ("defaults.string(forKey: \"password\")", ["password"]), ("{ password }", []),
    ("\\.password", []), ("$password", ["password"]),
  ])
  func `tells what an argument shows from what it merely mentions`(
    argument: String, names: [String]
  ) {
    let facts = Source.swift("func f() { g(\(argument)) }")
    #expect(facts.call("g")?.values["0.names"] == names)
  }

  @Test func `follows a dictionary through several statements`() throws {
    let facts = Source.swift(
      """
      func save(_ data: Data) {
        var query: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
        query[kSecValueData as String] = data
        let access = kSecAttrAccessibleAlways
        query[kSecAttrAccessible as String] = access
        let status = SecItemAdd(query as CFDictionary, nil)
      }
      """)
    let call = try #require(facts.call("SecItemAdd"))
    #expect(call.values["dictionary"] == ["known"])
    #expect(call.values["kSecClass"] == ["kSecClassGenericPassword"])
    #expect(call.values["kSecAttrAccessible"] == ["access", "kSecAttrAccessibleAlways"])
    #expect(call.values["result"] == ["used"])
  }

  @Test func `follows a dictionary into the function that makes it, and says when it cannot`() {
    let facts = Source.swift(
      """
      func base() -> [String: Any] {
        var query: [String: Any] = [kSecClass as String: kSecClassKey]
        if shared { query[kSecAttrAccessGroup as String] = group }
        return query
      }
      func save() { var query = base(); query[kSecValueData as String] = data; SecItemAdd(query as CFDictionary, nil) }
      func other(_ given: [String: Any]) { SecItemDelete(given as CFDictionary) }
      """)
    #expect(facts.call("SecItemAdd")?.values["kSecClass"] == ["kSecClassKey"])
    #expect(facts.call("SecItemAdd")?.values["kSecAttrAccessGroup"] == ["group"])
    #expect(facts.call("SecItemAdd")?.values["dictionary"] == ["known"])
    #expect(facts.call("SecItemAdd")?.values["result"] == ["unused"])
    #expect(facts.call("SecItemDelete")?.values["dictionary"] == ["partial"])
  }

  @Test(arguments: [
    ("#if DEBUG\nfunc f() { g() }\n#endif", ["debug"]),
    ("#if !DEBUG\n#else\nfunc f() { g() }\n#endif", ["debug"]),
    ("#if os(iOS)\nfunc f() { g() }\n#endif", nil),
    ("import XCTest\nfunc f() { g() }", ["test"]),
    ("struct V_Previews: PreviewProvider { static func f() { g() } }", ["preview"]),
    ("#Preview { g() }", ["preview"]), ("class MockStore { func f() { g() } }", ["mock"]),
    ("func f() { g() }", nil),
  ])
  func `knows code that does not ship`(text: String, scope: [String]?) {
    let known: Set = ["debug", "test", "preview", "mock"]
    let stated = Source.swift(text).call("g")?.values["scope"]?.filter(known.contains)
    #expect(stated ?? [] == scope ?? [])
  }

  @Test(arguments: [
    ("App/Sources/A.swift", []), ("AppTests/A.swift", ["test"]), ("App/ATests.swift", ["test"]),
    ("App/Mocks/A.swift", ["mock"]), ("Pods/X/A.swift", ["vendored"]),
    ("App/Preview Content/A.swift", ["preview"]), ("App/TestamentView.swift", []),
    ("App/Latest/A.swift", []), ("App.ipa!/Tests/A.swift", ["test"]),
  ])
  func `knows by its path what a file is for`(path: String, scope: [String]) {
    #expect(Source.swift("g()", path: path).call("g")?.values["scope"] ?? [] == scope)
  }

  @Test func `tells privacy in interpolations and formats`() {
    let facts = Source.swift(
      """
      func f() {
        logger.info("\\(name, privacy: .public) \\(token, privacy: .private) \\(other)")
        os_log("%{public}@ %@ %d %{private}d", log: log, type: .info, a, b, c, d)
      }
      """)
    let logger = facts.call("logger.info")?.values
    #expect(logger?["public.names"] == ["name"])
    #expect(logger?["private.names"] == ["token"])
    #expect(logger?["open.names"] == ["other"])
    let format = facts.call("os_log")?.values
    #expect(format?["public.names"] == ["a", "c"])
    #expect(format?["open.names"] == ["b"])
    #expect(format?["private.names"] == ["d"])
  }

  @Test func `knows what is done before, beside and with`() {
    let facts = Source.swift(
      """
      let key = "myencrytionkey"
      func f() throws {
        SecItemDelete(query)
        SecItemAdd(query)
        if status == errSecItemNotFound { later() }
        use(key.data(using: .utf8))
      }
      """)
    #expect(facts.call("SecItemAdd")?.values["earlier"]?.first == "SecItemDelete")
    #expect(facts.call("SecItemDelete")?.values["beside"]?.contains("later") == true)
    #expect(facts.call("SecItemAdd")?.values["mentions"] == ["errSecItemNotFound"])
    #expect(facts.declaration("key")?.values["used"] == ["data"])
    #expect(facts.declaration("key")?.values["value.kind"] == ["constant"])
  }

  @Test func `follows a log function of the same file`() {
    let facts = Source.swift(
      "func trace(_ text: String) { NSLog(\"%@\", text) }\nfunc f() { trace(secret) }")
    #expect(facts.call("trace→NSLog")?.values["0.names"] == ["secret"])
  }

  @Test func `takes a project's word for what logs`() {
    let input = AuditInput(
      Array("func f() { Tracer.note(secret) }".utf8), name: "A.swift", path: "A.swift",
      logFunctions: ["Tracer.note"])
    let facts = SwiftAudit.audit(input) { _, _ in false }.facts
    #expect(facts.call("Tracer.note→log")?.values["0.names"] == ["secret"])
  }

  @Test(arguments: [
    ("\"abc\".data(using: .utf8)!", "constant"), ("[UInt8](repeating: 0, count: 16)", "constant"),
    ("Data([1, 2, 3])", "constant"), ("Data(count: 16)", "call"), ("fixed", "constant"),
    ("Data(fixed.utf8)", "constant"), ("other", "name"), ("nil", "nil"),
    ("\"a\\(b)\"", "interpolated"),
  ])
  func `tells constants from values`(argument: String, kind: String) {
    let facts = Source.swift("let fixed = \"0123\"\nfunc f(_ other: Data) { g(\(argument)) }")
    #expect(facts.call("g")?.values["0.kind"] == [kind])
  }

  @Test func `that is damaged says from which line on`() {
    let audited = SwiftAudit.audit(
      AuditInput(
        Array("let a = 1\n\nfunc ( { g(password)\n".utf8), name: "A.swift", path: "A.swift")
    ) { _, _ in true }
    #expect(audited.damage?.line == 3)
    #expect(audited.facts.call("g") != nil)
    let sound = SwiftAudit.audit(
      AuditInput(Array("let a = 1".utf8), name: "A.swift", path: "A.swift")
    ) {
      _, _ in
      true
    }
    #expect(sound.damage == nil)
  }

  @Test func `nested without end is survived`() {
    let deep = String(repeating: "f([{ g(\"\\(", count: 2_000)
    let audited = SwiftAudit.audit(AuditInput(Array(deep.utf8), name: "A.swift", path: "A.swift")) {
      _, _ in
      true
    }
    #expect(audited.damage != nil)
    let long = "let a = " + String(repeating: "b + ", count: 20_000) + "c"
    _ = SwiftAudit.audit(AuditInput(Array(long.utf8), name: "A.swift", path: "A.swift")) { _, _ in
      true
    }
  }

  /// What becomes of the error of a call.
  @Test(arguments: [
    ("let a = try? open(b)", "optional"), ("let a = try! open(b)", "forced"),
    ("let a = try open(b)", "throws"), ("let a = (try? open(b)) ?? c", "optional"),
    ("guard let a = try? open(b) else { throw Damaged() }", "rethrown"),
    ("guard let a = try? open(b) else { return }", "optional"),
    ("guard f({ try? open(b) }) else { throw Damaged() }", "optional"),
  ])
  func `a call says what becomes of its error`(statement: String, kind: String) throws {
    let call = try #require(Source.swift("func f() { \(statement) }").call("open"))
    #expect(call.values["try"] == [kind])
  }

  @Test func `what an update looks for is not what it sets`() throws {
    let facts = Source.swift(
      """
      func f() {
        let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrAccessible: kSecAttrAccessibleAlways]
        SecItemUpdate(query as CFDictionary, [kSecAttrSynchronizable: true] as CFDictionary)
      }
      """)
    let values = try #require(facts.call("SecItemUpdate")).values
    #expect(values["kSecAttrAccessible"] == nil)
    #expect(values["query.kSecAttrAccessible"] == ["kSecAttrAccessibleAlways"])
    #expect(values["kSecClass"] == ["kSecClassKey"])
    #expect(values["kSecAttrSynchronizable"] == ["true"])
  }

  /// Names that tests have, and what else makes a file one.
  @Test(arguments: [
    ("SpeedTest.swift", "", false), ("TestFlight.swift", "", false), ("LensSpec.swift", "", false),
    ("LoginTest.swift", "import XCTest", true), ("TestLogin.swift", "@testable import App", true),
    ("_SharedTestUtilities/Keys.swift", "", true), ("TestSupport/Keys.swift", "", true),
    ("TestingKit/Keys.swift", "", true), ("TestimonialData/Keys.swift", "", false),
    ("TestFlightKeys/Keys.swift", "", false), ("LatestData/Keys.swift", "", false),
    ("LoginTests.swift", "", true), ("Tests/Login.swift", "", true), ("Testimony.swift", "", false),
  ])
  func `a file is a test by where it lies or what it imports`(
    path: String, text: String, isTest: Bool
  ) {
    #expect(SourceFile.ships(path, Array(text.utf8)) == !isTest)
  }
}
