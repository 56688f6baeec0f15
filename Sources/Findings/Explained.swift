/// An error that tells a person what is wrong and what to do.
package protocol Explained: Error {
  /// What is wrong, lower case, no full stop, never a secret.
  var problem: String { get }
  /// What the person can do.
  var remedy: String { get }
}
