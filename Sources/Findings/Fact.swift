/// Something an artifact states that a checklist rule can decide on: a call with its arguments, a key
/// of a property list, a column, a symbol, a name (DESIGN, "Rules, packs, policy").
///
/// Readers and source audits state facts; they judge nothing. Rules ask for facts by subject and name
/// and look at their values.
package struct Fact: Equatable, Sendable {
  /// What kind of thing is stated. Raw values are the words of rule files.
  package enum Subject: String, CaseIterable, Sendable {
    // Source
    /// A call: the name is the callee as written (`SecItemAdd`, `UserDefaults.standard.set`), values
    /// are its arguments by label, or by position where they have none.
    case call
    /// A property, variable, function or type; the name is the declared name.
    case declaration
    /// A value stored under a key or in a variable or property: the name is where to.
    case assignment
    /// A dictionary that reaches a call, with all entries known, also those added by later statements.
    case dictionary
    /// A string, number or byte literal; the name is the literal's own text.
    case literal
    case importing = "import"
    // Bundles
    /// A key path of Info.plist or another property list of a bundle.
    case property
    /// A key of the entitlements in a code signature.
    case entitlement
    /// A key of a provisioning profile.
    case profile
    /// A key path of a privacy manifest.
    case privacy
    case dependency
    // Binaries
    /// A property of a binary as a whole: `pie`, `encrypted`, `minimum-os`.
    case binary
    /// An imported or defined symbol.
    case symbol
    /// A string of a binary, from its sections or rebuilt from immediates.
    case string
    // Data models and stores
    case entity
    /// An attribute of an entity in a data model, or a column of a table.
    case attribute
    case table
    case keychainItem = "keychain-item"
    /// A named record of a store that has no tables: a cookie, a setting, a cached response.
    case record
    /// A file as a whole: its path, kind and what is recorded of its protection.
    case file

    /// Every fact is looked up by its subject: the number of the case is hashed, not its word.
    package func hash(into hasher: inout Hasher) {
      unsafe withUnsafeBytes(of: self) { unsafe hasher.combine(bytes: $0) }
    }
  }

  package var subject: Subject
  package var name: String
  /// What is known about it, by the names that rule files use; a value given several times is several
  /// texts. A truth is the text `true` or `false`.
  package var values: [String: [String]]
  package var place: Place

  package init(
    _ subject: Subject, _ name: String, values: [String: [String]] = [:], at place: Place
  ) {
    self.subject = subject
    self.name = name
    self.values = values
    self.place = place
  }
}
