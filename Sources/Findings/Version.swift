/// The program.
package enum Vestige {
  package static let version = "0.1.0"
}
