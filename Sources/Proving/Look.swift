import Bytes
import CrashImages
import Findings
import Glibc
import RuleEngine
import SQLiteFormat
import Scanning

/// One canary found where it must not be.
struct Leak: Sendable {
  var place: String
  var group: Canary.Group
  var finding: Finding
}

/// What was found on a machine, place by place.
struct Look: Sendable {
  var leaks: [Leak] = []
  /// Bytes searched, by place.
  var bytes: [String: Int] = [:]
  var files = 0
  var diagnostics: [Diagnostic] = []
  /// Places in which a planted leak was looked for, and whether it was found.
  var planted: [String: Bool] = [:]
  /// Groups that count in a place, where not all do.
  var groups: [String: [Canary.Group]] = [:]

  mutating func add(_ other: Look) {
    leaks += other.leaks
    files += other.files
    bytes.merge(other.bytes, uniquingKeysWith: +)
    diagnostics += other.diagnostics
    planted.merge(other.planted) { $0 && $1 }
    groups.merge(other.groups) { $1 }
  }
}

/// Looks at machines with one compiled search; one each thread.
final class Looker {
  private let subject: Subject
  private let scanner: ResidueScanner

  init(_ subject: Subject) {
    self.subject = subject
    var limits = ScanOptions.Limits()
    limits.expansion = 256 << 20
    scanner = ResidueScanner(subject.engine, limits: limits)
  }

  /// Everything that is on a machine's disk, and what its driver wrote to standard error and said
  /// when it refused.
  func look(at machine: Sandbox, _ places: Places, as name: String) -> Look {
    var look = Look()
    let parts = [(machine.disk, "disk"), (machine.output, ""), (machine.answers, "")]
    for (path, part) in parts where Folder.exists(path) {
      let outcome = scanner.scan(path, as: part.isEmpty ? name : "\(name)/\(part)")
      look.diagnostics += Self.meaningful(outcome.diagnostics)
      look.files += outcome.files
      let prefix = part.isEmpty ? name : "\(name)/\(part)"
      add(outcome.findings, to: &look) { finding in
        let inner = finding.path.dropFirst(prefix.count)
        return places.name(of: part.isEmpty ? path : path + inner, in: machine)
      }
      for file in Folder.files(below: path) {
        look.bytes[places.name(of: file, in: machine), default: 0] += Self.size(file)
      }
    }
    return look
  }

  /// One file or folder that counts as one place.
  func look(at path: String, as name: String, place: String) -> Look {
    var look = Look()
    let outcome = scanner.scan(path, as: name)
    look.diagnostics = Self.meaningful(outcome.diagnostics)
    look.bytes[place] = outcome.bytes
    add(outcome.findings, to: &look) { _ in place }
    return look
  }

  /// Every byte that was ever written to a file, in files that are gone too.
  func look(atWritesOf machine: Sandbox, _ log: ChangeLog, _ places: Places, as name: String)
    -> Look
  {
    var look = Look()
    let outcome = scanner.scan(machine.log, as: name)
    look.bytes["writes"] = outcome.bytes
    for var finding in outcome.findings where finding.suppressed == nil {
      guard let group = subject.group(of: finding.needle) else { continue }
      let entry = log.entry(holding: finding.ranges.first?.offset ?? -1)
      // Paths of files stand in the log too: a name that leaks shows in the folder itself.
      // What went to standard error is a place of its own, though it is kept in a file.
      guard let entry, entry.change.path != machine.output else { continue }
      if group == .keys, places.name(of: entry.change.path, in: machine) == "keys" { continue }
      finding.message += ", while \(entry.change.described(below: machine.disk))"
      look.leaks.append(Leak(place: "writes", group: group, finding: finding))
    }
    return look
  }

  /// The memory of a running driver. Words and file names are no secret there.
  func look(atMemoryOf process: Int32, as name: String) -> Look {
    var look = Look()
    let outcome = scanner.scan(process: process, as: name)
    look.bytes["memory"] = outcome.bytes
    // What the kernel hides from everybody is what it should be.
    look.diagnostics = outcome.diagnostics.filter { $0.code != .readFailed }
    look.groups["memory"] = Self.inMemory
    add(outcome.findings, to: &look) { _ in "memory" }
    look.leaks.removeAll { !Self.inMemory.contains($0.group) }
    return look
  }

