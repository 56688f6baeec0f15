import CrashImages
import Testing

@Suite struct `A disk that loses its power` {
  private var start: DiskImage {
    var image = DiskImage()
    image.folders = ["/d", "/d/e"]
    image.files = ["/d/kept": [1, 2]]
    return image
  }

  /// What is left after these changes.
  private func left(
    _ changes: [FileChange], _ survival: Survival = .none, seed: UInt64 = 1
  ) -> DiskImage {
    var disk = UnsyncedDisk(start)
    for change in changes { disk.take(change) }
    return disk.afterPowerLoss(survival, seed: seed)
  }

  @Test func `keeps what it had, and loses what was not synced`() {
    #expect(left([]) == start)
    let write = FileChange.write("/d/kept", offset: 1, bytes: [9, 9])
    #expect(left([write]).files == ["/d/kept": [1, 2]])
    #expect(left([write], .all).files == ["/d/kept": [1, 9, 9]])
    #expect(left([write], .allTorn).files == ["/d/kept": [1, 9]])
    #expect(left([write, .sync("/d/kept")]).files == ["/d/kept": [1, 9, 9]])
    #expect(left([.truncate("/d/kept", count: 1), .sync("/d/kept")]).files == ["/d/kept": [1]])
    #expect(
      left([.extend("/d/kept", count: 4), .sync("/d/kept")]).files == ["/d/kept": [1, 2, 0, 0]])
  }

  @Test func `needs the sync of the file and of the folder for a new file`() {
    let made: [FileChange] = [.create("/d/new"), .write("/d/new", offset: 0, bytes: [7])]
    #expect(left(made + [.sync("/d/new")]).files["/d/new"] == nil)
    #expect(left(made + [.syncFolder("/d")]).files["/d/new"] == [])
    #expect(left(made + [.sync("/d/new"), .syncFolder("/d")]).files["/d/new"] == [7])
    #expect(left(made, .all).files["/d/new"] == [7])
  }

  /// A log is removed when a database closes, and made anew at the next opening.
  @Test func `keeps what was synced of a file whose name was another file's before`() {
    let anew: [FileChange] = [
      .remove("/d/kept"), .create("/d/kept"), .write("/d/kept", offset: 0, bytes: [5]),
      .sync("/d/kept"),
    ]
    #expect(left(anew).files == ["/d/kept": [1, 2]])
    #expect(left(anew, .all).files == ["/d/kept": [5]])
    #expect(left(anew + [.syncFolder("/d")]).files == ["/d/kept": [5]])
    // What is written to the new one does not reach the old one.
    #expect(
      left(Array(anew.dropLast()) + [.syncFolder("/d")]).files == ["/d/kept": []])
  }

  @Test func `moves a file with its content, and never shows it under both names`() {
    let moved: [FileChange] = [
      .create("/d/new"), .write("/d/new", offset: 0, bytes: [7]), .sync("/d/new"),
      .rename("/d/new", to: "/d/e/moved"),
    ]
    #expect(left(moved).files.keys.sorted() == ["/d/kept"])
    let synced = left(moved + [.syncFolder("/d/e"), .syncFolder("/d")])
    #expect(synced.files == ["/d/kept": [1, 2], "/d/e/moved": [7]])
    let over = left([.rename("/d/kept", to: "/d/e/over"), .syncFolder("/d/e")])
    #expect(over.files == ["/d/e/over": [1, 2]])
  }

  @Test func `moves a folder with everything in it`() {
    let changes: [FileChange] = [
      .makeFolder("/d/new"), .create("/d/new/a"), .write("/d/new/a", offset: 0, bytes: [7]),
      .sync("/d/new/a"), .syncFolder("/d/new"), .rename("/d/new", to: "/d/e/set"),
    ]
    #expect(left(changes) == start)
    let after = left(changes + [.syncFolder("/d/e")])
    #expect(after.folders == ["/d", "/d/e", "/d/e/set"])
    #expect(after.files == ["/d/kept": [1, 2], "/d/e/set/a": [7]])
    // What was written before the move and is synced after it is the same file.
    let late = left(
      [.makeFolder("/d/new"), .create("/d/new/a"), .write("/d/new/a", offset: 0, bytes: [7])]
        + [.rename("/d/new", to: "/d/e/set"), .sync("/d/e/set/a"), .syncFolder("/d/e/set")]
        + [.syncFolder("/d/e")])
    #expect(late.files["/d/e/set/a"] == [7])
  }

  @Test func `knows a second name for the same file`() {
    let changes: [FileChange] = [
      .link("/d/kept", to: "/d/e/second"), .syncFolder("/d/e"),
      .write("/d/e/second", offset: 0, bytes: [8]), .sync("/d/kept"),
    ]
    #expect(left(changes).files == ["/d/kept": [8, 2], "/d/e/second": [8, 2]])
  }

  @Test func `starts with nothing where a store is made in a folder outside of it`() {
    var disk = UnsyncedDisk(DiskImage())
    for change: FileChange in [
      .makeFolder("/x/store"), .syncFolder("/x"), .create("/x/store/a"),
      .write("/x/store/a", offset: 0, bytes: [3]), .sync("/x/store/a"), .syncFolder("/x/store"),
    ] { disk.take(change) }
    let image = disk.afterPowerLoss(.none, seed: 1)
    #expect(image.files == ["/x/store/a": [3]])
    #expect(image.folders == ["/x/store"])
  }

  @Test func `keeps what was removed, as it was last synced, for whoever undeletes it`() {
    var disk = UnsyncedDisk(start)
    #expect(disk.remains.isEmpty)
    disk.take(.write("/d/kept", offset: 0, bytes: [0, 0]))
    disk.take(.remove("/d/kept"))
    #expect(disk.remains.isEmpty)
    disk.take(.syncFolder("/d"))
    #expect(disk.remains == ["/d/kept": [1, 2]])
    var careful = UnsyncedDisk(start)
    for change: FileChange in [
      .write("/d/kept", offset: 0, bytes: [0, 0]), .sync("/d/kept"), .remove("/d/kept"),
      .syncFolder("/d"),
    ] { careful.take(change) }
    #expect(careful.remains == ["/d/kept": [0, 0]])
  }

  @Test(arguments: 1...50)
  func `keeps names in their order, whatever survives`(seed: Int) {
    let changes: [FileChange] = (1...6).map { .create("/d/\($0)") }
    let names = left(changes, .random, seed: UInt64(seed)).files.keys.filter { $0 != "/d/kept" }
    #expect(names.sorted() == (1...6).prefix(names.count).map { "/d/\($0)" })
  }
}
