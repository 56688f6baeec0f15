import Bytes
import Findings
import SQLiteFormat

/// Which pages of an encrypted file, log or journal open under which key: after a change of keys it shows
/// what was left under the old one.
struct KeyAccount {
  /// A page, where it lies, and its number in the list of pages, from 1.
  struct Page {
    var number: UInt32
    var offset: Int
  }

  private let source: any ByteSource
  private let pages: [Page]
  /// Files opened with a key that fits, then those of replaced keys under the same settings.
  private let files: [CipherFile]
  private let keys: [DatabaseKey]
  /// What pages are called: `page`, `frame`, `record`.
  private let step: String
  /// Pages that open, by the place of their key in `files`; the first of many, and how many there are.
  private var opened: [[Int]]
  private var counts: [Int]
  private(set) var failed: [Int] = []

  /// More places than this are counted, not listed.
  private static let mostListed = 4_096

  init(
    _ opener: CipherOpener, opened: [CipherFile], input: ReaderInput, pages: [Page], step: String
  ) {
    source = input.source
    self.pages = pages
    self.step = step
    keys = input.keys
    var files = opened
    // A replaced key need not open the first pages to open others.
    if let first = opened.first {
      for index in keys.indices where keys[index].isOld {
        guard !opened.contains(where: { $0.keyIndex == index }),
          let file = opener.file(for: index, like: first)
        else { continue }
        files.append(file)
      }
    }
    self.files = files
    self.opened = [[Int]](repeating: [], count: files.count)
    counts = [Int](repeating: 0, count: files.count)
  }

  /// The files under whose keys any page opens.
  var fitting: [CipherFile] { files.indices.filter { counts[$0] > 0 }.map { files[$0] } }

  mutating func run(until isExhausted: () -> Bool) {
    guard let first = files.first else { return }
    let size = first.profile.pageSize
    for index in pages.indices {
      guard !isExhausted() else { return }
      guard let bytes = try? source.bytes(at: pages[index].offset, count: size), bytes.count == size
      else { continue }
      let span = bytes.span.bytes
      if let fit = files.indices.first(where: {
        files[$0].state(of: span, page: pages[index].number) == .verified
      }) {
        counts[fit] += 1
        if opened[fit].count < Self.mostListed { opened[fit].append(index) }
      } else if first.state(of: span, page: pages[index].number) == .failed {
        if failed.count < Self.mostListed { failed.append(index) }
      }
    }
  }

  /// Says what each key opens.
  func observe(into sink: inout some FragmentSink) {
    for (index, file) in files.enumerated() {
      let isOld = keys[file.keyIndex].isOld
      if isOld, counts[index] > 0 {
        sink.observe(oldKey(index, file))
      } else if !isOld, step != "page" {
        sink.observe(
          Observation(
            .keyFits,
            "\(counts[index]) of \(counted(pages.count, "page")) can be verified with key \(file.keyIndex + 1)",
            at: Place(
              steps: opened[index].first.map { [step, String($0 + 1)] } ?? [], origin: .transformed)
          ))
      }
    }
  }

  private func oldKey(_ index: Int, _ file: CipherFile) -> Observation {
    let size = file.profile.pageSize
    let places = opened[index]
    var context = Context()
    if let first = places.first {
      context.page = Int(pages[first].number)
      if step != "page" { context.frame = first + 1 }
      context.role = "ciphertext"
    }
    var start = 0
    let pieces = places.prefix(32).map { place -> Piece in
      defer { start += size }
      return Piece(offset: start, source: pages[place].offset, count: size)
    }
    let list = Self.runs(of: places.map { $0 + 1 }, isCutOff: counts[index] > places.count)
    return Observation(
      .oldKey,
      "\(counts[index]) of \(counted(pages.count, step)) still \(counts[index] == 1 ? "opens" : "open") under the replaced key"
        + " \(file.keyIndex + 1): \(list)",
      at: Place(
        steps: places.first.map { [step, String($0 + 1)] } ?? [], context: context,
        origin: .pieces(pieces)))
  }

  /// Numbers as a person lists them: `3 to 17, 20`.
  private static func runs(of numbers: [Int], isCutOff: Bool) -> String {
    var runs: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = runs.last, last.upperBound == number - 1 {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    let shown = runs.prefix(12).map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
    }
    return shown.joined(separator: ", ") + (isCutOff || runs.count > 12 ? " and more" : "")
  }
}
