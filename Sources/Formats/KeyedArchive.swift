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
    let pairs = list.children(of: object)
    // Few keys: an object that is shared by many is looked at again each time.
    guard list.nodes[object].kind == .dictionary, pairs.count <= 16 else { return nil }
    var relative: (Int, Rendering)?
    for index in stride(from: pairs.startIndex, to: pairs.endIndex - 1, by: 2) {
      let key = Int(pairs[index])
      guard key < list.nodes.count, pairs[index + 1] != PropertyList.missing,
        file.hasBytes("NS.", at: list.nodes[key].content.lowerBound),
        let value = target(of: Int(pairs[index + 1]), in: list)
      else { continue }
      if let rendering = wrapper(key, in: list, file: file) { return (value, rendering) }
      if list.isText(key, "NS.relative", in: file) { relative = (value, .asStored) }
      if list.isText(key, "NS.base", in: file) { return nil }
    }
    return relative
  }

  private func wrapper(_ key: Int, in list: PropertyList, file: RawSpan) -> Rendering? {
    if list.isText(key, "NS.string", in: file) { return .asStored }
    if list.isText(key, "NS.data", in: file) { return .asStored }
    if list.isText(key, "NS.bytes", in: file) { return .text }
    if list.isText(key, "NS.time", in: file) { return .date }
    if list.isText(key, "NS.uuidbytes", in: file) { return .uuid }
    return nil
  }
}
