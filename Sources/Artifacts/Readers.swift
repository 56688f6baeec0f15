/// The readers there are, narrowest signature first.
package enum Readers {
  package static let builtIn: [any ArtifactReader] = [
    SQLiteReader(),
    WriteAheadLogReader(),
    JournalReader(),
    TemporaryPagesReader(),
    CipherReader(),
  ]
}
