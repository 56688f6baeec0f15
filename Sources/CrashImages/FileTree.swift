/// Folders and names, apart from what is in the files: a name leads to a file's number, and a file that
/// is made anew under an old name has another one.
struct FileTree {
  /// Names in each folder, by the folder's number.
  private(set) var folders: [Int: [String: Int]] = [:]
  /// The folders that nothing here holds, by path.
  private var tops: [String: Int] = [:]

  /// The entry that a path names.
  struct Entry: Equatable {
    var folder: Int
    var name: String
  }

  mutating func addTop(_ path: String, _ number: Int) {
    tops[path] = number
    folders[number] = [:]
  }

  /// A folder without names in it, unless it is there.
  mutating func addFolder(_ number: Int) {
    if folders[number] == nil { folders[number] = [:] }
  }

  /// What a path leads to.
  func number(_ path: String) -> Int? {
    if let top = tops[path] { return top }
    guard let entry = entry(path) else { return nil }
    return folders[entry.folder]?[entry.name]
  }

  /// Where the name at the end of a path stands, whether there is one or not.
  func entry(_ path: String) -> Entry? {
    let parent = path.enclosingFolder
    guard parent != path, let folder = number(parent), folders[folder] != nil else { return nil }
    return Entry(folder: folder, name: String(path.dropFirst(parent.count).drop { $0 == "/" }))
  }

  subscript(entry: Entry) -> Int? {
    get { folders[entry.folder]?[entry.name] }
    set { folders[entry.folder, default: [:]][entry.name] = newValue }
  }

  /// Every name that a top leads to, with its path.
  func walk(_ visit: (String, Int) -> Void) {
    for (path, number) in tops { walk(path, number, visit) }
  }

  private func walk(_ path: String, _ number: Int, _ visit: (String, Int) -> Void) {
    visit(path, number)
    for (name, inner) in folders[number] ?? [:] {
      walk(path + "/" + name, inner, visit)
    }
  }
}
