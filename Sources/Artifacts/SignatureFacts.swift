import Bytes
import Findings
import Formats

/// What the code signature of a Mach-O program states: how it was signed, and its entitlements.
struct SignatureFacts {
  private static let largestSignature = 64 << 20

  let image: MachOImage
  let type: String

  func state(in source: any ByteSource, into sink: inout some FragmentSink) throws(ReadFailure) {
    guard let range = image.signature else {
      sink.state(fact("signature", "none"))
      return
    }
    let bytes = try source.bytes(
      at: range.lowerBound, count: min(range.count, Self.largestSignature))
    guard let signature = CodeSignature(bytes), let first = signature.directories.first else {
      sink.state(fact("signature", "damaged"))
      return
    }
    stateSignature(signature, first, into: &sink)
    let changed = try signature.directories.last.map { directory throws(ReadFailure) in
      try signature.changedPages(of: directory, in: source, slice: image.slice.range)
    }
    // What the processor decrypts was hashed before it was encrypted.
    if image.encrypted == nil {
      sink.state(fact("signed-pages", changed?.isEmpty ?? true ? "match" : "changed"))
    }
    stateEntitlements(signature, at: range.lowerBound, into: &sink)
  }

  private var steps: [String] {
    (image.slice.processor.map { ["slice", $0] } ?? []) + ["signature"]
  }

  private func fact(_ name: String, _ value: String, _ more: [String: [String]] = [:]) -> Fact {
    var values = ["value": [value], "type": [type]]
    if let build = image.build { values["platform"] = [build.platform] }
    values.merge(more) { $1 }
    return Fact(.binary, name, values: values, at: Place(steps: steps, origin: .transformed))
  }

  private func stateSignature(
    _ signature: CodeSignature, _ first: CodeSignature.Directory,
    into sink: inout some FragmentSink
  ) {
    // The blob of a CMS signature is there and empty where nobody signed.
    let isSigned = (signature.payload(of: .signature)?.count ?? 0) > 0
    sink.state(
      fact(
        "signature", isSigned ? "signed" : "ad-hoc",
        [
          "identifier": [first.identifier], "team": first.team.map { [$0] } ?? [],
          "hash": signature.directories.map(\.hashName),
          "version": signature.directories.map { String($0.version) },
          "damaged": [signature.isDamaged.description],
        ]))
  }

  /// The entitlements of the signature, in whichever of both forms; whether the forms agree with each
  /// other and with the hashes in the CodeDirectory.
  private func stateEntitlements(
    _ signature: CodeSignature, at start: Int, into sink: inout some FragmentSink
  ) {
    let xml = signature.payloadBytes(of: .entitlements).flatMap { bytes in
      (try? XMLPropertyList(parsing: bytes.span.bytes).list)?.value(in: bytes.span.bytes)
    }
    let der = signature.payloadBytes(of: .derEntitlements).flatMap { bytes in
      DEREntitlements.value(parsing: bytes.span.bytes)
    }
    let forms =
      switch (xml, der) {
      case (nil, nil): signature.payload(of: .entitlements) == nil ? "none" : "unreadable"
      case (_?, nil): signature.payload(of: .derEntitlements) == nil ? "xml" : "unreadable"
      case (nil, _?): "der"
      case (let xml?, let der?): xml == der ? "agree" : "differ"
      }
    sink.state(fact("entitlement-forms", forms))
    for slot in [CodeSignature.Slot.entitlements, .derEntitlements] {
      for directory in signature.directories where signature.payload(of: slot) != nil {
        sink.state(
          fact(
            "entitlement-hash", signature.agreement(of: slot, in: directory).rawValue,
            [
              "slot": [slot == .entitlements ? "xml" : "der"], "hash": [directory.hashName],
            ]))
      }
    }
    guard sink.wants(.entitlement), let value = xml ?? der else { return }
    let slot = xml == nil ? CodeSignature.Slot.derEntitlements : .entitlements
    let place = signature.payload(of: slot).map {
      ByteRange(offset: start + $0.lowerBound, length: $0.count)
    }
    StatedValues(
      subject: .entitlement, from: "signature", steps: steps + ["entitlements"],
      origin: place.map { .decoded(from: $0) } ?? .transformed
    ).state(value, ["type": [type]], into: &sink)
  }
}
