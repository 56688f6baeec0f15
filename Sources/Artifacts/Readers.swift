/// Every reader of the scanner.
package enum Readers {
  /// Narrowest signature first: the first reader that recognises a source reads it.
  package static let builtIn: [any ArtifactReader] = [
    PropertyListReader(),
    LZFSEReader(),
    CrashReportReader(),
    JSONReader(),
    DelimitedTextReader(),
    KeyValueTextReader(),
    TextReader(),
  ]
}
