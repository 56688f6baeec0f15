import Bytes
import Findings

/// A test of a fact that rule files name with `check:`, for what conditions cannot say.
package struct Predicate: Sendable {
  package let name: String
  let holds: @Sendable (Fact, Lexicon) -> Bool

  /// The tests there are; a rule file that names another is told these.
  package static let builtIn: [Predicate] = [unifiedLog, secretLiteral, GuessableHash.predicate]

  package static func named(_ name: String) -> Predicate? {
    builtIn.first { $0.name == name }
  }

  /// The call goes to the unified log, which hides texts and objects unless told otherwise
  /// (os_log(3)): `os_log`, and methods of a `Logger` where the file imports `os` and no other log.
  private static let unifiedLog = Predicate(name: "unified-log") { fact, _ in
    if fact.name.hasPrefix("os_log") { return true }
    guard fact.values["language"] == ["swift"] else { return false }
    if fact.values["public.names"] != nil || fact.values["private.names"] != nil { return true }
    let imports = fact.values["imports"] ?? []
    let isOther = imports.contains { otherLogs.contains($0) }
    if isOther { return false }
    let isUnified = imports.contains { $0 == "os" || $0 == "OSLog" || $0.hasPrefix("os.") }
    let type = fact.values["type"]?.first
    return type == "Logger" || type == "OSLog"
      ? isUnified || imports.isEmpty
      : isUnified && fact.name.lowercased().contains("log") && fact.name.contains(".")
  }

  private static let otherLogs: Set<String> = [
    "Logging", "CocoaLumberjack", "CocoaLumberjackSwift", "SwiftyBeaver", "XCGLogger", "Willow",
    "CleanroomLogger", "Puppy",
  ]

  /// A literal under `value` is a secret by its looks, or by what is done with it: turned into bytes.
  /// Names, paths, sentences, formats and placeholders are none.
  private static let secretLiteral = Predicate(name: "secret-literal") { fact, lexicon in
    guard fact.values["value.form"] == ["literal"], let text = fact.values["value"]?.last,
      text.utf8.count >= 6, !isPlain(text, named: fact.name)
    else { return false }
    let used = fact.values["used"] ?? []
    let isBytes = used.contains { ["data", "utf8", "bytes", "dataUsingEncoding"].contains($0) }
    return isBytes || looksRandom(text)
  }

  /// Text that is no secret: a name, a path, words, a format.
  private static func isPlain(_ text: String, named name: String) -> Bool {
    let signs = text.unicodeScalars
    if signs.contains(where: { $0 == " " || $0 == "%" || $0 == "<" || $0 == ">" || $0 == "{" }) {
      return true
    }
    if text.contains("://") || text.hasPrefix("/") || text.hasPrefix("com.") { return true }
    // Keys that are meant to be published: they name a project and open nothing.
    if text.hasPrefix("phc_") || text.hasPrefix("pk_") { return true }
    if text.contains(".") || text.contains("/") { return !looksRandom(text) }
    let words = Words(text).words
    let own = Set(Words(name).words)
    if words.allSatisfy({ own.contains($0) || $0 == "key" || $0 == "k" }) { return true }
    let lowered = text.lowercased()
    let bytes = Array(text.utf8)
    if Placeholder.covers(bytes.span.bytes) { return true }
    return lowered == name.lowercased() || lowered.contains("example") || lowered.contains("dummy")
  }

  /// Digits and letters mixed, or signs within: what people and machines choose for secrets.
  private static func looksRandom(_ text: String) -> Bool {
    let signs = text.unicodeScalars
    let digits = signs.count { $0.value >= 0x30 && $0.value <= 0x39 }
    let letters = signs.count { $0.properties.isAlphabetic }
    let lower = signs.count { $0.value >= 0x61 && $0.value <= 0x7a }
    let others = signs.count - digits - letters
    guard text.utf8.count >= 8, letters > 0 else { return false }
    // Names are words: some letters each. Random text changes its kind all the time.
    let words = Words(text).words.filter { $0.first?.isLetter ?? false }
    let isName = words.allSatisfy { $0.utf8.count >= 3 }
    if isName, others == 0 || digits == 0, digits <= 2 { return false }
    return digits >= 2 && digits < signs.count || others > 0 && digits > 0
      || lower > 0 && lower < letters && text.utf8.count >= 24
  }
}
