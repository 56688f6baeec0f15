import Bytes

/// The terms that full-text indexes keep in blobs, prefix-compressed, so that no search over the raw
/// bytes shows them whole.
package enum FullText {
  package enum Version: Sendable {
    /// FTS3 and FTS4: tables `_segments` and `_segdir`.
    case fts3
    /// FTS5: table `_data`.
    case fts5
  }

  /// The terms of one blob, a line each; nothing where it holds none.
  package static func terms(in blob: RawSpan, version: Version) -> [UInt8]? {
    let terms =
      switch version {
      case .fts3: fts3Terms(blob)
      case .fts5: fts5Terms(blob)
      }
    return terms.isEmpty ? nil : terms
  }

  /// A leaf of FTS5 (fts5_index.c, "LEAF PAGES"):
  ///
  ///     u16     offset of the first rowid
  ///     u16     size of the content; the offsets of the terms follow it
  ///     terms   first: varint size, bytes; later ones: varint bytes kept, varint new bytes, bytes
  ///     varints offset of the first term, then the distance to each next one
  private static func fts5Terms(_ blob: RawSpan) -> [UInt8] {
    let size = Int(blob.short(at: 2))
    guard size >= 4, size < blob.byteCount else { return [] }
    var joined: [UInt8] = []
    var term: [UInt8] = []
    var place = size
    var offset = 0
    while place < blob.byteCount, let step = blob.varint(at: place), step.value <= 0xffff {
      place += step.count
      offset += Int(step.value)
      guard offset >= 4, offset < size else { break }
      var start = offset
      var kept = 0
      if !term.isEmpty {
        guard let prefix = blob.varint(at: start), prefix.value <= UInt64(term.count) else { break }
        kept = Int(prefix.value)
        start += prefix.count
      }
      guard let count = blob.varint(at: start), count.value <= UInt64(size) else { break }
      start += count.count
      guard let suffix = try? blob.bytes(at: start, count: Int(count.value)), start <= size else {
        break
      }
      term = Array(term.prefix(kept)) + suffix.copied()
      // The first byte names the index: 0 the main one, others those of prefixes.
      append(term.dropFirst(), to: &joined)
    }
    return joined
  }

  /// A node of FTS3 (fts3_write.c): height; for interior nodes the first child; then the first term
  /// whole, the others as prefix and suffix; in leaves a doclist follows each.
  private static func fts3Terms(_ blob: RawSpan) -> [UInt8] {
    var place = 0
    guard let height = littleVarint(blob, &place), height < 32 else { return [] }
    if height > 0 { _ = littleVarint(blob, &place) }
    var joined: [UInt8] = []
    var term: [UInt8] = []
    var isFirst = true
    while place < blob.byteCount {
      var kept = 0
      if !isFirst {
        guard let prefix = littleVarint(blob, &place), prefix <= term.count else { break }
        kept = prefix
      }
      isFirst = false
      guard let count = littleVarint(blob, &place), count > 0,
        let suffix = try? blob.bytes(at: place, count: count)
      else { break }
      place += count
      term = Array(term.prefix(kept)) + suffix.copied()
      append(term[...], to: &joined)
      if height == 0 {
        guard let size = littleVarint(blob, &place), size <= blob.byteCount - place else { break }
        place += size
      }
    }
    return joined
  }

  private static func append(_ term: ArraySlice<UInt8>, to joined: inout [UInt8]) {
    // Terms of a hostile blob could repeat a long prefix for ever: 4 MiB are more than any leaf holds.
    guard !term.isEmpty, joined.count < 4 << 20 else { return }
    if !joined.isEmpty { joined.append(0x0a) }
    joined.append(contentsOf: term)
  }

  /// FTS3 stores varints with the low bits first.
  private static func littleVarint(_ blob: RawSpan, _ place: inout Int) -> Int? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64, let byte = blob[at: place] {
      place += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value <= 0x7fff_ffff ? Int(value) : nil }
      shift += 7
    }
    return nil
  }
}

extension Schema {
  /// The kind of full-text index whose blobs a tree holds, told by its name and its virtual table.
  package func fullText(ofTree tree: Int) -> FullText.Version? {
    guard let entry = entry(ofTree: tree), entry.kind == .table else { return nil }
    let shadows: [(suffix: String, modules: [String], version: FullText.Version)] = [
      ("_data", ["fts5"], .fts5), ("_segments", ["fts3", "fts4"], .fts3),
      ("_segdir", ["fts3", "fts4"], .fts3),
    ]
    for shadow in shadows where entry.name.hasSuffix(shadow.suffix) {
      let base = entry.name.dropLast(shadow.suffix.count)
      let owner = entries.first { $0.name == base && $0.definition?.module != nil }
      if let module = owner?.definition?.module, shadow.modules.contains(module) {
        return shadow.version
      }
    }
    return nil
  }
}
