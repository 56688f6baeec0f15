import SecretBytes
import VaultKeys

extension Profile {
  /// Seals content into a file of its own and notes it in the database. The file is whole and durable
  /// before the database names it.
  /// - Parameter read: Gives the next bytes, at most as many as it is asked for; nothing at the end.
  @discardableResult
  public func attach(
    _ name: String, to message: Message.ID? = nil,
    read: @Sendable (Int) throws(VaultError) -> [UInt8]
  ) async throws(VaultError) -> Attachment.ID {
    guard isOpen else { throw .closed }
    let file = Random.bytes(16)
    let key = SecretBytes(randomCount: 32)
    let draft = layout.temporary + "/" + file.hexDigits
    let size: Int
    do throws(VaultError) {
      size = try seal(to: draft, file: file, key: key, read: read)
    } catch {
      try? Disk.remove(draft)
      throw error
    }
    let final = layout.attachments + "/" + file.hexDigits
    try onDisk { () throws(DiskFailure) in
      try Disk.sync(draft)
      try Disk.rename(draft, to: final)
      try Disk.syncFolder(layout.attachments)
    }
    let wrapped = Primitives.seal(
      key, key: attachmentKey,
      authenticating: AttachmentCipher.context(identifier, file: file))
    do throws(VaultError) {
      return try await write { transaction throws(VaultError) in
        try transaction.connection.statement(
          "INSERT INTO attachments(message, name, file, key, size) VALUES(?,?,?,?,?)"
        ).bind(
          message.map { .int($0.row) } ?? .null, .text(name), .blob(file), .blob(wrapped),
          .int(size)
        ).run()
        return Attachment.ID(row: transaction.connection.lastRowIdentifier)
      }
    } catch {
      try? Disk.remove(final)
      throw error
    }
  }

  private func seal(
    to path: String, file: [UInt8], key: borrowing SecretBytes,
    read: (Int) throws(VaultError) -> [UInt8]
  ) throws(VaultError) -> Int {
    var sealer = AttachmentSealer(
      key: key, context: AttachmentCipher.context(identifier, file: file))
    let header = sealer.header
    try onDisk { () throws(DiskFailure) in try Disk.write(header, to: path) }
    var offset = header.count
    var size = 0
    var piece = try Self.fill(read)
    while true {
      // The last piece is marked, so the next must be looked at first.
      let next = piece.count < AttachmentCipher.pieceCount ? [] : try Self.fill(read)
      let sealed = sealer.seal(piece, isLast: next.isEmpty)
      try onDisk { () throws(DiskFailure) in try Disk.write(sealed, to: path, at: offset) }
      offset += sealed.count
      size += piece.count
      if next.isEmpty { return size }
      piece = next
    }
  }

  private static func fill(
    _ read: (Int) throws(VaultError) -> [UInt8]
  ) throws(VaultError) -> [UInt8] {
    var piece: [UInt8] = []
    while piece.count < AttachmentCipher.pieceCount {
      let more = try read(AttachmentCipher.pieceCount - piece.count)
      if more.isEmpty { break }
      piece += more
    }
    return piece
  }

  /// Gives an attachment's content piece by piece. Each piece was authenticated; that none is missing
  /// at the end is known only when this returns.
  public func readAttachment(
    _ id: Attachment.ID, _ body: @Sendable ([UInt8]) throws(VaultError) -> Void
  ) async throws(VaultError) {
    let stored = try await read { transaction throws(VaultError) in
      try transaction.connection.statement("SELECT file, key FROM attachments WHERE id=?")
        .bind(.int(id.row)).first { StoredAttachment(file: $0.blob(0), key: $0.blob(1)) }
    }
    guard let stored else { throw .notFound }
    let context = AttachmentCipher.context(identifier, file: stored.file)
    let path = layout.attachments + "/" + stored.file.hexDigits
    guard Disk.size(path) != nil,
      let key = Primitives.open(stored.key, key: attachmentKey, authenticating: context)
    else { throw .attachmentDamaged }
    let header = try onDisk { () throws(DiskFailure) in
      try Disk.read(path, limit: AttachmentCipher.headerCount)
    }
    let started = AttachmentOpener.start(key: key, header: header, context: context)
    guard var opener = started else { throw .attachmentDamaged }
    var offset = header.count
    while !opener.isAtEnd {
      let sealed = try onDisk { () throws(DiskFailure) in
        try Disk.read(path, at: offset, limit: AttachmentCipher.sealedPieceCount)
      }
      guard let piece = opener.open(sealed) else { throw .attachmentDamaged }
      try body(piece)
      offset += sealed.count
    }
    guard Disk.size(path) == offset else { throw .attachmentDamaged }
  }

  /// The attachments, all of them or those of one message.
  public func attachments(
    of message: Message.ID? = nil
  ) async throws(VaultError) -> [Attachment] {
    try await read { transaction throws(VaultError) in
      try transaction.connection.statement(
        "SELECT id, name, size, message FROM attachments WHERE ?1 IS NULL OR message=?1 ORDER BY id"
      ).bind(message.map { .int($0.row) } ?? .null).rows {
        Attachment(
          id: Attachment.ID(row: $0.int64(0)), name: $0.text(1), size: $0.int(2),
          message: $0.isNull(3) ? nil : Message.ID(row: $0.int64(3)))
      }
    }
  }

  /// Deletes an attachment: its key first, then its file.
  public func deleteAttachment(_ id: Attachment.ID) async throws(VaultError) {
    let file = try await write { transaction throws(VaultError) in
      let file = try transaction.connection.statement("SELECT file FROM attachments WHERE id=?")
        .bind(.int(id.row)).first { $0.blob(0) }
      try transaction.connection.statement("DELETE FROM attachments WHERE id=?")
        .bind(.int(id.row)).run()
      return file
    }
    guard let file else { throw .notFound }
    try await checkpoint()
    try onDisk { () throws(DiskFailure) in
      try Disk.remove(layout.attachments + "/" + file.hexDigits)
      try Disk.syncFolder(layout.attachments)
    }
  }

  /// Removes sealed files that no attachment names: what a cut left before the database knew of them.
  public func removeUnnamedAttachments() async throws(VaultError) {
    let named = try await read { transaction throws(VaultError) in
      try transaction.connection.statement("SELECT file FROM attachments").rows {
        $0.blob(0).hexDigits
      }
    }
    try onDisk { () throws(DiskFailure) in
      for name in try Disk.names(in: layout.attachments) where !named.contains(name) {
        try Disk.remove(layout.attachments + "/" + name)
      }
    }
  }
}

private struct StoredAttachment: Sendable {
  let file: [UInt8]
  let key: [UInt8]
}
