import SQLiteFormat

extension ReaderInput {
  /// The journal as SQLite would take it: one of several files' transaction counts only for as long as the
  /// super-journal that it names is there, whose deletion commits them all (pager.c, `pager_playback`).
  ///
  /// Where neither the super-journal nor the database that it is named after lies here, nothing is known of
  /// it: the journal is taken for hot.
  ///
  /// - Parameter database: name of the database that the journal lies beside.
  func settled(_ journal: RollbackJournal, of database: String) -> RollbackJournal {
    guard journal.state == .hot, let path = journal.superJournal,
      let name = path.split(separator: "/").last.map(String.init),
      let mark = name.lastRange(of: "-mj")
    else { return journal }
    let owner = String(name[..<mark])
    guard sibling(name) == nil, owner == database || sibling(owner) != nil else { return journal }
    var settled = journal
    settled.settle()
    return settled
  }
}

extension String {
  /// Where the last occurrence of a short text starts.
  fileprivate func lastRange(of part: String) -> Index? {
    var index = endIndex
    while index > startIndex {
      index = self.index(before: index)
      if self[index...].hasPrefix(part) { return index }
    }
    return nil
  }
}
