/// Writes keyed archives as NSKeyedArchiver lays them out: objects that name one another by UID.
package struct KeyedArchiveBuilder {
  private var list = PropertyListBuilder()
  /// Numbers of the entries of `$objects` in the list; entry 0 is `$null`.
  private var objects: [Int] = []
  private var classes: [String: Int] = [:]

  package init() {
    objects.append(list.string("$null"))
  }

  /// UID of the object that is added next.
  package var nextObject: Int { objects.count }

  /// A string as an object of its own.
  package mutating func string(_ text: String) -> Int {
    add(list.string(text))
  }

  /// An object of a class with coded properties.
  package mutating func object(
    _ className: String, _ build: (inout PropertyListBuilder) -> [(String, Int)]
  ) -> Int {
    let type = describe(className)
    // Its own number is taken first: properties may add nothing to the objects.
    var properties = build(&list)
    properties.append(("$class", list.uid(type)))
    return add(list.dictionary(properties))
  }

  package mutating func array(_ members: [Int], className: String = "NSArray") -> Int {
    object(className) { list in
      let uids = members.map { list.uid($0) }
      return [("NS.objects", list.array(uids))]
    }
  }

  package mutating func dictionary(_ pairs: [(Int, Int)]) -> Int {
    object("NSDictionary") { list in
      let keys = pairs.map { list.uid($0.0) }
      let values = pairs.map { list.uid($0.1) }
      return [("NS.keys", list.array(keys)), ("NS.objects", list.array(values))]
    }
  }

  /// The archive, with one entry point `root`.
  package func file(root: Int) -> [UInt8] {
    var list = list
    let top = list.dictionary([("root", list.uid(root))])
    let array = list.array(objects)
    let whole = list.dictionary([
      ("$archiver", list.string("NSKeyedArchiver")), ("$objects", array), ("$top", top),
      ("$version", list.integer(100_000)),
    ])
    return list.file(top: whole)
  }

  private mutating func describe(_ name: String) -> Int {
    if let known = classes[name] { return known }
    let names = list.array([list.string(name), list.string("NSObject")])
    let uid = add(list.dictionary([("$classname", list.string(name)), ("$classes", names)]))
    classes[name] = uid
    return uid
  }

  private mutating func add(_ object: Int) -> Int {
    objects.append(object)
    return objects.count - 1
  }
}
