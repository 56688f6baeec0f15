import Bytes
package import Findings
import Formats

/// Property lists that say what a bundle is and wants: Info.plist, entitlements, privacy manifests, and
/// the settings of Google's services. Which of them a list is its keys say, not only its name.
package struct PropertyListStatements: StatementReader {
  package let subjects: [Fact.Subject] = [.property, .entitlement, .privacy, .dependency]

  package init() {}

  package func mayState(name: String, head: RawSpan) -> Bool {
    let file = name.lastComponent
    guard
      [".plist", ".entitlements", ".xcent", ".xcprivacy"].contains(where: { file.hasSuffix($0) })
    else { return false }
    return PropertyListReader().recognises(head, byteCount: head.byteCount, name: name)
  }

  package func state(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let bytes = content(of: input) else { return }
    var document = TextDocument(bytes)
    if !bytes.span.bytes.hasBytes("bplist") { document.becomeUTF8() }
    let text = document.bytes.span.bytes
    guard let list = try? PropertyListReader.list(parsing: text), let value = list.value(in: text),
      case .dictionary(let entries) = value
    else { return }
    let file = String(input.name.lastComponent)
    if file.hasSuffix(".xcprivacy") || entries.keys.contains(where: { $0.hasPrefix("NSPrivacy") }) {
      state(privacy: value, into: &sink)
    } else if file.hasSuffix(".entitlements") || file.hasSuffix(".xcent")
      || file.lowercased() == "entitlements.plist"
    {
      guard sink.wants(.entitlement) else { return }
      StatedValues(subject: .entitlement, from: "file", steps: []).state(value, [:], into: &sink)
    } else if let kind = Self.kind(of: entries, file: file) {
      state(value, as: kind, into: &sink)
    }
  }

  /// Which list of a bundle this is, by keys that no other list has.
  private static func kind(of entries: [String: PropertyValue], file: String) -> String? {
    if entries["GOOGLE_APP_ID"] != nil { return "GoogleService-Info.plist" }
    if entries["PreferenceSpecifiers"] != nil { return "Settings.plist" }
    let isInfo = [
      "CFBundleIdentifier", "CFBundleExecutable", "CFBundlePackageType",
      "CFBundleName", "ApplicationProperties", "XCFrameworkFormatVersion",
    ].contains { entries[$0] != nil }
    // In source an Info.plist may hold only what the build settings do not.
    return isInfo || file.hasSuffix("Info.plist") ? "Info.plist" : nil
  }

  private func state(
    _ value: PropertyValue, as kind: String, into sink: inout some FragmentSink
  ) {
    if kind == "Settings.plist" {
      if sink.wants(.dependency) { state(acknowledgements: value, into: &sink) }
      return
    }
    if kind == "Info.plist", sink.wants(.dependency) { state(component: value, into: &sink) }
    guard sink.wants(.property) else { return }
    var common: [String: [String]] = [:]
    if let type = value["CFBundlePackageType"]?.text { common["bundle-type"] = [type] }
    if let point = value["NSExtension"]?["NSExtensionPointIdentifier"]?.text {
      common["extension-point"] = [point]
    }
    StatedValues(subject: .property, from: kind, steps: []).state(value, common, into: &sink)
  }

  /// A framework that is embedded with its own name and version is a dependency.
  private func state(component value: PropertyValue, into sink: inout some FragmentSink) {
    guard value["CFBundlePackageType"]?.text == "FMWK",
      let name = value["CFBundleName"]?.text ?? value["CFBundleExecutable"]?.text,
      let version = value["CFBundleShortVersionString"]?.text, !version.contains("$(")
    else { return }
    let identifier = value["CFBundleIdentifier"]?.text ?? ""
    guard !identifier.hasPrefix("com.apple.") else { return }
    sink.state(
      Dependency(
        name: name, version: version, manager: "framework", identifier: identifier
      ).fact(at: Place(steps: [], origin: .transformed)))
  }

  /// Acknowledgements as CocoaPods writes them: a title and the licence it knows for each pod.
  private func state(acknowledgements value: PropertyValue, into sink: inout some FragmentSink) {
    for (index, item) in (value["PreferenceSpecifiers"]?.members ?? []).prefix(2_000).enumerated() {
      guard let name = item["Title"]?.text, let licence = item["License"]?.text else { continue }
      sink.state(
        Fact(
          .dependency, name, values: ["manager": ["licence"], "licence": [licence]],
          at: Place(
            steps: ["key", "PreferenceSpecifiers", String(index)], origin: .transformed)))
    }
  }

  private func state(privacy value: PropertyValue, into sink: inout some FragmentSink) {
    guard sink.wants(.privacy) else { return }
    StatedValues(subject: .privacy, from: "PrivacyInfo.xcprivacy", steps: [])
      .state(value, [:], into: &sink)
    for (index, item) in (value["NSPrivacyAccessedAPITypes"]?.members ?? []).enumerated() {
      sink.state(
        Fact(
          .privacy, "accessed-api",
          values: [
            "category": item["NSPrivacyAccessedAPIType"]?.texts ?? [],
            "reason": item["NSPrivacyAccessedAPITypeReasons"]?.texts ?? [],
          ], at: Self.place("NSPrivacyAccessedAPITypes", index)))
    }
    for (index, item) in (value["NSPrivacyCollectedDataTypes"]?.members ?? []).enumerated() {
      sink.state(
        Fact(
          .privacy, "collected-data",
          values: [
            "type": item["NSPrivacyCollectedDataType"]?.texts ?? [],
            "linked": item["NSPrivacyCollectedDataTypeLinked"]?.texts ?? [],
            "tracking": item["NSPrivacyCollectedDataTypeTracking"]?.texts ?? [],
            "purpose": item["NSPrivacyCollectedDataTypePurposes"]?.texts ?? [],
          ], at: Self.place("NSPrivacyCollectedDataTypes", index)))
    }
    sink.state(
      Fact(
        .privacy, "manifest",
        values: [
          "tracking": [(value["NSPrivacyTracking"]?.truth ?? false).description],
          "domains": value["NSPrivacyTrackingDomains"]?.texts ?? [],
        ], at: Place(steps: [], origin: .transformed)))
  }

  private static func place(_ key: String, _ index: Int) -> Place {
    var context = Context()
    context.key = key
    return Place(steps: ["key", key, String(index)], context: context, origin: .transformed)
  }
}
