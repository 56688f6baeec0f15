import Bytes

extension Needle {
  /// Raw bytes and their text encodings.
  func byteForms(_ bytes: [UInt8]) -> [NeedleForm] {
    [NeedleForm("raw", bytes), NeedleForm("reversed", bytes.reversed())] + encodedForms(bytes)
  }

  /// The forms of a key: itself, its halves, the words of an AES key schedule in the byte order of
  /// table implementations, and the ways source code and logs write it. A schedule starts with the
  /// key, so the raw form finds it too.
  func keyForms(_ key: [UInt8]) -> [NeedleForm] {
    var forms = byteForms(key)
    if key.count >= 32 {
      forms.append(NeedleForm("half", Array(key.prefix(key.count / 2))))
      forms.append(NeedleForm("half", Array(key.suffix(key.count / 2))))
      for half in [key.prefix(key.count / 2), key.suffix(key.count / 2)] {
        let digits = Array(Array(half).hexadecimal.utf8)
        forms.append(NeedleForm("half-hex", digits, ignoresCase: true))
      }
    }
    if key.count.isMultiple(of: 4) {
      let words = stride(from: 0, to: key.count, by: 4).flatMap { key[$0..<$0 + 4].reversed() }
      forms.append(NeedleForm("raw-words-swapped", words))
    }
    let bits = Double(key.count) * 8
    func add(_ name: String, _ text: String) {
      forms.append(NeedleForm(name, Array(text.utf8), ignoresCase: true, bits: bits))
    }
    let base64 = BaseEncoding.base64.encode(key, shift: 0)
    forms.append(NeedleForm("base64-utf16le", base64.flatMap { [$0, 0] }, bits: bits))
    forms.append(NeedleForm("base64-utf16be", base64.flatMap { [0, $0] }, bits: bits))
    let pairs = key.map { [$0].hexadecimal }
    add("hex-array", pairs.map { "0x\($0)" }.joined(separator: ", "))
    add("hex-array", pairs.map { "0x\($0)" }.joined(separator: ","))
    add("hex-escape", pairs.map { "\\x\($0)" }.joined())
    add("hex-spaced", pairs.joined(separator: " "))
    add("hex-spaced", pairs.joined(separator: ":"))
    for separator in [", ", ","] {
      add("decimal-array", key.map { String($0) }.joined(separator: separator))
      // Java and Kotlin print bytes as signed numbers.
      add("decimal-array", key.map { String(Int8(bitPattern: $0)) }.joined(separator: separator))
    }
    // As debuggers and hex dumps group digits.
    for size in [2, 4, 8] where key.count.isMultiple(of: size) && key.count > size {
      let groups = stride(from: 0, to: key.count, by: size).map {
        Array(key[$0..<$0 + size]).hexadecimal
      }
      add("hex-spaced", groups.joined(separator: " "))
      add("hex-spaced", groups.joined(separator: "-"))
    }
    return forms
  }
}
