package import Findings

/// A bill of materials (CycloneDX 1.6, JSON): the components that lock files and embedded bundles name,
/// their licences as far as known, and what given advisories know against them.
package struct CycloneDXReport: ReportFormat {
  package let name = "cyclonedx"

  package init() {}

  private typealias Value = JSONWriter.Value

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    output.write("{\n")
    member("$schema", .string("http://cyclonedx.org/schema/bom-1.6.schema.json"), to: &output)
    member("bomFormat", .string("CycloneDX"), to: &output)
    member("specVersion", .string("1.6"), to: &output)
    member("serialNumber", .string(serialNumber(of: report)), to: &output)
    member("version", .integer(1), to: &output)
    member("metadata", metadata(report), to: &output)
    list("components", report.components.map(component), to: &output)
    list(
      "dependencies",
      [
        .object([
          ("ref", .string(Self.root)),
          ("dependsOn", .array(report.components.map { .string(reference($0)) })),
        ])
      ], to: &output)
    list("vulnerabilities", vulnerabilities(report.components), to: &output, isLast: true)
    output.write("}\n")
  }

  private static let root = "root"

  private func member(_ name: String, _ value: Value, to output: inout some TextOutputStream) {
    output.write("  \(JSONWriter.quoted(name)): \(value.text),\n")
  }

  private func list(
    _ name: String, _ values: [Value], to output: inout some TextOutputStream, isLast: Bool = false
  ) {
    output.write("  \(JSONWriter.quoted(name)): [")
    for (index, value) in values.enumerated() {
      output.write((index == 0 ? "\n    " : ",\n    ") + value.text)
    }
    output.write(values.isEmpty ? "]" : "\n  ]")
    output.write(isLast ? "\n" : ",\n")
  }

  private func metadata(_ report: Report) -> Value {
    .object([
      ("timestamp", .string(report.run.started)),
      (
        "tools",
        .object([
          (
            "components",
            .array([
              .object([
                ("type", .string("application")), ("name", .string("vestige")),
                ("version", .string(report.toolVersion)),
              ])
            ])
          )
        ])
      ),
      (
        "component",
        .object([
          ("type", .string("application")), ("bom-ref", .string(Self.root)),
          ("name", .string(report.scope.roots.first.map(Self.lastComponent) ?? "unnamed")),
        ])
      ),
    ])
  }

  private static func lastComponent(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private func reference(_ component: Component) -> String { component.packageURL }

  private func component(_ component: Component) -> Value {
    let properties = [
      ("vestige:manager", Optional(component.manager)), ("vestige:revision", component.revision),
    ]
    return .object([
      ("type", .string(component.manager == "framework" ? "framework" : "library")),
      ("bom-ref", .string(reference(component))), ("name", .string(component.name)),
      ("version", .optional(component.version)),
      ("hashes", component.sha256.map { .array([Self.digest($0)]) }),
      (
        "licenses",
        component.licences.isEmpty ? nil : .array(component.licences.map(licence))
      ),
      ("purl", .string(component.packageURL)),
      (
        "properties",
        .array(
          properties.compactMap { name, value in
            value.map { .object([("name", .string(name)), ("value", .string($0))]) }
          })
      ),
      (
        "evidence",
        .object([
          (
            "occurrences",
            .array(component.places.map { .object([("location", .string($0))]) })
          )
        ])
      ),
    ])
  }

  private static func digest(_ sha256: String) -> Value {
    .object([("alg", .string("SHA-256")), ("content", .string(sha256))])
  }

  private func licence(_ name: String) -> Value {
    let known = Licence.identifier(of: name)
    return .object([
      ("license", .object([(known == nil ? "name" : "id", .string(known ?? name))]))
    ])
  }

  /// Every vulnerability once, with the components it affects.
  private func vulnerabilities(_ components: [Component]) -> [Value] {
    var known: [String: (Vulnerability, [String])] = [:]
    for component in components {
      for vulnerability in component.vulnerabilities {
        known[vulnerability.id, default: (vulnerability, [])].1.append(reference(component))
      }
    }
    return known.values.sorted { $0.0.id < $1.0.id }.map { vulnerability, references in
      .object([
        ("bom-ref", .string("vulnerability-" + vulnerability.id)),
        ("id", .string(vulnerability.id)),
        (
          "ratings",
          .array([
            .object([
              ("severity", .string(vulnerability.severity.rawValue)), ("method", .string("other")),
            ])
          ])
        ),
        ("description", .string(vulnerability.summary)),
        (
          "recommendation",
          vulnerability.fixed.isEmpty
            ? nil : .string("Update to \(vulnerability.fixed.joined(separator: " or "))")
        ),
        ("affects", .array(references.map { .object([("ref", .string($0))]) })),
      ])
    }
  }

  /// The same components give the same number: a UUID of version 8 (RFC 9562, §5.8) from two FNV-1a
  /// hashes over their package URLs.
  private func serialNumber(of report: Report) -> String {
    func hash(_ start: UInt64) -> UInt64 {
      var value = start
      for component in report.components {
        for byte in component.packageURL.utf8 + [0] {
          value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
        }
      }
      return value
    }
    let high = hash(0xCBF2_9CE4_8422_2325) & ~0xF000 | 0x8000
    let low = hash(0x8422_2325_CBF2_9CE4) & ~(3 << 62) | 1 << 63
    let digits = [high, low].map { value in
      let text = String(value, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
    var parts: [Substring] = []
    var rest = digits[...]
    for count in [8, 4, 4, 4, 12] {
      parts.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return "urn:uuid:" + parts.joined(separator: "-")
  }
}

/// Identifiers of SPDX for licences as people write them.
enum Licence {
  private static let known: [String: String] = [
    "mit": "MIT", "expat": "MIT", "mit license": "MIT", "the mit license": "MIT",
    "apache 2.0": "Apache-2.0",
    "apache-2.0": "Apache-2.0", "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0", "apache 2": "Apache-2.0", "apache2": "Apache-2.0",
    "bsd-3-clause": "BSD-3-Clause", "bsd 3-clause": "BSD-3-Clause", "new bsd": "BSD-3-Clause",
    "bsd-2-clause": "BSD-2-Clause", "bsd 2-clause": "BSD-2-Clause",
    "simplified bsd": "BSD-2-Clause",
    "mpl-2.0": "MPL-2.0", "mpl 2.0": "MPL-2.0", "isc": "ISC", "zlib": "Zlib", "0bsd": "0BSD",
    "unlicense": "Unlicense", "the unlicense": "Unlicense", "gpl-2.0-only": "GPL-2.0-only",
    "gpl-3.0-only": "GPL-3.0-only", "lgpl-2.1-only": "LGPL-2.1-only",
    "lgpl-3.0-only": "LGPL-3.0-only", "agpl-3.0-only": "AGPL-3.0-only", "wtfpl": "WTFPL",
    "cc0-1.0": "CC0-1.0", "cc0": "CC0-1.0", "bsl-1.0": "BSL-1.0",
  ]

  static func identifier(of name: String) -> String? { known[name.lowercased()] }
}
