import Findings
import Testing

/// Every function starts from what encloses it, however much that is.
@Suite struct `Variables of a scope` {
  /// More than one scope keeps.
  private static let many = 5_000

  private func swift(_ properties: Int, _ function: String) -> [Fact] {
    Source.swift(
      "class A {\n" + (0..<properties).map { "  var p\($0) = \($0)\n" }.joined() + function + "\n}")
  }

  @Test(arguments: [0, many])
  func `a function's own are known among any number of properties`(properties: Int) {
    let facts = swift(properties, "  func f() { let key = \"fixed\"; g(key) }")
    #expect(facts.call("g")?.values["0.kind"] == ["constant"])
  }

  @Test(arguments: [0, many])
  func `a method's own are known among any number of definitions`(definitions: Int) {
    let facts = Source.objectiveC(
      (0..<definitions).map { "#define P\($0) @\"\($0)\"\n" }.joined()
        + "@implementation A\n- (void)f { NSString *key = @\"fixed\"; g(key); }\n@end\n")
    #expect(facts.call("g")?.values["0.kind"] == ["constant"])
  }

  @Test func `an inner function sees what encloses it, and that not what is in it`() {
    let facts = Source.swift(
      """
      func outer() {
        let one = "first"
        func inner(given: Data) {
          let two = "second"
          a(one)
          b(two)
          let one = given
          c(one)
        }
        d(one)
        e(two)
      }
      """)
    let known = ["a", "b", "c", "d", "e"].map { facts.call($0)?.values["0.kind"] }
    #expect(known == [["constant"], ["constant"], ["name"], ["constant"], ["name"]])
  }
}
