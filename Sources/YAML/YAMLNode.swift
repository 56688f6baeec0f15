/// One value of a YAML document and where it starts. JSON is YAML, so JSON files read the same way.
package struct YAMLNode: Equatable, Sendable {
  package enum Value: Equatable, Sendable {
    /// Text as written; `quoted` tells `"5"` from `5`.
    case scalar(String, quoted: Bool)
    case sequence([YAMLNode])
    case mapping([Entry])
  }

  /// A key of a mapping and its value, in the order of the file.
  package struct Entry: Equatable, Sendable {
    package var key: String
    package var keyMark: YAMLMark
    package var value: YAMLNode
  }

  package var value: Value
  package var mark: YAMLMark
}

/// A place in a YAML file; both numbers count from 1.
package struct YAMLMark: Equatable, Sendable, CustomStringConvertible {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package var description: String { "\(line):\(column)" }
}

/// A YAML file says something it must not, or is not YAML: what and where.
package struct YAMLError: Error, Equatable, Sendable {
  package var problem: String
  package var mark: YAMLMark

  package init(_ problem: String, at mark: YAMLMark) {
    self.problem = problem
    self.mark = mark
  }
}
