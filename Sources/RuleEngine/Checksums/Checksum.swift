/// A named verifier that a rule's secret must pass: a check digit, a CRC, a structure.
package struct Checksum: Sendable {
  package let name: String
  package let verifies: @Sendable (RawSpan) -> Bool

  package static let builtIn: [Checksum] = []

  /// The verifier a rule file names.
  package static func named(_ name: String) -> Checksum? {
    builtIn.first { $0.name == name }
  }
}
