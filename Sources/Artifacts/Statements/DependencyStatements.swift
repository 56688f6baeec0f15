import Bytes
package import Findings
import Formats

/// Lock files: what was resolved to be built in. Package.resolved (versions 1 to 3), Podfile.lock and
/// Cartfile.resolved.
package struct DependencyStatements: StatementReader {
  package let subjects: [Fact.Subject] = [.dependency]
  private static let largestCount = 20_000

  package init() {}

  package func mayState(name: String, head: RawSpan) -> Bool {
    switch name.lastComponent {
    case "Package.resolved": head.firstOffset(of: "\"pins\"", in: 0..<head.byteCount) != nil
    case "Podfile.lock": head.firstOffset(of: "PODS:", in: 0..<head.byteCount) != nil
    case "Cartfile.resolved": true
    default: false
    }
  }

  package func state(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let bytes = content(of: input) else {
      sink.diagnostic(
        .limitSize, "larger than the 16 MiB a lock file is read to",
        remedy: "look at the file by hand: it is no ordinary lock file", steps: [])
      return
    }
    let found: [(Dependency, line: Int)]
    switch input.name.lastComponent {
    case "Package.resolved":
      guard let pins = PackageResolved.dependencies(in: bytes) else {
        sink.diagnostic(
          .formatUnsupported, "Package.resolved is not of version 1, 2 or 3",
          remedy: "resolve the packages with a current Swift and scan again", steps: [])
        return
      }
      found = pins
    case "Podfile.lock":
      found = PodfileLock.dependencies(in: String(decoding: bytes, as: UTF8.self))
    default: found = CartfileResolved.dependencies(in: String(decoding: bytes, as: UTF8.self))
    }
    for (dependency, line) in found.prefix(Self.largestCount) {
      sink.state(
        dependency.fact(
          at: Place(steps: ["line", String(line)], origin: .transformed, line: line)))
    }
  }
}

/// `{"pins": […], "version": 2}`; in version 1 the pins lie in `object` and have other names.
enum PackageResolved {
  static func dependencies(in bytes: [UInt8]) -> [(Dependency, line: Int)]? {
    guard let document = JSONValue(parsing: bytes.span.bytes),
      let version = document["version"]?.number, (1...3).contains(version),
      let pins = (document["pins"] ?? document["object"]?["pins"])?.members
    else { return nil }
    return pins.compactMap { pin in
      guard let location = pin["location"]?.text ?? pin["repositoryURL"]?.text,
        let identity = pin["identity"]?.text ?? pin["package"]?.text
      else { return nil }
      let state = pin["state"]
      let isRegistry = pin["kind"]?.text == "registry"
      return (
        Dependency(
          name: identity, version: state?["version"]?.text, manager: "swiftpm",
          identifier: isRegistry ? identity : location, revision: state?["revision"]?.text,
          branch: state?["branch"]?.text), pin.line
      )
    }
  }
}

/// `PODS:` with names and versions, `SPEC CHECKSUMS:` with their digests. Pods that a pod asks for are
/// indented deeper: they stand in the list themselves.
enum PodfileLock {
  static func dependencies(in text: String) -> [(Dependency, line: Int)] {
    var found: [(Dependency, line: Int)] = []
    var checksums: [Substring: Substring] = [:]
    var section = Substring()
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasSuffix(":"), line.first?.isLetter == true {
        section = line.dropLast()
      } else if section == "PODS", line.hasPrefix("  - "), let pod = pod(line.dropFirst(4)) {
        found.append((pod, index + 1))
      } else if section == "SPEC CHECKSUMS", line.hasPrefix("  "),
        let colon = line.lastIndex(of: ":")
      {
        let name = line[..<colon].drop { $0 == " " || $0 == "\"" }
        checksums[name.hasSuffix("\"") ? name.dropLast() : name] =
          line[line.index(after: colon)...].drop { $0 == " " }
      }
    }
    for index in found.indices {
      let root = found[index].0.name.prefix { $0 != "/" }
      found[index].0.checksum = checksums[root].map { "sha1:\($0)" }
    }
    return found
  }

  /// `Name/Sub (1.2.3):`, in quotes where the name needs them.
  private static func pod(_ text: Substring) -> Dependency? {
    var text = text
    if text.hasSuffix(":") { text = text.dropLast() }
    if text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    guard let open = text.lastIndex(of: "("), text.last == ")", open > text.startIndex else {
      return nil
    }
    let version = text[text.index(after: open)...].dropLast()
    let name = String(text[..<open].dropLast())
    return Dependency(
      name: name, version: String(version), manager: "cocoapods", identifier: name)
  }
}

/// `github "owner/name" "1.2.3"`, `git "url" "revision"`, `binary "url" "version"`.
enum CartfileResolved {
  static func dependencies(in text: String) -> [(Dependency, line: Int)] {
    var found: [(Dependency, line: Int)] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.count >= 4 else { continue }
      let kind = parts[0].prefix { $0 != " " }
      guard ["github", "git", "binary"].contains(kind) else { continue }
      let (origin, version) = (String(parts[1]), String(parts[3]))
      let isOwner = kind == "github" && !origin.contains("://")
      let location = isOwner ? "https://github.com/" + origin : origin
      let repository = Dependency.repository(location)
      // A revision is 40 hexadecimal digits; anything else is a version.
      let isRevision = version.count == 40 && version.allSatisfy(\.isHexDigit)
      found.append(
        (
          Dependency(
            name: String(repository.lastComponent), version: isRevision ? nil : version,
            manager: "carthage", identifier: location, revision: isRevision ? version : nil),
          index + 1
        ))
    }
    return found
  }
}
