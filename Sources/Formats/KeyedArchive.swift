import Bytes

/// An object graph as NSKeyedArchiver writes it: a property list with `$archiver`, `$objects`, and `$top`,
/// whose values name entries of `$objects` by UID. Objects are told apart by the keys they use, which
/// also fits classes unknown here: those are dictionaries of their coded properties.
package struct KeyedArchive: Sendable {
  /// Nodes of `$objects`.
  package let objects: [UInt32]
  /// Node of `$objects`.
  let container: Int
  /// Node of the dictionary of entry points.
  package let top: Int

  /// How a stored value is to be shown.
  package enum Rendering: UInt8, Sendable {
    case asStored
    /// Seconds since 2001 in `NS.time`.
    case date
    /// 16 bytes in `NS.uuidbytes`.
    case uuid
    /// UTF-8 in `NS.bytes`.
    case text
  }

  package init?(_ list: PropertyList, in file: RawSpan) {
    guard let root = list.root,
      let objects = list.value(of: root, under: "$objects", in: file),
      let top = list.value(of: root, under: "$top", in: file), list.nodes.indices.contains(objects),
      list.nodes.indices.contains(top), list.nodes[objects].kind == .array
    else { return nil }
    container = objects
    self.objects = Array(list.children(of: objects))
    self.top = top
  }

  /// Where a chain of UIDs leads; nothing for `$null` (UID 0), a missing object or a loop.
  package func target(of node: Int, in list: PropertyList) -> Int? {
    var node = node
    for _ in 0..<8 {
      guard list.nodes.indices.contains(node) else { return nil }
      guard list.nodes[node].kind == .uid else { return node }
      let uid = list.nodes[node].uid
      guard uid > 0, uid < UInt64(objects.count), objects[Int(uid)] != PropertyList.missing else {
        return nil
      }
      node = Int(objects[Int(uid)])
    }
    return nil
  }

  /// The class of an archived object.
  package func className(of object: Int, in list: PropertyList, file: RawSpan) -> String? {
    guard let reference = list.value(of: object, under: "$class", in: file),
      let description = target(of: reference, in: list),
      let name = list.value(of: description, under: "$classname", in: file)
    else { return nil }
    return list.text(name, in: file)
  }

  /// What an object that wraps one value holds: NSString, NSData, NSDate, NSUUID, NSURL without base.
  func content(of object: Int, in list: PropertyList, file: RawSpan) -> (Int, Rendering)? {
    // Few keys: one that is shared by many is looked at again each time.
    guard list.nodes[object].kind == .dictionary, list.children(of: object).count <= 32 else {
      return nil
    }
    func value(_ key: StaticString) -> Int? {
      list.value(of: object, under: key, in: file).flatMap { target(of: $0, in: list) }
    }
    if let text = value("NS.string") { return (text, .asStored) }
    if let data = value("NS.data") { return (data, .asStored) }
    if let bytes = value("NS.bytes") { return (bytes, .text) }
    if let time = value("NS.time") { return (time, .date) }
    if let uuid = value("NS.uuidbytes") { return (uuid, .uuid) }
    if let relative = value("NS.relative"), value("NS.base") == nil { return (relative, .asStored) }
    return nil
  }
}
