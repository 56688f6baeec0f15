import Findings

/// A part of the page below the findings.
struct HTMLSection {
  var id: String
  var title: String
  /// One sentence: what it shows.
  var about: String

  /// The parts that this report has something for, in order.
  static func of(_ report: Report) -> [HTMLSection] {
    var sections: [HTMLSection] = []
    if report.inputs.contains(where: { $0.layout?.runs.isEmpty == false }) {
      sections.append(
        HTMLSection(
          id: "layouts", title: "Databases page by page",
          about: "What each page is and is worth, where findings lie, and how dense the bytes are.")
      )
    }
    if !report.results.isEmpty {
      sections.append(
        HTMLSection(
          id: "results", title: "Checklist",
          about: "What each rule decided for each place, and why where it could not decide."))
    }
    if !report.standards.isEmpty {
      sections.append(
        HTMLSection(
          id: "controls", title: "Controls by standard",
          about: "Evidence for and against clauses of standards. It is no proof that they are met.")
      )
    }
    if report.proof != nil {
      sections.append(
        HTMLSection(
          id: "proof", title: "Proof",
          about: "What the store left behind in each part of its life, and after faults."))
    }
    if !report.components.isEmpty {
      sections.append(
        HTMLSection(
          id: "components", title: "Components",
          about: "What the inputs are built from, as far as files in them say it."))
    }
    sections.append(
      HTMLSection(
        id: "inputs", title: "What was looked at",
        about: "Every file that was read, with its SHA-256 at the time."))
    if !report.diagnostics.isEmpty {
      sections.append(
        HTMLSection(
          id: "diagnostics", title: "Not looked at",
          about: "What could not be read, and what to do about it."))
    }
    if !report.notes.isEmpty {
      sections.append(
        HTMLSection(
          id: "notes", title: "Notes",
          about: "About decisions that no longer hold or never did."))
    }
    return sections
  }
}
