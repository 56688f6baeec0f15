import Bytes

/// One value of a container under its name or number.
struct PropertyListEntry {
  enum Label {
    case key(UInt32)
    case index(UInt32)
    /// A place in the file, for what no container leads to.
    case offset
  }

  var label: Label
  var node: UInt32
  /// Whether this is the name itself, which may hold something too.
  var isKey = false
}

extension PropertyList {
  /// The values of a container as they are stored.
  func entries(of node: Int) -> [PropertyListEntry] {
    let children = children(of: node)
    if nodes[node].kind == .dictionary { return Self.pairs(of: children) }
    return children.enumerated().map {
      PropertyListEntry(label: .index(UInt32(clamping: $0.offset)), node: $0.element)
    }
  }

  private static func pairs(of children: ArraySlice<UInt32>) -> [PropertyListEntry] {
    var entries: [PropertyListEntry] = []
    entries.reserveCapacity(children.count)
    var index = children.startIndex
    while index + 1 < children.endIndex {
      let key = children[index]
      entries.append(PropertyListEntry(label: .key(key), node: key, isKey: true))
      entries.append(PropertyListEntry(label: .key(key), node: children[index + 1]))
      index += 2
    }
    return entries
  }
}

extension KeyedArchive {
  /// The values of an archived object: the pairs of an NSDictionary, the members of an NSArray or
  /// NSSet, the coded properties of anything else.
  func entries(of object: Int, in list: PropertyList, file: RawSpan) -> [PropertyListEntry] {
    guard list.nodes[object].kind == .dictionary else { return list.entries(of: object) }
    if let values = members(of: object, under: "NS.objects", in: list, file: file) {
      guard let keys = members(of: object, under: "NS.keys", in: list, file: file) else {
        return values.enumerated().map {
          PropertyListEntry(label: .index(UInt32(clamping: $0.offset)), node: $0.element)
        }
      }
      return pairs(keys: keys, values: values, in: list)
    }
    let old = numbered(of: object, in: list, file: file)
    if !old.isEmpty { return old }
    return list.entries(of: object).filter {
      guard case .key(let key) = $0.label else { return true }
      return !list.isText(Int(key), "$class", in: file)
    }
  }

  private func members(
    of object: Int, under key: StaticString, in list: PropertyList, file: RawSpan
  ) -> ArraySlice<UInt32>? {
    guard let stored = list.value(of: object, under: key, in: file),
      let array = target(of: stored, in: list), list.nodes[array].kind == .array
    else { return nil }
    return list.children(of: array)
  }

  private func pairs(
    keys: ArraySlice<UInt32>, values: ArraySlice<UInt32>, in list: PropertyList
  ) -> [PropertyListEntry] {
    var entries: [PropertyListEntry] = []
    for (key, value) in zip(keys, values) {
      let name = target(of: Int(key), in: list).map { UInt32(clamping: $0) } ?? PropertyList.missing
      entries.append(PropertyListEntry(label: .key(name), node: name, isKey: true))
      entries.append(PropertyListEntry(label: .key(name), node: value))
    }
    return entries
  }

  /// Collections of archives from before keyed arrays: `NS.object.0`, with `NS.key.0` in dictionaries.
  private func numbered(
    of object: Int, in list: PropertyList, file: RawSpan
  ) -> [PropertyListEntry] {
    var keys: [Int: UInt32] = [:]
    var values: [(Int, UInt32)] = []
    for entry in list.entries(of: object) where !entry.isKey {
      guard case .key(let name) = entry.label, name != PropertyList.missing,
        let text = list.text(Int(name), in: file, limit: 32)
      else { continue }
      if text.hasPrefix("NS.key."), let number = Int(text.dropFirst(7)) {
        keys[number] = target(of: Int(entry.node), in: list).map { UInt32(clamping: $0) }
      } else if text.hasPrefix("NS.object."), let number = Int(text.dropFirst(10)) {
        values.append((number, entry.node))
      }
    }
    return values.map { number, value in
      PropertyListEntry(
        label: keys[number].map { .key($0) } ?? .index(UInt32(clamping: number)), node: value)
    }
  }
}
