import SecretBytes

/// The items of a ``FileSecretStore`` in memory: names in clear, the secrets in guarded memory.
///
/// Each item is `service ‖ account ‖ group ‖ secret`, each with its length in two bytes; the group of
/// no group is empty.
struct ItemList: ~Copyable {
  private(set) var names: [SecretItem.Identity] = []
  /// Where each secret lies in `content`.
  private var places: [Range<Int>] = []
  private let content: SecretBytes

  init() {
    content = SecretBytes(zeroCount: 0)
  }

  init?(parsing content: borrowing SecretBytes) {
    var names: [SecretItem.Identity] = []
    var places: [Range<Int>] = []
    let isWhole = content.withBytes { bytes in
      var offset = 0
      func field() -> Range<Int>? {
        guard bytes.count - offset >= 2 else { return nil }
        let count = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
        guard bytes.count - offset - 2 >= count else { return nil }
        offset += 2 + count
        return offset - count..<offset
      }
      func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
      }
      while offset < bytes.count {
        guard let service = field(), let account = field(), let group = field(),
          let secret = field()
        else { return false }
        names.append(
          SecretItem.Identity(
            service: text(service), account: text(account),
            accessGroup: group.isEmpty ? nil : text(group)))
        places.append(secret)
      }
      return true
    }
    guard isWhole else { return nil }
    self.names = names
    self.places = places
    self.content = content.duplicate()
  }

  private init(names: [SecretItem.Identity], places: [Range<Int>], content: consuming SecretBytes) {
    self.names = names
    self.places = places
    self.content = content
  }

  borrowing func encoded() -> SecretBytes { content.duplicate() }

  borrowing func secret(of item: SecretItem.Identity) -> SecretBytes? {
    guard let index = names.firstIndex(of: item) else { return nil }
    let place = places[index]
    return content.withBytes {
      SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[place]))
    }
  }

  borrowing func adding(
    _ secret: borrowing SecretBytes, as item: SecretItem.Identity
  ) -> ItemList {
    let header = Self.header(item, secretCount: secret.count)
    let start = content.count + header.count
    let grown = SecretBytes(zeroCount: start + secret.count)
    grown.withMutableBytes { grown in
      content.withBytes { grown.copyMemory(from: $0) }
      for (offset, byte) in header.enumerated() { grown[content.count + offset] = byte }
      secret.withBytes { secret in
        UnsafeMutableRawBufferPointer(rebasing: grown[start...]).copyMemory(from: secret)
      }
    }
    return ItemList(
      names: names + [item], places: places + [start..<start + secret.count], content: grown)
  }

  borrowing func removing(_ item: SecretItem.Identity) -> ItemList {
    var list = ItemList()
    for name in names where name != item {
      guard let secret = secret(of: name) else { continue }
      list = list.adding(secret, as: name)
    }
    return list
  }

  private static func header(_ item: SecretItem.Identity, secretCount: Int) -> [UInt8] {
    var header: [UInt8] = []
    for text in [item.service, item.account, item.accessGroup ?? ""] {
      header.append(littleEndian: UInt16(truncatingIfNeeded: text.utf8.count))
      header.append(contentsOf: text.utf8)
    }
    header.append(littleEndian: UInt16(truncatingIfNeeded: secretCount))
    return header
  }
}
