import Bytes
package import Findings
package import SQLiteFormat

extension StorageLayout {
  /// Pages that are measured byte by byte; of a larger file some of each run stand for the rest, so
  /// that a layout costs a scan nothing that would be felt.
  package static let mostMeasured = 2048

  /// The layout of a database whose pages have their roles. `liveness` corrects what a page is worth
  /// by what lies beside the file.
  package init(
    of database: Database, liveness: (UInt32, PageRole) -> Liveness = { $1.liveness }
  ) {
    self.init(.page, pageSize: database.geometry.pageSize)
    // Asked for once: every look at it there would copy it.
    let map = database.map
    let count = map.pageCount
    let step = count / UInt32(Self.mostMeasured) + 1
    isSampled = step > 1
    // The page measured last of each kind stands for those that are not.
    var kinds: [Int: Run] = [:]
    var kind = -1
    var run = Run(first: 0, role: "", liveness: .live)
    for number in 1...max(1, count) {
      let role = map.role(of: number)
      let tree = map.tree(of: number)
      let worth = liveness(number, role)
      let found = Self.kind(role, worth, tree: tree)
      if found != kind {
        kinds[kind] = run
        kind = found
        run =
          kinds[kind]
          ?? Run(
            first: 0, role: role.name, liveness: worth,
            owner: database.schema.entry(ofTree: tree)?.name)
      }
      if number % step == 0 || run.first == 0,
        let page = DatabaseInspection.page(number, of: database, isLone: isSampled)
      {
        run.liveBytes = page.liveBytes
        run.deadBytes = page.deadBytes
        run.entropy = page.entropy
      }
      run.first = Int(number)
      append(run)
    }
  }

  /// A number for pages that are measured together.
  private static func kind(_ role: PageRole, _ worth: Liveness, tree: Int) -> Int {
    // What lies beside the file makes only these of a live page.
    let beside = worth == .superseded ? 1 : worth == .uncommitted ? 2 : 0
    return tree << 8 | Int(role.rawValue) << 2 | beside
  }

  /// The frames of a log, as they were written.
  package init(of log: LogIndex) {
    self.init(.frame, pageSize: log.pageSize)
    for (index, frame) in log.frames.enumerated() {
      var run = Run(
        first: index + 1, role: frame.state.name, liveness: Liveness(frame.state))
      run.generation = Int(frame.generation) + 1
      run.commits = frame.commitSize == 0 ? 0 : 1
      if frame.state == .live { run.liveBytes = log.pageSize } else { run.deadBytes = log.pageSize }
      append(run)
    }
  }

  /// The records of a journal.
  package init(of journal: RollbackJournal) {
    self.init(.record, pageSize: journal.pageSize)
    let isHot = journal.state == .hot
    for (index, record) in journal.records.enumerated() {
      var run = Run(
        first: index + 1, role: record.isSound == false ? "damaged" : journal.state.rawValue,
        liveness: isHot ? .live : .stale)
      if isHot { run.liveBytes = journal.pageSize } else { run.deadBytes = journal.pageSize }
      append(run)
    }
  }

  /// The pages of an encrypted file, by their statistics.
  package init(of encryption: EncryptionMap, pageSize: Int) {
    self.init(.page, pageSize: pageSize)
    let blocks = max(1, pageSize / EncryptionMap.blockSize)
    for page in 0..<encryption.blocks.count / blocks {
      let verdicts = (page * blocks..<(page + 1) * blocks).map(encryption.verdict(ofBlock:))
      var run = Run(first: page + 1, role: "ciphertext", liveness: .live)
      if verdicts.allSatisfy({ $0 == .zero }) {
        run.role = "zero"
        run.liveness = .slack
      } else if !verdicts.contains(.encrypted) {
        run.role = "plaintext"
      }
      run.liveBytes = run.role == "zero" ? 0 : pageSize
      append(run)
    }
  }
}

extension PageRole {
  /// What a page's content is worth by the page's role alone.
  package var liveness: Liveness {
    switch self {
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior, .overflow, .pointerMap: .live
    case .orphan, .freelistTrunk, .freelistLeaf: .deleted
    case .beyondEnd, .lock: .slack
    }
  }
}
