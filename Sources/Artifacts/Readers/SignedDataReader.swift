import Bytes
import Findings
import Formats

/// CMS SignedData: provisioning profiles, and anything else that was signed with its content inside.
package struct SignedDataReader: ArtifactReader {
  package let kind = "cms"
  private static let largestSize = 32 << 20

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    SignedData.recognises(head)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard input.source.byteCount <= Self.largestSize else {
      sink.diagnostic(
        .limitSize, "larger than the 32 MiB signed data is read to",
        remedy: "its bytes were searched as they lie", steps: [])
      return
    }
    do throws(ReadFailure) {
      let bytes = try input.source.bytes(at: 0, count: input.source.byteCount)
      guard let signed = SignedData(parsing: bytes.span.bytes) else {
        sink.diagnostic(
          .formatDamaged, "starts as signed data and is none", remedy: Remedy.damaged, steps: [])
        return
      }
      read(signed, in: bytes, into: &sink)
    } catch {
      sink.reportFailure(error)
    }
  }

  private func read(
    _ signed: SignedData, in bytes: [UInt8], into sink: inout some FragmentSink
  ) {
    if !signed.content.isEmpty {
      let origin: Origin =
        signed.contentRange.map {
          .pieces([Piece(offset: 0, source: $0.lowerBound, count: $0.count)])
        } ?? .transformed
      sink.nested(signed.content, name: "content", at: Place(steps: ["content"], origin: origin))
    }
    guard sink.wants(.profile),
      let profile = ProvisioningProfile(parsing: signed.content.span.bytes)
    else { return }
    profile.state(into: &sink)
  }
}

/// What a provisioning profile allows, and for whom (Apple TN3125, "Inside Code Signing: Provisioning
/// Profiles"). Device identifiers and names are counted, never stated.
struct ProvisioningProfile {
  private let list: PropertyValue

  init?(parsing text: RawSpan) {
    guard let value = (try? XMLPropertyList(parsing: text).list)?.value(in: text),
      value["Entitlements"] != nil || value["TeamIdentifier"] != nil
    else { return nil }
    list = value
  }

  func state(into sink: inout some FragmentSink) {
    let common = ["distribution": [distribution]]
    var rest = list.entries
    for key in ["ProvisionedDevices", "DeveloperCertificates", "DER-Encoded-Profile"] {
      rest[key] = nil
    }
    let values = StatedValues(subject: .profile, from: "profile", steps: [])
    values.state(.dictionary(rest), common, into: &sink)
    state("distribution", ["value": [distribution]], into: &sink)
    if let devices = list["ProvisionedDevices"]?.members, !devices.isEmpty {
      state(
        "ProvisionedDevices", common.merging(["count": [String(devices.count)]]) { $1 },
        into: &sink)
    }
    for case .data(let bytes) in list["DeveloperCertificates"]?.members ?? [] {
      guard let certificate = Certificate(parsing: bytes.span.bytes) else { continue }
      state(
        "certificate",
        common.merging([
          "kind": certificate.name.map { [String($0.prefix { $0 != ":" })] } ?? [],
          "not-after": [certificate.notAfter],
        ]) { $1 }, into: &sink)
    }
  }

  /// How the app that carries it can be installed.
  private var distribution: String {
    if list["ProvisionsAllDevices"]?.truth == true { return "enterprise" }
    guard list["ProvisionedDevices"] != nil else { return "app-store" }
    return list["Entitlements"]?["get-task-allow"]?.truth == true ? "development" : "ad-hoc"
  }

  private func state(
    _ name: String, _ values: [String: [String]], into sink: inout some FragmentSink
  ) {
    sink.state(
      Fact(.profile, name, values: values, at: Place(steps: ["key", name], origin: .transformed)))
  }
}
