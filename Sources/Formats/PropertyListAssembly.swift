import Bytes

/// A property list being put together from a text format, one value after the other, with the open
/// containers on a stack of its own: nesting costs no call stack.
struct PropertyListAssembly {
  private struct Frame {
    var node: Int
    /// Where the children of this container start among those that wait for their parents.
    var firstChild: Int
    var awaitsValue = false
  }

  private(set) var list = PropertyList()
  private var frames: [Frame] = []
  private var waiting: [UInt32] = []
  private(set) var isFull = false

  var depth: Int { frames.count }
  var openKind: PropertyList.Kind? { frames.last.map { list.nodes[$0.node].kind } }
  /// Whether a dictionary is open and the next value is a key.
  var expectsKey: Bool { openKind == .dictionary && frames.last?.awaitsValue == false }

  mutating func report(_ kind: PropertyList.Damage.Kind, at offset: Int) {
    list.report(kind, at: offset)
  }

  /// Adds a value where the format allows one.
  mutating func add(_ node: PropertyList.Node, isKey: Bool = false) {
    guard let index = append(node) else { return }
    attach(index, isKey: isKey)
  }

  mutating func open(_ kind: PropertyList.Kind, at offset: Int) {
    guard let index = append(PropertyList.Node(kind, range: offset..<offset)) else { return }
    attach(index, isKey: false)
    frames.append(Frame(node: index, firstChild: waiting.count))
  }

  /// Closes the innermost container.
  mutating func close(at end: Int) {
    guard let frame = frames.popLast() else { return }
    if frame.awaitsValue { waiting.append(PropertyList.missing) }
    let first = list.children.count
    list.children.append(contentsOf: waiting[frame.firstChild...])
    waiting.removeSubrange(frame.firstChild...)
    list.nodes[frame.node].setChildren(first..<list.children.count)
    list.nodes[frame.node].end = UInt32(clamping: end)
  }

  /// Makes the container that was closed last a reference, where it is one in disguise: the XML form
  /// of a UID is a dictionary of one integer.
  mutating func foldReference(in file: RawSpan) {
    guard let children = lastClosed, children.count == 2, let value = children.last,
      let key = children.first, key != PropertyList.missing, value != PropertyList.missing,
      list.isText(Int(key), "CF$UID", in: file), list.nodes[Int(value)].kind == .integer
    else { return }
    let dictionary = Int(key) - 1
    let pair = list.children.count - 2..<list.children.count
    guard list.nodes[dictionary].kind == .dictionary, list.nodes[dictionary].children == pair else {
      return
    }
    list.nodes[dictionary] = PropertyList.Node(
      .uid, range: list.nodes[dictionary].range, bits: list.nodes[Int(value)].payload)
  }

  private var lastClosed: ArraySlice<UInt32>? {
    list.children.count >= 2 ? list.children.suffix(2) : nil
  }

  /// Closes what the end of the file left open.
  mutating func finish(at end: Int) -> PropertyList {
    if !frames.isEmpty { list.report(.truncated, at: end) }
    while !frames.isEmpty { close(at: end) }
    return list
  }

  /// A key without a value stands for itself, as in tables of strings.
  mutating func repeatKey() {
    guard frames.last?.awaitsValue == true, let key = waiting.last else { return }
    waiting.append(key)
    frames[frames.count - 1].awaitsValue = false
  }

  private mutating func append(_ node: PropertyList.Node) -> Int? {
    guard list.nodes.count < PropertyList.nodeLimit / 2 else {
      if !isFull { list.report(.tooMany, at: node.range.lowerBound) }
      isFull = true
      return nil
    }
    list.nodes.append(node)
    return list.nodes.count - 1
  }

  private mutating func attach(_ index: Int, isKey: Bool) {
    guard !frames.isEmpty else {
      if list.root == nil { list.root = index }
      return
    }
    let top = frames.count - 1
    if openKind == .dictionary {
      // A second key in a row leaves the first without a value, and the other way round.
      if isKey == frames[top].awaitsValue {
        waiting.append(PropertyList.missing)
        list.report(.unexpected, at: list.nodes[index].range.lowerBound)
        frames[top].awaitsValue = !isKey
      }
      frames[top].awaitsValue = isKey
    }
    waiting.append(UInt32(clamping: index))
  }
}
