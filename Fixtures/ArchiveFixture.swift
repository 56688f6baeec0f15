import CArchive

/// Archives and compressed streams for fixtures, written to memory by libarchive.
package enum ArchiveFixture {
  package enum Format: String, Sendable {
    case pax, ustar, gnutar, v7tar
    case sevenZip = "7zip"
    case cpio = "newc"
    case oldCpio = "odc"
    case ar = "arbsd"
    case xar
    case iso = "iso9660"
    case zip
    case raw
  }

  package struct Entry {
    package var name: String
    package var content: [UInt8]
    package var link: String?

    package init(_ name: String, _ content: String, link: String? = nil) {
      self.name = name
      self.content = Array(content.utf8)
      self.link = link
    }
  }

  /// The archive, or nothing where the library cannot write it. `options` in libarchive's words:
  /// `zip:compression=lzma`.
  package static func write(
    _ format: Format, filter: String? = nil, options: String? = nil, _ entries: [Entry]
  ) -> [UInt8]? {
    guard let archive = archive_write_new() else { return nil }
    defer { archive_write_free(archive) }
    guard archive_write_set_format_by_name(archive, format.rawValue) == ARCHIVE_OK else {
      return nil
    }
    if let filter, archive_write_add_filter_by_name(archive, filter) != ARCHIVE_OK { return nil }
    if let options, archive_write_set_options(archive, options) != ARCHIVE_OK { return nil }
    archive_write_set_bytes_in_last_block(archive, 1)
    let room = entries.reduce(4 << 20) { $0 + $1.content.count * 2 }
    var used = 0
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      guard archive_write_open_memory(archive, buffer.baseAddress, room, &used) == ARCHIVE_OK else {
        return
      }
      for entry in entries where !add(entry, to: archive) { return }
      if archive_write_close(archive) == ARCHIVE_OK { count = used }
    }.nilIfEmpty
  }

  private static func add(_ entry: Entry, to archive: OpaquePointer) -> Bool {
    guard let header = archive_entry_new() else { return false }
    defer { archive_entry_free(header) }
    archive_entry_set_pathname(header, entry.name)
    archive_entry_set_mode(header, (entry.link == nil ? 0o100000 : 0o120000) | 0o644)
    archive_entry_set_mtime(header, 1_700_000_000, 0)
    if let link = entry.link { archive_entry_set_symlink(header, link) }
    archive_entry_set_size(header, la_int64_t(entry.content.count))
    guard archive_write_header(archive, header) >= ARCHIVE_WARN else { return false }
    guard !entry.content.isEmpty else { return true }
    return entry.content.withUnsafeBytes {
      archive_write_data(archive, $0.baseAddress, $0.count) == entry.content.count
    }
  }
}

extension [UInt8] {
  fileprivate var nilIfEmpty: [UInt8]? { isEmpty ? nil : self }
}
