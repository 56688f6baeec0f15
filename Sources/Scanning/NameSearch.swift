import Bytes
import Findings
import RuleEngine

/// Looks for protected values in the names of files and folders: whoever lists a folder sees them, whatever
/// is encrypted in it. Each name is judged once, however many files lie below it.
struct NameSearch {
  private let searcher: Searcher
  private let findings: FindingMaker

  init(_ engine: Engine, _ findings: FindingMaker) {
    searcher = Searcher(engine)
    self.findings = findings
  }

  func findings(in files: [WalkedFile]) -> [Finding] {
    guard !searcher.engine.needles.isEmpty else { return [] }
    return files.flatMap(findings)
  }

  private func findings(in file: WalkedFile) -> [Finding] {
    let names = file.path.names.suffix(Int(file.depth))
    return names.indices.dropFirst(Int(file.namesBefore)).flatMap { index in
      let below = names.count - (index - names.startIndex) - 1
      return findings(in: names[index], path: Self.path(file.name, without: below))
    }
  }

  private func findings(in name: [UInt8], path: String) -> [Finding] {
    var outcome = SearchOutcome()
    searcher.search(name.span.bytes, surroundings: Surroundings(), into: &outcome)
    var seen: Set<Sighting.Subject> = []
    return outcome.sightings.compactMap { sighting in
      guard case .needle(let needle) = sighting.subject, seen.insert(sighting.subject).inserted
      else { return nil }
      return findings.finding(inName: searcher.engine.needles[needle], sighting, path: path)
    }
  }

  /// The path of the folder that lies so many names above.
  private static func path(_ path: String, without count: Int) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast(count)
      .joined(separator: "/")
  }
}
