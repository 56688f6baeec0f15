extension String {
  /// What a table or column is called where Core Data put a Z before its name: `ZPHONENUMBER`.
  package var withoutCoreDataPrefix: String {
    let isPrefixed =
      utf8.count > 3 && utf8.first == UInt8(ascii: "Z")
      && utf8.allSatisfy { 0x41...0x5a ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "_") }
    return isPrefixed ? String(dropFirst()) : self
  }
}
