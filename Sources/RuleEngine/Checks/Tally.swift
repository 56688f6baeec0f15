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

  package struct Count: Sendable {
    /// Facts that it applied to.
    package var applied = 0
    package var failed = 0
    package var warned = 0
    /// Why it could not be told, and how often.
    package var undecided: [String: Int] = [:]
    /// Numbers of the relations that hold in the unit.
    package var relations: Set<Int> = []

    package init() {}

    package mutating func add(_ other: Count) {
      applied += other.applied
      failed += other.failed
      warned += other.warned
      undecided.merge(other.undecided, uniquingKeysWith: +)
      relations.formUnion(other.relations)
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
