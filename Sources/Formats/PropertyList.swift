import Bytes

/// A property list of any format as flat nodes that say where each value lies; it copies no content,
/// so that every value can be shown in the file, and it can neither be deep nor cyclic in memory.
package struct PropertyList: Sendable {
  package enum Kind: UInt8, Sendable {
    case null, boolean, integer, real, date, data, string, uid, array, set, dictionary

    package var isContainer: Bool { self == .array || self == .set || self == .dictionary }
  }

  /// How the content of a value is stored. `written` is a number or date in digits: its range is those.
  package enum Storage: UInt8, Sendable {
    case asStored, utf16BigEndian, markup, quoted, base64, hexadecimal, written
  }

  /// One value.
  package struct Node: Sendable {
    package var kind: Kind
    package var storage: Storage = .asStored
    var start: UInt32
    var end: UInt32
    /// Bits of a number, or two halves: start and count of the content, or of the children.
    var payload: UInt64

    /// All bytes of the value, its marker or tags included.
    package var range: Range<Int> { Int(start)..<Int(max(start, end)) }
    /// The bytes of a string's or data value's content.
    package var content: Range<Int> {
      let first = Int(payload >> 32)
      return first..<first + Int(payload & 0xFFFF_FFFF)
    }
    package var integer: Int64 { Int64(bitPattern: payload) }
    package var real: Double { Double(bitPattern: payload) }
    package var boolean: Bool { payload != 0 }
    package var uid: UInt64 { payload }
    /// Where the children stand, of a container.
    var children: Range<Int> { content }
  }

  /// Something wrong in the file, and where.
  package struct Damage: Equatable, Sendable {
    package enum Kind: String, Sendable {
      case truncated = "ends in the middle of a value"
      case badTrailer = "has no valid trailer, its objects were read in file order"
      case badOffset = "names an object outside the file"
      case badReference = "refers to an object that does not exist"
      case badMarker = "holds an object of unknown type"
      case badKey = "has a dictionary key that is no string"
      case overlap = "has objects that share more bytes than the file holds"
      case tooMany = "has more values than can be held"
      case unexpected = "holds something that does not belong there"
      case badNesting = "closes what it did not open"
    }
    package var kind: Kind
    package var offset: Int
  }

  /// Stands for a child that does not exist.
  package static let missing = UInt32.max
  /// Files that are read whole.
  package static let sizeLimit = 32 << 20
  /// Values that are held.
  static let nodeLimit = 1 << 21
  private static let damageLimit = 16

  package internal(set) var nodes: [Node] = []
  var children: [UInt32] = []
  package internal(set) var root: Int?
  package private(set) var damage: [Damage] = []

  /// Children of an array or set; key, value, key, value of a dictionary.
  package func children(of node: Int) -> ArraySlice<UInt32> {
    guard nodes.indices.contains(node), nodes[node].kind.isContainer else { return [] }
    return children[nodes[node].children.clamped(to: 0..<children.count)]
  }

  mutating func report(_ kind: Damage.Kind, at offset: Int) {
    guard damage.count < Self.damageLimit else { return }
    damage.append(Damage(kind: kind, offset: offset))
  }
}

extension PropertyList.Node {
  /// A string or data value.
  init(
    _ kind: PropertyList.Kind, storage: PropertyList.Storage, range: Range<Int>, content: Range<Int>
  ) {
    self.init(
      kind: kind, storage: storage, start: UInt32(clamping: range.lowerBound),
      end: UInt32(clamping: range.upperBound),
      payload: UInt64(UInt32(clamping: content.lowerBound)) << 32
        | UInt64(UInt32(clamping: content.count)))
  }

  /// Any other value, or a container whose children are added later.
  init(_ kind: PropertyList.Kind, range: Range<Int>, bits: UInt64 = 0) {
    self.init(
      kind: kind, start: UInt32(clamping: range.lowerBound),
      end: UInt32(clamping: range.upperBound), payload: bits)
  }

  mutating func setChildren(_ range: Range<Int>) {
    payload =
      UInt64(UInt32(clamping: range.lowerBound)) << 32 | UInt64(UInt32(clamping: range.count))
  }
}
