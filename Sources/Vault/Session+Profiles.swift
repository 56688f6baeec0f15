import SecretBytes
import VaultKeys

extension Session {
  /// The numbers of the space's profiles; 0 is the one that always exists.
  public func profileNumbers() throws(VaultError) -> [Int] {
    let layout = layout
    return try withSpace { space throws(VaultError) in
      (0..<Self.profileLimit).filter {
        $0 == 0 || Disk.exists(layout.profile(space.profileIdentifier($0)).folder)
      }
    }
  }

  /// Adds a profile with a database, keys and attachments of its own.
  public func addProfile() throws(VaultError) -> Int {
    let used = try profileNumbers()
    let list = profileList()
    guard let free = (0..<Self.profileLimit).first(where: { !used.contains($0) && !list[$0] })
    else {
      throw .limit("a space has at most \(Self.profileLimit) profiles")
    }
    let maker = ProfileMaker(layout: layout, vfs: vault.vfs)
    try withSpace { space throws(VaultError) in try maker.make(free, of: space, next: nil) }
    note(profile: free, exists: true)
    return free
  }

  /// Opens a profile, or gives the one that is open already.
  /// - Parameter readers: How many transactions can read at the same time as one writes.
  public func openProfile(_ number: Int = 0, readers: Int = 2) async throws(VaultError) -> Profile {
    // Others can be opening or closing the same profile while this waits.
    while let known = profiles[number] {
      if known.isOpen { return known }
      try? await known.close()
      if profiles[number] === known { profiles[number] = nil }
    }
    if let others = opening[number] { return try await others.value.get() }
    let task = Task { await self.open(number, readers: readers) }
    opening[number] = task
    let result = await task.value
    opening[number] = nil
    return try result.get()
  }

  private func open(_ number: Int, readers: Int) async -> Result<Profile, VaultError> {
    do throws(VaultError) {
      let profile = try connect(number, readers: readers)
      guard space != nil else {
        try await profile.close()
        throw .closed
      }
      profiles[number] = profile
      return .success(profile)
    } catch {
      return .failure(error)
    }
  }

  private func connect(_ number: Int, readers: Int) throws(VaultError) -> Profile {
    let files = try ringFile(number)
    let opening = try opening(files)
    let attachmentKey = try attachmentKey(files)
    // Opening writes the index of the log: on a full disk not even reading could begin, nor deleting.
    let connection = try Ballast.makingRoom(in: layout) { () throws(VaultError) in
      try opening.connect()
    }
    let writer = Database(connection, at: opening.path)
    try cleanUp(files)
    let others = (0..<readers).map { _ in Database(openingLater: opening.forReading()) }
    return Profile(
      layout: files.layout, vault: layout, writer: writer, readers: others,
      attachmentKey: attachmentKey)
  }

  private func isListed(_ number: Int) -> Bool {
    (0..<Self.profileLimit).contains(number) && profileList()[number]
  }

  /// The key file of a profile, with what is wrong with it.
  func ringFile(_ number: Int) throws(VaultError) -> RingFile {
    let layout = layout
    return try withSpace { space throws(VaultError) in
      let identifier = space.profileIdentifier(number)
      let files = layout.profile(identifier)
      guard Disk.exists(files.folder) else {
        guard number == 0 || isListed(number) else { throw .noSuchProfile(number) }
        throw .storeMissing(profile: identifier)
      }
      guard Disk.exists(files.keys) else { throw .orphanStore(profile: identifier) }
      return try RingFile(
        reading: files, with: ItemSealer(space: space, profile: identifier))
    }
  }

  func sealer(for files: RingFile) throws(VaultError) -> ItemSealer {
    try withSpace { space throws(VaultError) in
      ItemSealer(space: space, profile: files.layout.identifier)
    }
  }

  func opening(_ files: RingFile) throws(VaultError) -> DatabaseOpening {
    let sealer = try sealer(for: files)
    let raw = try mapping { () throws(KeyError) in
      try files.ring.secret(.database, with: sealer)
    }
    guard let key = KeySpecification(raw: raw) else { throw .key(.itemRefused(.database)) }
    return DatabaseOpening(
      layout: files.layout, manifest: files.ring.manifest, key: key, vfs: vault.vfs)
  }

  private func attachmentKey(_ files: RingFile) throws(VaultError) -> SecretBytes {
    let sealer = try sealer(for: files)
    return try mapping { () throws(KeyError) in
      try files.ring.secret(.attachments, with: sealer)
    }
  }

  /// Removes what an interrupted rotation left, once the database that counts has opened.
  func cleanUp(_ files: RingFile) throws(VaultError) {
    let layout = files.layout
    let generation = files.ring.manifest.fileGeneration
    try onDisk { () throws(DiskFailure) in
      let leftovers = try layout.leftovers(besides: generation)
      for name in leftovers { try Disk.remove(layout.folder + "/" + name) }
      let temporary = try Disk.names(in: layout.temporary)
      for name in temporary { try Disk.remove(layout.temporary + "/" + name) }
      if !leftovers.isEmpty { try Disk.syncFolder(layout.folder) }
    }
  }
}
