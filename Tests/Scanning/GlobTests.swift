import Scanning
import Testing

@Suite struct `Globs` {
  @Test(arguments: [
    ("*.log", "a/b/app.log", true), ("*.log", "app.log.1", false), ("*.log", ".log", true),
    ("app.*", "x/app.log", true), ("a?c", "abc", true), ("a?c", "ac", false),
    ("a?c", "abbc", false),
    ("build", "build/x/y.o", true), ("build", "rebuild/x", false), (".git", "a/.git/config", true),
    ("a/*.log", "a/x.log", true), ("a/*.log", "a/b/x.log", false), ("a/**", "a/b/x.log", true),
    ("a/**/x.log", "a/b/c/x.log", true), ("a/**/x.log", "a/x.log", true),
    ("**/x.log", "x.log", true),
    ("**/x.log", "a/x.log", true), ("**/x.log", "a/yx.log", true), ("a/b", "a/b/c/d", true),
    ("a/b", "z/a/b", false), ("[a-c]x", "bx", true), ("[a-c]x", "dx", false),
    ("[!a-c]x", "dx", true),
    ("[^a-c]x", "bx", false), ("[]]x", "]x", true), ("[a", "[a", true), ("[a-]", "-", true),
    ("*", "anything", true), ("", "x", false), ("日*", "日本", true), ("a*b*c*d", "a1b2c3d", true),
    ("a*b*c*d", "a1b2c3", false), ("*a", "aaaa", true), ("a/*/c", "a/b/c", true),
    ("a/*/c", "a/b/b/c", false), ("a//b", "a/b", false), ("*.LOG", "a.log", false),
  ])
  func `match paths as their comment says`(pattern: String, path: String, matches: Bool) {
    #expect(Glob(pattern).matches(path) == matches)
  }

  @Test func `with many stars end`() {
    let glob = Glob(String(repeating: "*a", count: 60) + "b")
    #expect(!glob.matches(String(repeating: "a", count: 2_000)))
    #expect(
      Glob(String(repeating: "**/", count: 40) + "x").matches(
        String(repeating: "a/", count: 300) + "x"))
  }
}
