/// A number and what it counts, in singular or plural: `1 page`, `2 pages`. Where a verb follows that
/// changes too, both wordings are given: `counted(n, "page is left", "pages are left")`.
package func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
  "\(count) " + (count == 1 ? one : many ?? one + "s")
}
