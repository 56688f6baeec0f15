/// The text form of a private key (RFC 7468, and OpenSSH's own), as it stands in files, in JSON strings
/// and in source code.
enum PEMPrivateKey {
  /// The body must decode to the start of a key: a DER sequence whose stated length fits what is there,
  /// or OpenSSH's magic. A body cut short still counts from 40 characters on.
  static func isPlausible(_ text: [UInt8]) -> Bool {
    let marker = Array("PRIVATE KEY-----".utf8)
    guard text.count > marker.count,
      let start = (0..<text.count - marker.count).first(where: {
        text[$0...].starts(with: marker)
      })
    else { return false }
    let body = PEMBody(text[(start + marker.count)...])
    guard body.characters.count >= 40 else { return false }
    if body.isEncrypted { return true }
    // One character alone in the last group says that the body was cut there.
    let count = body.characters.count
    guard let bytes = base64Decoded(body.characters.prefix(count % 4 == 1 ? count - 1 : count))
    else { return false }
    if bytes.starts(with: "openssh-key-v1\0".utf8) { return true }
    guard let sequence = DERElement(bytes[...]), sequence.tag == DERElement.sequence,
      (32...20_000).contains(sequence.length),
      let first = DERElement(sequence.content)
    else { return false }
    guard !body.isEnded || sequence.isWhole else { return false }
    // PKCS#1, SEC1 and PKCS#8 start with a version; an encrypted PKCS#8 with its algorithm.
    return first.tag == DERElement.sequence
      || first.tag == DERElement.integer && first.length == 1 && (first.content.first ?? 9) < 3
  }
}

/// The base64 characters of a PEM body, free of line ends in whatever spelling, of the quotes and signs
/// that join string literals, and of RFC 1421 headers.
private struct PEMBody {
  private(set) var characters: [UInt8] = []
  private(set) var isEncrypted = false
  /// Whether the END line was reached, so that the body is all there.
  private(set) var isEnded = false
  /// Whether lines of the body stand behind what a log writes in front of each.
  private var isLogged = false

  init(_ text: ArraySlice<UInt8>) {
    var rest = text
    while let character = rest.popFirst() {
      switch character {
      case UInt8(ascii: "-") where rest.starts(with: "----".utf8):
        isEnded = rest.starts(with: "----END ".utf8)
        return
      case UInt8(ascii: ":"):
        // A header line: drop its name and the rest of the line, which says how the body is encrypted.
        isEncrypted = true
        characters.removeAll()
        dropLine(&rest)
      case UInt8(ascii: "\\"):
        if dropEscape(&rest) { dropLogged(&rest) }
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard dropJoin(&rest) else { return }
      case 0x0A:
        dropMarks(&rest)
        dropLogged(&rest)
      case UInt8(ascii: "="), 0x09, 0x0D, 0x20: continue
      default:
        guard base64Value(of: character) != nil else { return }
        characters.append(character)
      }
    }
  }

  /// Moves over what quoted mail, comments and tables put in front of a line.
  private func dropMarks(_ rest: inout ArraySlice<UInt8>) {
    while let character = rest.first {
      switch character {
      case 0x09, 0x20, UInt8(ascii: ">"), UInt8(ascii: "#"), UInt8(ascii: "*"), UInt8(ascii: "|"):
        rest.removeFirst()
      case UInt8(ascii: "/") where rest.starts(with: "// ".utf8): rest.removeFirst(3)
      default: return
      }
    }
  }

  /// Moves over the time, name or step that a log writes in front of every line. The first line of the
  /// body says whether there is one: a key begins like that, and no header does.
  private mutating func dropLogged(_ rest: inout ArraySlice<UInt8>) {
    let line = rest.prefix(180).prefix {
      $0 != 0x0A && $0 != 0x0D && $0 != UInt8(ascii: "\\")
    }
    if isLogged, let end = line.indices.first(where: { line[$0...].starts(with: "-----END ".utf8) })
    {
      rest = rest[end...]
      return
    }
    guard let blank = line.lastIndex(where: { $0 == 0x20 || $0 == 0x09 }) else { return }
    let word = line[(blank + 1)...]
    guard isBase64(word), isLogged || characters.isEmpty && Self.beginsKey(word) else { return }
    isLogged = true
    rest = rest[(blank + 1)...]
  }

  private static func beginsKey(_ word: ArraySlice<UInt8>) -> Bool {
    ["MI", "MC", "ME", "MF", "MG", "MH", "b3BlbnNzaC1rZXk"].contains {
      word.starts(with: $0.utf8)
    }
  }

  private func isBase64(_ word: ArraySlice<UInt8>) -> Bool {
    !word.isEmpty && word.allSatisfy { base64Value(of: $0) != nil || $0 == UInt8(ascii: "=") }
  }

  /// Moves over one escape: `\n`, `\r`, `\t`, several backslashes before them; `\/` is a slash.
  /// Whether it was the end of a line.
  private mutating func dropEscape(_ rest: inout ArraySlice<UInt8>) -> Bool {
    while rest.first == UInt8(ascii: "\\") { rest.removeFirst() }
    switch rest.first {
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return rest.removeFirst() == UInt8(ascii: "n")
    default: return false
    }
  }

  /// Moves from the end of one string literal to the start of the next, if one follows at once.
  private func dropJoin(_ rest: inout ArraySlice<UInt8>) -> Bool {
    while let character = rest.popFirst() {
      switch character {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): return true
      case 0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: "\\"),
        UInt8(ascii: "."), UInt8(ascii: "@"):
        continue
      default: return false
      }
    }
    return false
  }

  private func dropLine(_ rest: inout ArraySlice<UInt8>) {
    while let character = rest.popFirst() {
      if character == 0x0A { return }
      if character == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "n") {
        rest.removeFirst()
        return
      }
    }
  }
}
