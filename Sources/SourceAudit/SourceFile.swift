import Formats

/// A source file as the audit sees it: where its lines start, and what kind of code its path says it is.
package struct SourceFile {
  let name: String
  let path: String
  /// What holds for all of it: `test`, `preview`, `mock`, `vendored`, `example`.
  let scope: Set<String>
  private let lineStarts: [Int]

  init(_ bytes: [UInt8], name: String, path: String) {
    self.name = name
    self.path = path
    scope = Self.scope(of: path, bytes)
    var starts = [0]
    for (index, byte) in bytes.enumerated() where byte == 0x0a { starts.append(index + 1) }
    lineStarts = starts
  }

  /// Line of an offset, from 1.
  func line(of offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// Conditions of compilation with one of these are not met where an app is built to ship.
  static let debugWords = ["DEBUG", "TESTING", "TRACE", "VERBOSE", "LOG_"]

  /// Whether anything in a file ships, judged by its path and what it names: it need not be parsed where
  /// only what ships counts.
  package static func ships(_ path: String, _ bytes: [UInt8]) -> Bool {
    scope(of: path, bytes).isDisjoint(with: ["test", "mock", "preview", "tooling"])
  }

  /// What a file of tests cannot do without.
  private static let testWords: [StaticString] = [
    "XCTest", "import Testing", "@testable", "SenTest", "import Quick",
  ]

  /// `SpeedTest.swift` and `TestFlight.swift` are called as tests are; those that ship name no library of
  /// tests.
  private static func isTest(_ stem: Substring, _ bytes: [UInt8]) -> Bool {
    if stem.hasSuffix("Tests") || stem.hasSuffix("TestCase") { return true }
    guard
      stem.hasSuffix("Test") || stem.hasSuffix("Spec")
        || stem.hasPrefix("Test") && stem.dropFirst(4).first?.isUppercase == true
    else { return false }
    return testWords.contains { bytes.span.bytes.firstOffset(of: $0, in: 0..<bytes.count) != nil }
  }

  /// `_SharedTestUtilities`, `TestSupport`: what tests share, by a word beside "Test".
  private static func isForTests(_ folder: Substring) -> Bool {
    guard let test = folder.firstRange(of: "Test") else { return false }
    var rest = folder[test.upperBound...]
    if rest.first == "s" || rest.hasPrefix("ing") {
      rest = rest.drop { $0.isLowercase }
    }
    guard rest.first?.isLowercase != true else { return false }
    let others = (folder[..<test.lowerBound] + rest).lowercased()
    return [
      "util", "helper", "support", "shared", "common", "data", "resource", "double", "kit", "plan",
    ].contains { others.contains($0) }
  }

  /// Code that does not ship, or is not the project's own, by where it lies and what it is called.
  static func scope(of path: String, _ bytes: [UInt8]) -> Set<String> {
    var scope: Set<String> = []
    let parts = path.split { $0 == "/" || $0 == "!" }
    for part in parts.dropLast() {
      let folder = part.lowercased()
      if part.hasSuffix("Tests") || part.hasSuffix("Test") || isForTests(part)
        || ["test", "tests", "testing", "testutils", "testhelpers", "testsupport"].contains(folder)
        || folder.hasSuffix("_tests") || folder.hasSuffix("-tests")
      {
        scope.insert("test")
      }
      if folder.hasSuffix("mocks") || folder.hasPrefix("mock") || folder == "stubs"
        || folder == "fakes" || folder == "fixtures"
      {
        scope.insert("mock")
      }
      if folder == "preview content" || folder == "previews" { scope.insert("preview") }
      if [
        "pods", "carthage", "checkouts", "vendor", "vendored", "third_party", "thirdparty",
        "third-party", "external", "submodules", "node_modules",
      ].contains(folder) {
        scope.insert("vendored")
      }
      if ["fastlane", "scripts", "danger", "tools"].contains(folder) { scope.insert("tooling") }
    }
    guard let last = parts.last, let stem = last.split(separator: ".").first else { return scope }
    if isTest(stem, bytes) { scope.insert("test") }
    if stem.hasPrefix("Mock") || stem.hasSuffix("Mock") || stem.hasSuffix("Mocks")
      || stem.hasPrefix("Stub") || stem.hasSuffix("Stub") || stem.hasPrefix("Fake")
      || stem.contains("Mock+") || stem.contains("+Mock")
    {
      scope.insert("mock")
    }
    if stem.hasSuffix("Previews") || stem.hasSuffix("_Preview") { scope.insert("preview") }
    if ["Package", "Dangerfile"].contains(stem) { scope.insert("tooling") }
    return scope
  }
}
