import Artifacts
import Bytes
import Findings
import SQLiteFormat

extension InspectedFile {
  /// A write-ahead log: its header, generations, and what each frame is worth.
  func logSections(
    of log: any ByteSource, main: (any ByteSource)?
  ) -> [Inspection.Section] {
    guard let head = try? log.bytes(at: 0, count: LogHeader.byteCount),
      let header = try? LogHeader(parsing: head.span.bytes),
      PageGeometry(pageSize: header.pageSize, reserved: 0) != nil,
      let index = try? LogIndex(log, header: header, pageSize: header.pageSize)
    else {
      var section = Inspection.Section("log", "Write-ahead log")
      section.add("bytes", "size", .size(log.byteCount))
      section.remarks.append("the header cannot be read: SQLite would ignore this log")
      return [section]
    }
    return [
      Self.section(of: index, header, byteCount: log.byteCount), Self.generations(of: index),
      Self.states(of: index), Self.frames(of: index), cipherFrames(log, index, main: main),
    ]
  }

  private static func section(
    of index: LogIndex, _ header: LogHeader, byteCount: Int
  ) -> Inspection.Section {
    var section = Inspection.Section("log", "Write-ahead log")
    section.add("bytes", "size", .size(byteCount))
    section.add("pageSize", "bytes a page", .number(header.pageSize))
    section.add("frames", "frames", .number(index.frames.count))
    section.add("sequence", "checkpoint sequence", .number(Int(header.sequence)))
    section.add("salts", "salts", .text(header.salts.text))
    section.add(
      "checksums", "checksums", .word(header.checksumsAreBigEndian ? "big-endian" : "little-endian")
    )
    section.add("isSound", "header checksum fits", .flag(header.isSound))
    section.add("committedPages", "pages after the last commit", .number(Int(index.committedSize)))
    if index.trailing > 0 {
      section.add("trailing", "bytes of a frame cut off", .size(index.trailing))
    }
    section.layout = StorageLayout(of: index)
    return section
  }

  private static func generations(of index: LogIndex) -> Inspection.Section {
    var section = Inspection.Section("generations", "Generations")
    var table = Inspection.Table(
      .init("generation", "generation", isNumber: true), .init("salts", "salts"),
      .init("first", "first", isNumber: true), .init("last", "last", isNumber: true),
      .init("frames", "frames", isNumber: true), .init("commits", "commits", isNumber: true),
      .init("sound", "sound", isNumber: true), .init("state", "state"))
    for (number, generation) in index.generations.enumerated() {
      table.rows.append([
        .number(number + 1), .text(generation.salts.text), .number(generation.first),
        .number(generation.last), .number(generation.frameCount), .number(generation.commitCount),
        .number(generation.soundCount), .word(generation.isCurrent ? "current" : "stale"),
      ])
    }
    section.table = table
    return section
  }

  private static func states(of index: LogIndex) -> Inspection.Section {
    var section = Inspection.Section("frameStates", "Frames by what they are worth")
    var table = Inspection.Table(
      .init("state", "state"), .init("frames", "frames", isNumber: true),
      .init("pages", "pages", isNumber: true), .init("meaning", ""))
    for state in FrameState.allCases {
      let frames = index.frames.filter { $0.state == state }
      guard !frames.isEmpty else { continue }
      table.rows.append([
        .word(state.name), .number(frames.count), .number(Set(frames.map(\.page)).count),
        .word(state.meaning),
      ])
    }
    section.table = table
    return section
  }

  private static let mostFrames = 100_000

  private static func frames(of index: LogIndex) -> Inspection.Section {
    var section = Inspection.Section("frames", "Frames")
    var table = Inspection.Table(
      .init("frame", "frame", isNumber: true), .init("page", "page", isNumber: true),
      .init("state", "state"), .init("generation", "generation", isNumber: true),
      .init("commit", "pages at commit", isNumber: true), .init("isSound", "checksum fits"))
    for (number, frame) in index.frames.prefix(mostFrames).enumerated() {
      table.rows.append([
        .number(number + 1), .number(Int(frame.page)), .word(frame.state.name),
        .number(Int(frame.generation) + 1), .number(Int(frame.commitSize)), .flag(frame.isSound),
      ])
    }
    table.omitted = max(0, index.frames.count - mostFrames)
    section.table = table
    section.isDetail = true
    return section
  }

  /// The `-shm` file beside a log, named from the log's own name.
  func shared() -> Inspection.Section {
    guard name.hasSuffix("-wal") else { return Inspection.Section("sharedMemory", "") }
    return sharedMemorySection(sibling(name.dropLast(4) + "-shm"), log: source)
  }

  /// What the processes that use a log agreed on, compared with the log.
  func sharedMemorySection(
    _ shared: (any ByteSource)?, log: (any ByteSource)?
  ) -> Inspection.Section {
    var section = Inspection.Section("sharedMemory", "Shared memory (-shm)")
    guard let shared, let bytes = try? shared.bytes(at: 0, count: 136), !bytes.isEmpty else {
      return section
    }
    section.add("bytes", "size", .size(shared.byteCount))
    guard let index = SharedMemoryIndex(parsing: bytes.span.bytes) else {
      section.remarks.append("its header is not that of an index in use")
      return section
    }
    section.add("lastFrame", "last valid frame", .number(Int(index.lastFrame)))
    section.add("pages", "pages of the database", .number(Int(index.pageCount)))
    section.add("backfilled", "frames copied back", .number(Int(index.backfilled)))
    section.add("salts", "salts", .text(index.salts.text))
    section.add("copiesAgree", "both copies agree", .flag(index.copiesAgree))
    guard let log, let head = try? log.bytes(at: 0, count: LogHeader.byteCount),
      let header = try? LogHeader(parsing: head.span.bytes),
      PageGeometry(pageSize: header.pageSize, reserved: 0) != nil,
      let frames = try? LogIndex(log, header: header, pageSize: header.pageSize)
    else {
      section.remarks.append("there is no log to compare it with")
      return section
    }
    let problems = index.disagreements(with: frames, header: header)
    section.remarks = problems.isEmpty ? ["it fits the log"] : problems
    return section
  }
}

extension Salts {
  var text: String { Self.hex(one) + " " + Self.hex(two) }

  private static func hex(_ word: UInt32) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension FrameState {
  /// One line for a person.
  var meaning: String {
    switch self {
    case .live: "the current version of its page"
    case .superseded: "a later commit holds its page"
    case .uncommitted: "no commit follows"
    case .stale: "from before the log was started over"
    case .torn: "its checksum does not fit"
    }
  }
}
