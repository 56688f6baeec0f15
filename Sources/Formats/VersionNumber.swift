/// A version as people compare it: by semantic versioning (semver.org, §11) where it is one, by its
/// numbers otherwise.
package struct VersionNumber: Comparable, Sendable {
  package var numbers: [UInt64]
  /// Identifiers of a pre-release; a version without any is later.
  package var prerelease: [String]

  /// The version of a text such as `v1.2.3-beta.1+5`; nothing where it does not start with a number.
  package init?(_ text: String) {
    var rest = text[...]
    if rest.first == "v" || rest.first == "V" { rest = rest.dropFirst() }
    rest = rest.prefix { $0 != "+" }
    let main = rest.prefix { $0.isNumber || $0 == "." }
    numbers = main.split(separator: ".", omittingEmptySubsequences: false).map {
      UInt64($0) ?? 0
    }
    guard main.first?.isNumber == true, numbers.count <= 16 else { return nil }
    let suffix = rest.dropFirst(main.count)
    prerelease =
      (suffix.first == "-" ? suffix.dropFirst() : suffix).split(separator: ".").map(String.init)
    while numbers.count > 1, numbers.last == 0 { numbers.removeLast() }
  }

  package static func == (one: VersionNumber, other: VersionNumber) -> Bool {
    !(one < other) && !(other < one)
  }

  package static func < (one: VersionNumber, other: VersionNumber) -> Bool {
    for index in 0..<max(one.numbers.count, other.numbers.count) {
      let left = index < one.numbers.count ? one.numbers[index] : 0
      let right = index < other.numbers.count ? other.numbers[index] : 0
      if left != right { return left < right }
    }
    if one.prerelease.isEmpty || other.prerelease.isEmpty {
      return !one.prerelease.isEmpty && other.prerelease.isEmpty
    }
    for (left, right) in zip(one.prerelease, other.prerelease) where left != right {
      switch (UInt64(left), UInt64(right)) {
      case (let left?, let right?): return left < right
      // Numbers come before words.
      case (_?, nil): return true
      case (nil, _?): return false
      case (nil, nil): return left < right
      }
    }
    return one.prerelease.count < other.prerelease.count
  }
}
