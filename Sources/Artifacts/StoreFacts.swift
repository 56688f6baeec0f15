import Bytes
import Findings
import Formats
import SQLiteFormat

/// What databases of iOS itself say of an app's data, told by their tables: the keychain, the manifest of
/// a backup, the cache of HTTP responses.
struct StoreFacts {
  let database: Database
  var prefix: [String] = []

  private static let mostRows = 200_000

  func state(into sink: inout some FragmentSink) {
    if sink.wants(.keychainItem) { stateKeychain(into: &sink) }
    if sink.wants(.file) { stateBackup(into: &sink) }
    if sink.wants(.record) { stateCache(into: &sink) }
  }

  private func has(_ table: String, columns: [String]) -> Bool {
    guard let tree = database.tree(ofTable: table), let entry = database.schema.entry(ofTree: tree)
    else { return false }
    let known = Set(entry.columns.map { $0.lowercased() })
    return columns.allSatisfy(known.contains)
  }

  private func place(of row: TableRow, table: String) -> Place {
    var context = Context()
    context.table = table
    context.rowid = row.rowid
    context.page = Int(row.page)
    let start = database.pages.store.sourceOffset(of: row.page)
    let piece = start.map {
      Piece(offset: 0, source: $0 + row.range.lowerBound, count: row.range.count)
    }
    return Place(
      steps: prefix + ["page", String(row.page), "cell", String(row.cell + 1)], context: context,
      origin: piece.map { .pieces([$0]) } ?? .transformed)
  }

  // MARK: Keychain

  private static let classes = [
    ("genp", "generic-password"), ("inet", "internet-password"), ("keys", "key"),
    ("cert", "certificate"),
  ]

  private func stateKeychain(into sink: inout some FragmentSink) {
    guard has("genp", columns: ["agrp", "pdmn", "acct", "svce"]) else { return }
    for (table, itemClass) in Self.classes where has(table, columns: ["agrp", "pdmn"]) {
      for row in database.rows(ofTable: table, limit: Self.mostRows) {
        if sink.isExhausted { return }
        var item = KeychainItem(source: "database")
        item.itemClass = itemClass
        (item.service, item.serviceHash) = Self.name(row[table == "inet" ? "srvr" : "svce"])
        (item.account, item.accountHash) = Self.name(row["acct"])
        (item.label, _) = Self.name(row["labl"])
        item.group = row["agrp"]?.text
        item.accessible = row["pdmn"]?.text.flatMap(KeychainItem.accessible)
        item.isSynced = row["sync"]?.integer.map { $0 != 0 }
        item.token = row["tkid"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        item.hasAccessControl = row["accc"].map { $0 != .null && $0 != .blob([]) }
        item.isDeleted = row["tomb"]?.integer == 1
        sink.state(item.fact(at: place(of: row, table: table)))
      }
    }
  }

  /// A name as it is, or the SHA-1 that today's keychain keeps of it.
  private static func name(_ value: StoredValue?) -> (String?, String?) {
    switch value {
    case .text(let text): return (text, nil)
    case .blob(let bytes) where bytes.count == 20: return (nil, bytes.hexadecimal)
    case .blob(let bytes) where !bytes.isEmpty:
      return (String(validating: bytes, as: UTF8.self), nil)
    default: return (nil, nil)
    }
  }

  // MARK: Backups

  private func stateBackup(into sink: inout some FragmentSink) {
    guard has("Files", columns: ["fileid", "domain", "relativepath", "flags", "file"]) else {
      return
    }
    for row in database.rows(ofTable: "Files", limit: Self.mostRows) {
      if sink.isExhausted { return }
      guard row["flags"]?.integer == 1, let path = row["relativePath"]?.text, !path.isEmpty,
        let domain = row["domain"]?.text
      else { continue }
      let record = row["file"]?.blob.flatMap { BackupRecord(parsing: $0.span.bytes) }
      var values = ContainerPath(path).values
      values["source"] = ["backup"]
      values["domain"] = [domain]
      values["app"] = [ModelFacts.text(domain.hasPrefix("AppDomain"))]
      values["backup"] = ["included"]
      values["protection"] = record?.protection.map { [$0] }
      values["file-id"] = row["fileID"]?.text.map { [$0] }
      sink.state(
        Fact(
          .file, path.split(separator: "/").last.map(String.init) ?? path, values: values,
          at: place(of: row, table: "Files")))
    }
  }

  // MARK: HTTP cache

  private func stateCache(into sink: inout some FragmentSink) {
    guard has("cfurl_cache_response", columns: ["request_key"]) else { return }
    for row in database.rows(ofTable: "cfurl_cache_response", limit: Self.mostRows) {
      if sink.isExhausted { return }
      guard let url = row["request_key"]?.text else { continue }
      let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      let parameters = parts.count == 2 ? parts[1].split(separator: "&") : []
      let names = parameters.compactMap { pair -> String? in
        let sides = pair.split(separator: "=", maxSplits: 1)
        return sides.count == 2 ? String(sides[0].prefix(64)) : nil
      }
      let host = parts[0].split(separator: "/").dropFirst().first.map(String.init) ?? ""
      sink.state(
        Fact(
          .record, "cached response",
          values: ["kind": ["cached-response"], "host": [host], "parameter": names],
          at: place(of: row, table: "cfurl_cache_response")))
    }
  }
}
