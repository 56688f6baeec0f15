import Findings
import FixtureKit
import Glibc
import RuleEngine
import Scanning
import Testing

@Suite struct `Walking` {
  @Test func `opens no pipe and no socket, and says so`() async throws {
    let folder = try TemporaryFolder()
    folder.makePipe("pipe")
    folder.makeSocket("socket")
    try folder.write("leak.txt", "x \(Leak.text)")
    let report = try await folder.scan()
    #expect(report.codes == [.walkSpecial, .walkSpecial])
    #expect(report.diagnostics.map(\.path) == ["pipe", "socket"])
    #expect(report.paths == ["leak.txt"])
    #expect(report.run.status == 1)
    #expect(try await folder.scan { $0.allowed = [.walkSpecial] }.run.status == 1)
  }

  @Test func `of a pipe alone is incomplete, whatever is allowed`() async throws {
    let folder = try TemporaryFolder()
    folder.makePipe("pipe")
    #expect(try await folder.scan().run.status == 3)
    #expect(try await folder.scan { $0.allowed = [.walkSpecial] }.run.status == 3)
    #expect(try await folder.scan { $0.paths = [folder["pipe"]] }.codes == [.walkSpecial])
  }

  @Test func `follows no link out of the root, and ends where links go round`() async throws {
    let outside = try TemporaryFolder()
    try outside.write("far.txt", Leak.text)
    let folder = try TemporaryFolder()
    try folder.write("sub/near.txt", Leak.text)
    folder.link("out", to: outside.path)
    folder.link("out.txt", to: outside["far.txt"])
    folder.link("sub/up", to: "..")
    folder.link("a", to: "b")
    folder.link("b", to: "a")
    folder.link("again.txt", to: "sub/near.txt")
    folder.link("gone", to: "nowhere")
    let report = try await folder.scan()
    #expect(report.paths == ["sub/near.txt"])
    #expect(
      report.diagnostics.map { "\($0.code.rawValue) \($0.path)" }.sorted() == [
        "walk.symlink out", "walk.symlink out.txt",
      ])
    #expect(try await outside.scan().paths == ["far.txt"])
  }

  @Test(arguments: [
    [".", "sub"], ["sub", "."], [".", "sub/leak.txt"], ["sub/leak.txt", "sub", "."],
    [".", "./sub/"],
    [".", "link"],
  ])
  func `meets a file once, however many of the paths lead to it`(paths: [String]) async throws {
    let folder = try TemporaryFolder()
    try folder.write("sub/leak.txt", "x \(Leak.text)")
    try folder.write("other.txt", "clean")
    folder.link("link", to: "sub")
    let report = try await folder.scan { $0.paths = paths.map { folder[$0] } }
    #expect(report.findings.count == 1)
    #expect(report.inputs.count == 2)
    // Paths beside each other are not taken for one in the other.
    try folder.write("sub2/leak.txt", "x \(Leak.text)")
    let beside = try await folder.scan { $0.paths = [folder["sub"], folder["sub2"]] }
    #expect(beside.findings.count == 2)
  }

  @Test func `takes a link that is named as what it points to`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("real/leak.txt", Leak.text)
    folder.link("named", to: "real")
    folder.link("file", to: "real/leak.txt")
    #expect(try await folder.scan { $0.paths = [folder["named"]] }.paths == ["leak.txt"])
    #expect(try await folder.scan { $0.paths = [folder["file"]] }.findings.count == 1)
  }

  @Test(.disabled(if: getuid() == 0, "a privileged user may read everything"))
  func `says which file and folder it may not read`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("closed/leak.txt", Leak.text)
    try folder.write("closed.txt", Leak.text)
    try folder.write("open.txt", "nothing")
    chmod(folder["closed"], 0)
    chmod(folder["closed.txt"], 0)
    let report = try await folder.scan()
    #expect(report.codes == [.walkUnreadable, .readPermission])
    #expect(report.run.status == 3)
  }

  @Test func `scans a file it could open but not read to the end as incomplete`() async throws {
    // Memory of a process: opening succeeds, reading at 0 fails.
    var options = ScanOptions()
    options.paths = ["/proc/self/mem"]
    options.needles = [Leak.needle]
    let report = try await Scanner(options).scan()
    #expect(report.run.status == 3)
  }

  @Test(
    arguments: [
      (Array("caf".utf8) + [0xe9] + Array(".txt".utf8), "caf%E9.txt"), (Array("-rf".utf8), "-rf"),
      (Array("two\nlines".utf8), "two%0Alines"), (Array("名 前".utf8), "名 前"),
      ([0xff, 0xfe], "%FF%FE"), (Array("\u{1b}[31mred".utf8), "%1B[31mred"),
      (Array("a b'\"$".utf8), "a b'\"$"),
      (Array("--".utf8), "--"), (Array("*".utf8), "*"),
      ([UInt8](repeating: 0x61, count: 255), String(repeating: "a", count: 255)),
    ] as [([UInt8], String)])
  func `takes any name and prints it harmlessly`(name: [UInt8], shown: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(name: name, bytes: Array("x \(Leak.text)".utf8))
    let report = try await folder.scan()
    #expect(report.paths == [shown])
    #expect(report.inputs.map(\.path) == [shown])
    #expect(report.diagnostics.isEmpty)
  }

  @Test func `reads a file with two names once and lists both`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("one.txt", Leak.text)
    folder.hardLink("two.txt", to: "one.txt")
    let report = try await folder.scan()
    #expect(report.paths == ["one.txt"])
    #expect(report.inputs.map(\.path) == ["one.txt", "two.txt"])
    #expect(report.inputs[0].sha256 != nil)
    #expect(report.inputs[0].sha256 == report.inputs[1].sha256)
    #expect(report.inputs[1].kind == "hard-link")
    #expect(report.scope.files == 1)
  }

  @Test func `keeps to what is included and leaves out what is excluded`() async throws {
    let folder = try TemporaryFolder()
    for name in ["a.log", "b.txt", "sub/c.log", ".git/d.log", "sub/deep/e.log"] {
      try folder.write(name, Leak.text)
    }
    let all = try await folder.scan()
    #expect(all.paths == [".git/d.log", "a.log", "b.txt", "sub/c.log", "sub/deep/e.log"])
    let logs = try await folder.scan { $0.include = [Glob("*.log")] }
    #expect(logs.paths == [".git/d.log", "a.log", "sub/c.log", "sub/deep/e.log"])
    let some = try await folder.scan {
      $0.include = [Glob("*.log")]
      $0.exclude = [Glob(".git"), Glob("sub/deep/**")]
    }
    #expect(some.paths == ["a.log", "sub/c.log"])
    let none = try await folder.scan { $0.include = [Glob("*.none")] }
    #expect(none.run.status == 3)
  }

  @Test func `names files by their root where there are several`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a/x.txt", Leak.text)
    try folder.write("b/x.txt", Leak.text)
    let report = try await folder.scan { $0.paths = [folder["a"], folder["b"], folder["a"]] }
    #expect(report.paths == [folder["a/x.txt"], folder["b/x.txt"]])
  }

  @Test func `does not start where a path is missing`() async throws {
    let folder = try TemporaryFolder()
    await #expect(throws: Scanner.StartError.self) {
      try await folder.scan { $0.paths = [folder.path, folder["none"]] }
    }
  }

  @Test func `of an empty folder is never clean`() async throws {
    let folder = try TemporaryFolder()
    let empty = try await folder.scan()
    #expect(empty.run.status == 3)
    #expect(empty.scope.files == 0)
    try folder.write("a.txt", "")
    let read = try await folder.scan()
    #expect(read.run.status == 0)
    #expect(read.inputs.map(\.kind) == ["empty"])
  }
}
