/// What was decided so far: by check and unit, in numbers, so that it stays small however much is read.
package struct Tally: Sendable {
  package struct Key: Hashable, Sendable {
    package var check: Int
    package var unit: String

    package init(check: Int, unit: String) {
      self.check = check
      self.unit = unit
    }
  }

  /// What facts of a unit were seen that a check asks it for.
  package struct Relations: Equatable, Sendable {
    /// Numbers of the patterns that a fact of the unit is like.
    package private(set) var numbers: Set<Int> = []
    /// Of patterns that want a value in common: the values seen.
    private var values: [Int: Set<String>] = [:]
    /// A unit with more functions of one kind than this is made to use up memory.
    private static let most = 20_000

    package init() {}

    mutating func note(_ number: Int, _ shared: [String]? = nil) {
      guard let shared else {
        numbers.insert(number)
        return
      }
      guard (values[number]?.count ?? 0) < Self.most else { return }
      values[number, default: []].formUnion(shared)
    }

    package func holds(_ number: Int, _ shared: [String]? = nil) -> Bool {
      guard let shared else { return numbers.contains(number) }
      return shared.contains { values[number]?.contains($0) ?? false }
    }

    mutating func add(_ other: Relations) {
      numbers.formUnion(other.numbers)
      values.merge(other.values) { $0.union($1) }
    }
  }

  package struct Count: Sendable {
    /// Facts that it applied to.
    package var applied = 0
    package var failed = 0
    package var warned = 0
    /// Why it could not be told, and how often.
    package var undecided: [String: Int] = [:]
    package var relations = Relations()

    package init() {}

    package mutating func add(_ other: Count) {
      applied += other.applied
      failed += other.failed
      warned += other.warned
      undecided.merge(other.undecided, uniquingKeysWith: +)
      relations.add(other.relations)
    }
  }

  package private(set) var counts: [Key: Count] = [:]

  package init() {}

  package subscript(check: Int, unit: String) -> Count {
    get { counts[Key(check: check, unit: unit)] ?? Count() }
    set { counts[Key(check: check, unit: unit)] = newValue }
  }

  package mutating func merge(_ other: Tally) {
    for (key, count) in other.counts { counts[key, default: Count()].add(count) }
  }
}
