/// A text in the languages of reports.
package struct LocalText: Equatable, Sendable {
  package var english: String
  package var simplifiedChinese: String

  package init(english: String, simplifiedChinese: String) {
    self.english = english
    self.simplifiedChinese = simplifiedChinese
  }

  package func text(in language: Language) -> String {
    switch language {
    case .english: english
    case .simplifiedChinese: simplifiedChinese
    }
  }
}

/// A standard, law or catalogue of controls that findings are evidence for: never proof, since much of
/// what it asks for no tool can see.
package struct Standard: Equatable, Sendable {
  package var id: String
  package var title: LocalText
  /// The edition whose numbering the ids follow.
  package var edition: String
  /// What this part of a report says and does not say.
  package var note: LocalText
  package var controls: [Control]

  package init(
    id: String, title: LocalText, edition: String, note: LocalText, controls: [Control]
  ) {
    self.id = id
    self.title = title
    self.edition = edition
    self.note = note
    self.controls = controls
  }
}

/// A clause of a standard.
package struct Control: Equatable, Sendable {
  /// As rules name it: `PIPL-51`.
  package var id: String
  package var title: LocalText
  /// Controls of other standards whose rules are evidence for this one too.
  package var through: [String]
  /// What the clause asks for and no tool can tell.
  package var uncovered: LocalText

  package init(id: String, title: LocalText, through: [String], uncovered: LocalText) {
    self.id = id
    self.title = title
    self.through = through
    self.uncovered = uncovered
  }
}
