import Bytes
@_spi(_Unicode) import Swift

extension Needle {
  /// The forms of text: encodings, normal forms, escapes and simple disguises.
  func textForms(
    _ text: String, ignoresCase: Bool, boundary: NeedleForm.Boundary? = nil
  ) -> [NeedleForm] {
    let utf8 = Array(text.utf8)
    let bits = text.unicodeScalars.reduce(0.0) { $0 + ($1.isASCII ? 5 : 12) }
    // A short value counts as a word of its own, or as all of a field.
    let short: NeedleForm.Boundary = text.contains(where: \.isLetter) ? .word : .number
    let edge = boundary ?? (bits < NeedleForm.weakBelow ? short : .none)
    let isASCII = utf8.allSatisfy { $0 < 0x80 }
    var forms: [NeedleForm] = []
    func add(_ name: String, _ bytes: [UInt8], fold: Bool = true) {
      // Beside two-byte characters a byte that looks like a letter may be half of another character.
      let isEdged = isASCII || name.hasPrefix("utf8")
      forms.append(
        NeedleForm(
          name, bytes, ignoresCase: ignoresCase && fold, boundary: isEdged ? edge : .none,
          bits: isEdged ? bits : nil))
    }
    add("utf8", utf8)
    let spellings = Self.spellings(of: text, ignoresCase: ignoresCase)
    for (name, spelling) in spellings.dropFirst() { add("utf8-\(name)", Array(spelling.utf8)) }
    for (name, spelling) in spellings {
      let suffix = name.isEmpty ? "" : "-\(name)"
      add(
        "utf16le\(suffix)",
        spelling.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
      add(
        "utf16be\(suffix)",
        spelling.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] })
    }
    let scalars = text.unicodeScalars.map(\.value)
    add("utf32le", scalars.flatMap { Self.bytes($0).reversed() })
    add("utf32be", scalars.flatMap { Self.bytes($0) })
    if !utf8.allSatisfy({ $0 < 0x80 }) {
      if let bytes = Transcoder.encode(text, as: "GB18030") { add("gb18030", bytes) }
      if let bytes = Transcoder.encode(text, as: "ISO-8859-1") { add("latin1", bytes) }
    }
    forms += escapedForms(text, edge: edge, bits: bits)
    add("reversed", Array(String(text.reversed()).utf8))
    if utf8.contains(where: \.isASCIILetter) { add("rot13", utf8.map(Self.rotated)) }
    // Decoding finds longer ones; what is as short as a name it takes for a word.
    if !isASCII {
      forms += encodedForms(text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
        .filter { $0.name == "hex" || $0.name.hasPrefix("base64") }
        .map { form in
          var form = form
          form.name = "utf16le-\(form.name)"
          form.bits *= 8.0 / 5
          return form
        }
    }
    return forms + encodedForms(utf8)
  }

  /// The text as it is, in other normal forms, and in other case where folding ASCII is not enough.
  private static func spellings(
    of text: String, ignoresCase: Bool
  ) -> [(name: String, text: String)] {
    var spellings = [("", text)]
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return spellings }
    var candidates = [("nfc", Self.string(text._nfc)), ("nfd", Self.string(text._nfd))]
    if ignoresCase {
      candidates += [("lower", text.lowercased()), ("upper", text.uppercased())]
    }
    for (name, spelling) in candidates
    where !spellings.contains(where: { $0.1.utf8.elementsEqual(spelling.utf8) }) {
      spellings.append((name, spelling))
    }
    return spellings
  }

  /// Percent-encoding, JSON escapes and quoted-printable, of what must be escaped and of everything.
  private func escapedForms(
    _ text: String, edge: NeedleForm.Boundary, bits: Double
  ) -> [NeedleForm] {
    let utf8 = Array(text.utf8)
    func form(_ name: String, _ text: String) -> NeedleForm {
      NeedleForm(name, Array(text.utf8), ignoresCase: true, boundary: edge, bits: bits)
    }
    func percent(_ byte: UInt8) -> String { "%" + [byte].hexadecimal }
    func escape(_ unit: UInt16) -> String {
      "\\u" + [UInt8(unit >> 8), UInt8(unit & 255)].hexadecimal
    }
    let unreserved = Set("-._~".utf8)
    var forms = [
      form("percent", utf8.map(percent).joined()),
      form(
        "percent",
        utf8.map { byte in
          byte.isASCIIAlphanumeric || unreserved.contains(byte)
            ? String(decoding: [byte], as: UTF8.self) : percent(byte)
        }.joined()),
      form("json-escape", text.utf16.map(escape).joined()),
      form(
        "json-escape",
        text.utf16.map { $0 < 0x80 ? String(decoding: [$0], as: UTF16.self) : escape($0) }.joined()),
    ]
    if utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "=") }) {
      let quoted = utf8.map { byte in
        byte >= 0x80 || byte == UInt8(ascii: "=")
          ? "=" + [byte].hexadecimal : String(decoding: [byte], as: UTF8.self)
      }
      forms.append(form("quoted-printable", quoted.joined()))
    }
    if text.contains(" ") {
      // As fields of a form are sent (WHATWG URL Standard, §5.2).
      let sent = utf8.map { byte in
        byte == UInt8(ascii: " ")
          ? "+"
          : byte.isASCIIAlphanumeric || unreserved.contains(byte)
            ? String(decoding: [byte], as: UTF8.self) : percent(byte)
      }
      forms.append(form("percent", sent.joined()))
      for spacing in ["\u{a0}", "_", ".", "-", "\n", "\r\n", "  "] {
        forms.append(form("utf8-spacing", text.replacing(" ", with: spacing)))
      }
    }
    // Where nothing had to be escaped it is the text itself, whose case may count.
    return forms.filter { $0.bytes != utf8 }
  }

  /// Base64 (both alphabets, three alignments), base32 (five alignments) and hexadecimal of bytes.
  func encodedForms(_ bytes: [UInt8]) -> [NeedleForm] {
    let bits = Double(bytes.count) * 5
    var forms: [NeedleForm] = []
    for shift in 0..<3 {
      let standard = BaseEncoding.base64.encode(bytes, shift: shift)
      forms.append(NeedleForm("base64", standard, bits: bits))
      let url = BaseEncoding.base64URL.encode(bytes, shift: shift)
      if url != standard { forms.append(NeedleForm("base64url", url, bits: bits)) }
    }
    for shift in 0..<5 {
      let text = BaseEncoding.base32.encode(bytes, shift: shift)
      forms.append(NeedleForm("base32", text, ignoresCase: true, bits: bits))
    }
    let digits = Array(bytes.hexadecimal.utf8)
    forms.append(NeedleForm("hex", digits, ignoresCase: true, bits: bits))
    let spaced = bytes.map { [$0].hexadecimal }.joined(separator: " ")
    forms.append(NeedleForm("hex-spaced", Array(spaced.utf8), ignoresCase: true, bits: bits))
    forms.append(
      NeedleForm("hex-utf16le", digits.flatMap { [$0, 0] }, ignoresCase: true, bits: bits))
    forms.append(
      NeedleForm("hex-utf16be", digits.flatMap { [0, $0] }, ignoresCase: true, bits: bits))
    return forms.filter { $0.bytes.count >= 6 }
  }

  private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func rotated(_ byte: UInt8) -> UInt8 {
    guard byte.isASCIILetter else { return byte }
    let base = byte & 0x20 | UInt8(ascii: "A")
    return base + (byte - base + 13) % 26
  }
}
