package import Bytes
import Findings
import Formats

/// Zip archives and everything that is one: ipa, apk, jar, office documents, iWork, epub (APPNOTE 6.3.10).
///
/// The central directory leads; what it does not mention (local headers in the gaps, bytes behind the end)
/// is read as well, because that is where things are hidden or left behind. Without a central directory
/// the local headers lead.
package struct ZipReader: ArtifactReader {
  package let kind = "zip"
  package var isBinary: Bool { true }

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    if head.hasBytes(ZipEntry.localSignature) { return byteCount >= ZipEntry.localSize }
    if head.hasBytes(ZipEndRecord.signature) { return byteCount >= ZipEndRecord.size }
    // Parts of split archives start with a marker of their own (§8.5.3, §8.5.4).
    return (head.hasBytes([0x50, 0x4B, 7, 8]) || head.hasBytes([0x50, 0x4B, 0x30, 0x30]))
      && head.hasBytes(ZipEntry.localSignature, at: 4)
  }

  package func recognisesElsewhere(in source: any ByteSource) -> Bool {
    guard let end = try? ZipEnd(in: source, tails: ZipEnd.shortTail), end.record.entryCount > 0
    else { return false }
    // The last pages of a database that holds an archive end like one.
    return end.record.disk != 0 || end.hasMember(in: source)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    var walk = ZipWalk(input.source)
    do throws(ReadFailure) {
      if let end = try ZipEnd(in: input.source) {
        try walk.readDirectory(end, into: &sink)
        try walk.readHidden(end, into: &sink)
        try walk.readTrailing(end, into: &sink)
      } else {
        walk.notes.add(
          .formatDamaged,
          "the zip archive has no central directory; members were read by their headers",
          remedy: Remedy.damaged, to: &sink)
        try walk.recover(0..<input.source.byteCount, liveness: .live, into: &sink)
      }
    } catch {
      walk.notes.add(
        .readFailed, "reading the zip archive failed (errno \(error.errno))", remedy: Remedy.failed,
        to: &sink)
    }
    walk.finish(&sink)
  }
}
