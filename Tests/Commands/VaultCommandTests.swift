import Commands
import Glibc
import Testing
import VaultKeys

/// `vestige vault …`, as a shell calls it.
@Suite(.serialized) struct `The vault command` {
  @Test func `creates, keeps, finds and erases`() async throws {
    let folder = "/tmp/vault-command.\(getpid())"
    defer { try? Disk.removeTree(folder) }
    #expect(await run(["create", folder], passwords: "one") == 0)
    #expect(await run(["create", folder], passwords: "one") == 1)
    #expect(await run(["unlock", folder], passwords: "one") == 0)
    #expect(await run(["unlock", folder], passwords: "two") == 1)
    #expect(await run(["passwd", folder], passwords: "one\ntwo") == 0)
    #expect(await run(["rotate", folder, "--master"], passwords: "two") == 0)
    #expect(await run(["search", folder, "word"], passwords: "two") == 0)
    #expect(await run(["decoy", folder], passwords: "two\nthree") == 0)
    #expect(await run(["unlock", folder], passwords: "three") == 0)
    #expect(await run(["erase", folder], passwords: "three") == 2)
    #expect(await run(["erase", folder, "--yes"], passwords: "three") == 0)
    #expect(await run(["unlock", folder], passwords: "three") == 1)
    #expect(await run(["unlock", folder], passwords: "two") == 0)
    #expect(await runVault(["format", folder, "--yes"]) == 0)
    #expect(!Disk.exists(folder))
  }

  @Test(arguments: [
    [], ["nonsense", "x"], ["list"], ["get", "/tmp", "1", "2"], ["list", "/tmp", "--limit", "x"],
    ["unlock", "/tmp", "--password", "secret"], ["unlock", "/tmp", "--unknown"],
    ["create", "/tmp/x", "--secrets", "nowhere"], ["format", "/tmp/nothing-here"],
  ])
  func `with a wrong command line says so with status 2`(arguments: [String]) async {
    #expect(await run(arguments, passwords: "one") == 2)
  }

  @Test(arguments: [
    "create", "unlock", "status", "put", "get", "list", "search", "delete", "attach", "rotate",
    "passwd", "decoy", "migrate", "erase", "format", "bench",
  ])
  func `explains itself`(command: String) async {
    #expect(await runVault([command, "--help"]) == 0)
  }

  /// Gives the passwords on a descriptor, one a line.
  private func run(_ arguments: [String], passwords: String) async -> Int32 {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return -1 }
    defer { close(ends[0]) }
    let text = Array((passwords + "\n").utf8)
    _ = write(ends[1], text, text.count)
    close(ends[1])
    guard !arguments.isEmpty else { return await runVault([]) }
    return await runVault(arguments + ["--password-fd", "\(ends[0])"])
  }
}
