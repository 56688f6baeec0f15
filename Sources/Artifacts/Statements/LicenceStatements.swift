import Bytes
package import Findings
import Formats

/// Licence files beside checked-out dependencies: which licence it is, by sentences that only it has.
package struct LicenceStatements: StatementReader {
  package let subjects: [Fact.Subject] = [.dependency]
  private static let read = 64 << 10

  package init() {}

  package func mayState(name: String, head: RawSpan) -> Bool {
    let file = name.lastComponent.uppercased()
    return ["LICENSE", "LICENCE", "COPYING"].contains { stem in
      file == stem || [".TXT", ".MD", ".RST"].contains { file == stem + $0 }
    }
  }

  package func state(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let bytes = try? input.source.bytes(at: 0, count: Self.read),
      let licence = Self.identifier(of: String(decoding: bytes, as: UTF8.self))
    else { return }
    sink.state(
      Fact(
        .dependency, "licence", values: ["manager": ["licence-file"], "licence": [licence]],
        at: Place(steps: [], origin: .transformed)))
  }

  /// The SPDX identifier of a licence text; nothing where no known one is recognised.
  static func identifier(of text: String) -> String? {
    let words = text.lowercased().split { !($0.isLetter || $0.isNumber) }.joined(separator: " ")
    func has(_ sentence: String) -> Bool { words.contains(sentence) }
    if has("apache license version 2 0") { return "Apache-2.0" }
    if has("mozilla public license version 2 0") { return "MPL-2.0" }
    if has("gnu affero general public license") { return "AGPL-3.0-only" }
    if has("gnu lesser general public license") {
      return has("version 3 29 june 2007") ? "LGPL-3.0-only" : "LGPL-2.1-only"
    }
    if has("gnu general public license") {
      return has("version 3 29 june 2007") ? "GPL-3.0-only" : "GPL-2.0-only"
    }
    if has("permission is hereby granted free of charge to any person obtaining a copy") {
      return "MIT"
    }
    if has("redistribution and use in source and binary forms") {
      return has("neither the name") || has("may not be used to endorse")
        || has("names of its contributors may") ? "BSD-3-Clause" : "BSD-2-Clause"
    }
    if has("permission to use copy modify and or distribute this software for any purpose") {
      return has("copyright notice and this permission notice appear in all copies")
        ? "ISC" : "0BSD"
    }
    if has("this software is provided as is without any express or implied warranty"),
      has("altered source versions must be plainly marked")
    {
      return "Zlib"
    }
    if has("this is free and unencumbered software released into the public domain") {
      return "Unlicense"
    }
    return nil
  }
}