  /// Files that were cut off or changed are what faults are for, and their bytes were searched as they
  /// lie.
  private static func meaningful(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    diagnostics.filter { $0.code != .formatDamaged }
  }

  static let inMemory: [Canary.Group] = [.values, .names, .passwords, .keys]

  /// What keys open: canaries inside ciphertext, by needle.
  func opened(_ path: String, by keys: [DatabaseKey], as name: String) -> [Finding] {
    scanner.scan(path, as: name, keys: keys).findings.filter { $0.suppressed != nil }
  }

  private func add(
    _ findings: [Finding], to look: inout Look, place: (Finding) -> String
  ) {
    for finding in findings where finding.suppressed == nil {
      guard let group = subject.group(of: finding.needle) else { continue }
      let place = place(finding)
      if place == "core", !Self.inMemory.contains(group) { continue }
      // Key items are where keys belong; the system guards them.
      if place == "keys", group == .keys { continue }
      look.leaks.append(Leak(place: place, group: group, finding: finding))
    }
  }

  static func size(_ path: String) -> Int {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}

// MARK: Planting

extension Looker {
  /// Plants a leak in a copy of each place and looks for it: a detector that finds nothing must be seen
  /// to find something.
  func plant(on machine: Sandbox, _ places: Places, _ random: inout SplitMix) -> [String: Bool] {
    var found: [String: Bool] = [:]
    guard let copy = try? Sandbox(at: machine.root + ".planted", copying: machine) else {
      return [:]
    }
    let paths = Folder.files(below: copy.disk)
    let moved = places.moved(from: machine, to: copy)
    var byPlace = Dictionary(grouping: paths) { moved.name(of: $0, in: copy) }
    // A place with no file in it could have got one.
    if byPlace["temporary"] == nil { byPlace["temporary"] = [copy.disk + "/tmp/planted"] }
    for (place, paths) in byPlace {
      let path = paths.sorted()[Int.random(in: 0..<paths.count, using: &random)]
      found[place] = plant(in: path, named: place, &random)
    }
    found["output"] = plant(in: copy.root + "/output", named: "output", &random)
    return found
  }

  /// Puts a canary into a file, over what is there, in one of its forms, and looks for it.
  private func plant(in path: String, named place: String, _ random: inout SplitMix) -> Bool {
    guard
      let canary = subject.cast.canaries.filter({ $0.group == .values && $0.needle.kind != .date })
        .randomElement(using: &random)
    else { return false }
    let form = PlantedForm.allCases.randomElement(using: &random) ?? .plain
    let leak = form.encode(canary)
    var bytes = (try? Folder.read(path)) ?? []
    let offset =
      bytes.count > leak.count ? Int.random(in: 0..<bytes.count - leak.count, using: &random) : 0
    if bytes.count < leak.count {
      bytes += [UInt8](repeating: 0x20, count: leak.count - bytes.count)
    }
    bytes.replaceSubrange(offset..<offset + leak.count, with: leak)
    guard (try? Folder.write(bytes, to: path)) != nil else { return false }
    return scanner.scan(path, as: place).findings.contains { $0.needle == canary.needle.id }
  }
}

/// How a planted leak is written, with a blank on both sides: part of a longer word it would be no leak.
enum PlantedForm: CaseIterable {
  case plain, utf16, hexadecimal

  func encode(_ canary: Canary) -> [UInt8] {
    switch self {
    case .utf16 where canary.needle.kind == .text:
      return " \(canary.value) ".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    case .hexadecimal where canary.needle.kind == .text:
      return Array(" \(Array(canary.value.utf8).hexadecimal) ".utf8)
    // Numbers and keys are not looked for in every text encoding.
    case .plain, .utf16, .hexadecimal: return Array(" \(canary.value) ".utf8)
    }
  }
}

extension Places {
  /// The same places on a copy of the machine.
  func moved(from machine: Sandbox, to other: Sandbox) -> Places {
    func move(_ path: String) -> String {
      path.hasPrefix(machine.disk) ? other.disk + path.dropFirst(machine.disk.count) : path
    }
    var places = self
    places.files = files.map(move)
    places.temporary = temporary.map(move)
    places.keys = keys.map(move)
    return places
  }
}
