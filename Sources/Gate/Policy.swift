package import Findings
package import RuleEngine
package import Scanning
package import YAML

/// What must hold for one project, as a person wrote it down (`Rules/policies/README.md`).
package struct Policy: Sendable {
  /// As reports name it.
  package var name: String
  /// The file it stands in.
  package var path: String
  package var packs: [String]?
  /// Folders of further packs, files of needles and of sensitive names; seen from the policy's folder.
  package var rules: [String] = []
  package var needleFiles: [String] = []
  package var lexiconFiles: [String] = []
  /// Sensitive names of the project's own, laid out like a file of `Rules/lexicon`.
  package var lexicon: YAMLNode?
  package var needles: [NeedleSource] = []
  /// Database keys as the command line writes them: `hex=env:NAME`.
  package var keys: [String] = []
  /// The threshold: nothing where the policy does not say.
  package var threshold: Threshold?
  package var allow: Set<Diagnostic.Code> = []
  package var required = Required()
  package var expectations: [Expectation] = []
  package var allowances: [Allowance] = []

  package enum Threshold: Equatable, Sendable {
    case never
    case from(Severity)
  }

  /// A protected value that the policy names; the value itself stands elsewhere.
  package struct NeedleSource: Equatable, Sendable {
    package var id: String
    package var kind: Needle.Kind
    /// `env:NAME` or `@FILE`.
    package var source: String
    package var severity: Severity
    package var note: String?
  }

  /// What a run must have read to mean anything.
  package struct Required: Equatable, Sendable {
    /// At least so many files.
    package var files = 1
    package var paths: [Glob] = []
  }

  /// What must hold for the files of some paths.
  package struct Expectation: Equatable, Sendable {
    package var paths: [Glob]
    package var encrypted: Encryption?
    /// None of these files may exist.
    package var isAbsent = false
    /// Packs of which nothing may be found there, whatever its severity; `needle` for needles.
    package var no: [String] = []
    /// No name may say what the file holds.
    package var hasNeutralNames = false
    /// Whether one such file must exist.
    package var isRequired = false
    package var severity: Severity
    package var why: String
    package var controls: [String] = []
    package var line: Int
  }

  package enum Encryption: String, CaseIterable, Sendable {
    /// Ciphertext of SQLCipher throughout, and logs beside it.
    case sqlcipher
    /// Ciphertext of any kind throughout.
    case any
  }

  /// Findings that somebody answers for.
  package struct Allowance: Equatable, Sendable {
    /// Rule id, or `pack.*`.
    package var rule: String?
    package var paths: [Glob] = []
    package var fingerprint: String?
    package var reason: String
    package var owner: String
    /// The last day it holds, ISO 8601.
    package var until: String
    package var line: Int
  }

  package init(name: String, path: String) {
    self.name = name
    self.path = path
  }
}

/// A policy or baseline is damaged or says something unknown: where, and what.
package struct GateFileError: Error, Equatable, Sendable {
  package var path: String
  package var mark: YAMLMark
  package var detail: String
  package var remedy: String
}

extension GateFileError: Explained {
  package var problem: String { "\(path):\(mark): \(detail)" }
}
