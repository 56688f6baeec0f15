package import Bytes
import Findings
import Formats
import SQLiteFormat

/// Databases encrypted as a whole by SQLCipher or its like: they have no signature and are known by
/// their statistics, or by a key.
package struct CipherReader: ArtifactReader {
  package let kind = "sqlcipher"
  package var isBinary: Bool { true }

  package init() {}

  /// Ciphertext looks like any random bytes: so the size must be that of whole pages, the bytes must
  /// be random throughout, and no dense format may claim them.
  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    guard byteCount >= 1024, byteCount % 512 == 0, !CipherStatistics.hasContainerSignature(head),
      !GzipHeader.isSignature(head),
      !DeflateReader.zlib.recognises(head, byteCount: byteCount, name: name),
      PageGeometry(pageSize: Int(head.word(at: 8)), reserved: 0) == nil
    else { return false }
    let first = head.clamped(to: 0..<min(head.byteCount, 4096))
    if CipherStatistics.verdict(of: first) == .encrypted { return true }
    // The first page may be one of 1024 bytes before pages that are not encrypted.
    return CipherStatistics.verdict(of: head.clamped(to: 0..<1024)) == .encrypted
  }

  /// Whether a file that starts like a database holds ciphertext after its header: SQLCipher's
  /// `cipher_plaintext_header_size`.
  static func hasPlainHeader(_ head: RawSpan, header: DatabaseHeader) -> Bool {
    // One byte in sixty-four of ciphertext could be the type of a page.
    let page = BTreePage(parsing: head, headerOffset: DatabaseHeader.byteCount)
    guard header.geometry.reserved >= 16, page?.isPlausible(geometry: header.geometry) != true
    else { return false }
    let end = min(head.byteCount, header.geometry.pageSize)
    return CipherStatistics.verdict(of: head.clamped(to: 32..<end)) == .encrypted
      || end - 32 < 1024 && ByteHistogram(of: head.clamped(to: 32..<end)).entropy > 7.3
  }

  static func hasPlainHeader(_ source: any ByteSource) -> Bool {
    guard let head = try? source.bytes(at: 0, count: 65_536),
      let header = try? DatabaseHeader(parsing: head.span.bytes)
    else { return false }
    return hasPlainHeader(head.span.bytes, header: header)
  }

  /// Whether a file is an encrypted database as far as its first page shows, with a readable header or
  /// without.
  package static func isEncrypted(_ source: any ByteSource) -> Bool {
    hasPlainHeader(source) || isCiphertext(source)
  }

  /// Whether the first page of a database's file is ciphertext.
  static func isCiphertext(_ source: any ByteSource) -> Bool {
    guard let head = try? source.bytes(at: 0, count: 4096) else { return false }
    return CipherReader().recognises(head.span.bytes, byteCount: source.byteCount, name: "")
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    _ = readKeepingPlaces(input, into: &sink)
  }

  package func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    do throws(ReadFailure) {
      let scan = CipherScan(
        input: input, encryption: try EncryptionMap(input.source), hasPlainHeader: false)
      return scan.run(into: &sink)
    } catch {
      sink.diagnostic(
        .readFailed, "the file could not be read (errno \(error.errno))",
        remedy: "copy the file to a medium that can be read", steps: [])
      return nil
    }
  }
}
