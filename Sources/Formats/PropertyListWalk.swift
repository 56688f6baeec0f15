import Bytes

/// A walk over every value of a property list, each with the key path that leads to it; archived
/// objects are resolved. Every container is entered once, so neither cycles nor shared branches can
/// make it long, and what no container leads to is visited at the end.
package struct PropertyListWalk {
  /// A value that is no container.
  package struct Visit: Sendable {
    package var node: Int
    package var rendering: KeyedArchive.Rendering
    /// Whether this is a dictionary's key, not a value.
    package var isKey: Bool
    /// Whether the root leads here: damage and leftovers are visited all the same.
    package var isReachable: Bool
  }

  private struct Frame {
    var entries: [PropertyListEntry]
    var position = 0
  }

  /// Containers inside one another that a key path names; deeper ones start a path of their own.
  static let depthLimit = 64
  /// Bytes of a value that is visited again at every place that shares it.
  private static let sharedSize = 256

  package let list: PropertyList
  package let archive: KeyedArchive?
  private var frames: [Frame] = []
  private var pending: [UInt32] = []
  private var entered: [Bool]
  private var nextOrphan = 0
  private var isReachable = true
  /// Whether only what was never visited is still to be.
  private var isLeftover = false
  private var reachable: [Bool] = []
  /// Whether objects of the archive are being resolved: not while leftovers are visited as stored.
  private var resolves: Bool
  /// Entries that may still be made: objects of a hostile archive share arrays.
  private var budget: Int
  private var repeats: Int

  package init(_ list: PropertyList, in file: RawSpan) {
    self.list = list
    archive = KeyedArchive(list, in: file)
    resolves = archive != nil
    entered = [Bool](repeating: false, count: list.nodes.count)
    budget = (list.nodes.count + list.children.count) * 4 + 1024
    repeats = list.children.count + 1024
    if let archive {
      // What holds the archive together is not walked as stored as well.
      for node in [archive.top, archive.container, list.root ?? archive.top] {
        entered[node] = true
      }
      frames = [Frame(entries: list.entries(of: archive.top))]
    } else if let root = list.root {
      frames = [Frame(entries: [PropertyListEntry(label: .offset, node: UInt32(clamping: root))])]
    }
  }

  /// Whether a bound kept values from being visited under all their names.
  package var isBounded: Bool { budget <= 0 }
  /// Whether containers were nested deeper than a key path names.
  package private(set) var isDeep = false

  package mutating func next(in file: RawSpan) -> Visit? {
    while true {
      guard let entry = nextEntry() else {
        guard startNext() else { return nil }
        continue
      }
      guard entry.node != PropertyList.missing, Int(entry.node) < list.nodes.count else { continue }
      guard let (node, rendering) = resolve(Int(entry.node), in: file) else { continue }
      if list.nodes[node].kind.isContainer {
        enter(node, in: file)
      } else if shouldVisit(node) {
        return Visit(
          node: node, rendering: rendering, isKey: entry.isKey, isReachable: isReachable)
      }
    }
  }

  private mutating func nextEntry() -> PropertyListEntry? {
    while let frame = frames.last {
      if frame.position < frame.entries.count {
        frames[frames.count - 1].position += 1
        return frame.entries[frame.position]
      }
      frames.removeLast()
    }
    return nil
  }

  /// Starts over at the next container too deep for its path, unreferenced object, or leftover.
  private mutating func startNext() -> Bool {
    if let deep = pending.popLast() {
      frames = [Frame(entries: [PropertyListEntry(label: .offset, node: deep)])]
      return true
    }
    if let archive, resolves {
      while nextOrphan < archive.objects.count {
        let object = archive.objects[nextOrphan]
        nextOrphan += 1
        if object != PropertyList.missing, Int(object) < entered.count, !entered[Int(object)] {
          frames = [Frame(entries: [PropertyListEntry(label: .offset, node: object)])]
          return true
        }
      }
      resolves = false
      nextOrphan = 0
    }
    isLeftover = true
    while nextOrphan < entered.count {
      defer { nextOrphan += 1 }
      if entered[nextOrphan] { continue }
      if reachable.isEmpty { reachable = list.reachable() }
      isReachable = reachable[nextOrphan] || !list.damage.isEmpty
      frames = [
        Frame(entries: [PropertyListEntry(label: .offset, node: UInt32(clamping: nextOrphan))])
      ]
      return true
    }
    return false
  }

  private mutating func resolve(
    _ node: Int, in file: RawSpan
  ) -> (Int, KeyedArchive.Rendering)? {
    guard resolves, let archive else { return (node, .asStored) }
    if list.nodes[node].kind == .uid { entered[node] = true }
    guard let target = archive.target(of: node, in: list) else { return nil }
    guard let (content, rendering) = archive.content(of: target, in: list, file: file),
      content != target
    else { return (target, .asStored) }
    entered[target] = true
    // One step more: a mutable string may wrap an immutable one.
    guard let (inner, innerRendering) = archive.content(of: content, in: list, file: file) else {
      return (content, rendering)
    }
    entered[content] = true
    return (inner, innerRendering)
  }

  private mutating func enter(_ node: Int, in file: RawSpan) {
    guard !entered[node] else { return }
    guard frames.count < Self.depthLimit else {
      isDeep = true
      pending.append(UInt32(clamping: node))
      return
    }
    entered[node] = true
    guard budget > 0 else { return }
    let entries =
      resolves ? archive?.entries(of: node, in: list, file: file) : list.entries(of: node)
    budget -= (entries?.count ?? 0) + 1
    frames.append(Frame(entries: entries ?? []))
  }

  /// Small values are visited wherever they are shared, since their key says what they are.
  private mutating func shouldVisit(_ node: Int) -> Bool {
    guard entered[node] else {
      entered[node] = true
      return true
    }
    guard !isLeftover, repeats > 0, list.nodes[node].range.count <= Self.sharedSize else {
      return false
    }
    repeats -= 1
    return true
  }
}

