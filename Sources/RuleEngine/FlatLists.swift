/// Lists of values kept in one array: no memory of its own is touched, counted or freed to look at one
/// of them.
struct FlatLists<Element: Sendable>: Sendable {
  private let elements: [Element]
  /// Where each list starts; one more for the end.
  private let starts: [Int]

  init(_ lists: [[Element]]) {
    elements = lists.flatMap(\.self)
    var starts = [0]
    for list in lists { starts.append(starts[starts.count - 1] + list.count) }
    self.starts = starts
  }

  /// Positions of the elements of a list.
  func positions(of list: Int) -> Range<Int> { starts[list]..<starts[list + 1] }

  subscript(position: Int) -> Element { elements[position] }
}
