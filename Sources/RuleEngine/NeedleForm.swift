import Bytes

/// One way a needle's value can stand in storage: the bytes to look for and how to judge them.
package struct NeedleForm: Sendable {
  /// As reports name it: `utf8`, `base64`, `real-2001-be`.
  package var name: String
  package var bytes: [UInt8]
  package var ignoresCase = false
  package var boundary = Boundary.none
  /// How many random bits the form holds: the expected number of chance hits in `n` bytes of random
  /// data is `n / 2^bits`.
  package var bits: Double

  /// What may not stand beside the form for it to count.
  package enum Boundary: Sendable {
    case none
    /// A letter, a digit, or a decimal point with a digit: the value is part of a longer number.
    case number
    /// A letter: the value is part of a longer word.
    case word
  }

  init(
    _ name: String, _ bytes: [UInt8], ignoresCase: Bool = false, boundary: Boundary = .none,
    bits: Double? = nil
  ) {
    self.name = name
    self.bytes = bytes
    self.ignoresCase = ignoresCase
    self.boundary = boundary
    self.bits = bits ?? Double(bytes.count) * 8
  }

  /// Fewer bytes than this are everywhere; such a form is left out.
  static let shortest = 4

  /// Fewer bits than this need context to count once many bytes are scanned.
  package static let weakBelow = 40.0

  /// Whether the form would hit by chance in some gigabytes of data and so needs a whole field to
  /// count.
  package var isWeak: Bool { bits < Self.weakBelow && boundary == .none }
}

extension Needle {
  /// Every form of the value that is long enough to look for, the plainest first.
  package func forms() throws(NeedleError) -> [NeedleForm] {
    let all: [NeedleForm]
    switch kind {
    case .text: all = textForms(value, ignoresCase: true)
    case .passphrase: all = textForms(value, ignoresCase: false)
    case .email: all = textForms(value, ignoresCase: true)
    case .number: all = try numberForms()
    case .phone: all = try phoneForms()
    case .date: all = try dateForms()
    case .bytesHex: all = byteForms(try bytes())
    case .keyHex: all = keyForms(try bytes())
    }
    var seen: Set<LiteralDatabase.Literal> = []
    let usable = all.filter { form in
      form.bytes.count >= NeedleForm.shortest
        && seen.insert(.init(form.bytes, ignoresCase: form.ignoresCase)).inserted
    }
    // A value that is not looked for as it is written would only seem to be looked for.
    guard let plain = all.first, plain.bytes.count >= NeedleForm.shortest else {
      throw NeedleError(
        id: id, problem: "needle \"\(id)\" is too short to tell from chance",
        remedy: "give at least \(NeedleForm.shortest) bytes, or a longer value that contains it")
    }
    return usable
  }

  private func bytes() throws(NeedleError) -> [UInt8] {
    let digits = value.filter { !$0.isWhitespace }
    guard let bytes = [UInt8](hexadecimal: digits), bytes.count >= NeedleForm.shortest else {
      throw NeedleError(
        id: id, problem: "needle \"\(id)\" is not hexadecimal",
        remedy: "give an even number of hexadecimal digits, at least eight")
    }
    return bytes
  }
}