extension PropertyListWalk {
  /// The steps to the value visited last: `["key", "accounts", "2", "token"]`, or from
  /// `["offset", "1234"]` on where no path from the root was followed.
  package func steps(in file: RawSpan) -> [String] {
    var start: [String] = []
    var names: [String] = []
    for frame in frames where frame.position > 0 {
      let entry = frame.entries[frame.position - 1]
      switch entry.label {
      case .key(let key): names.append(name(of: key, in: file))
      case .index(let index): names.append(String(index))
      case .offset:
        guard Int(entry.node) != list.root else { continue }
        start = ["offset", String(list.nodes[Int(entry.node)].range.lowerBound)]
      }
    }
    return names.isEmpty ? start : start + ["key"] + names
  }

  /// The innermost name on the way to the value visited last.
  package func key(in file: RawSpan) -> String? {
    for frame in frames.reversed() where frame.position > 0 {
      if case .key(let key) = frame.entries[frame.position - 1].label {
        return name(of: key, in: file)
      }
    }
    return nil
  }

  /// Names and short texts that stand in the same dictionary, nearest first: at most 8 of at most 64
  /// characters.
  package func neighbours(in file: RawSpan) -> [String] {
    guard let frame = frames.last, frame.position > 0 else { return [] }
    let current = frame.position - 1
    guard case .key = frame.entries[current].label else { return [] }
    var texts: [String] = []
    for distance in 1...24 {
      for index in [current - distance, current + distance] where texts.count < 8 {
        guard frame.entries.indices.contains(index) else { continue }
        let entry = frame.entries[index]
        guard case .key(let key) = entry.label else { continue }
        // The value's own name is its key already.
        if entry.isKey, index == current - 1, !frame.entries[current].isKey { continue }
        let node = entry.isKey ? key : entry.node
        if let text = shortText(node, in: file) { texts.append(text) }
      }
    }
    return texts
  }

  private func shortText(_ node: UInt32, in file: RawSpan) -> String? {
    guard node != PropertyList.missing, Int(node) < list.nodes.count else { return nil }
    let target = resolvedText(Int(node), in: file)
    guard list.nodes[target].kind == .string, !list.nodes[target].content.isEmpty,
      list.nodes[target].content.count <= 512, let text = list.text(target, in: file)
    else { return nil }
    return text.utf8.count <= 64 || text.count <= 64 ? text : nil
  }

  private func resolvedText(_ node: Int, in file: RawSpan) -> Int {
    guard resolves, let archive, let target = archive.target(of: node, in: list) else {
      return node
    }
    return archive.content(of: target, in: list, file: file)?.0 ?? target
  }

  private func name(of key: UInt32, in file: RawSpan) -> String {
    guard key != PropertyList.missing, Int(key) < list.nodes.count else { return "?" }
    let node = resolvedText(Int(key), in: file)
    switch list.nodes[node].kind {
    case .string: return list.text(node, in: file, limit: 128) ?? "?"
    case .integer: return String(list.nodes[node].integer)
    default: return "?"
    }
  }
}
