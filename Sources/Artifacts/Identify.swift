package import Bytes
import Formats

/// Tells what a file is: signatures first, then structure, then text, and libmagic for what is left.
package enum Identify {
  /// What the first 4 KiB (or all of a shorter file) say; nothing where they say nothing. Costs about a
  /// microsecond.
  package static func kind(of head: RawSpan, byteCount: Int) -> Identification? {
    guard let first = head[at: 0] else { return byteCount == 0 ? .empty : nil }
    for signature in Signatures.byFirstByte[Int(first)] where head.hasBytes(signature.bytes) {
      return refined(signature.found, head)
    }
    return structured(head, first, byteCount) ?? TextKind.kind(of: head, byteCount: byteCount)
  }

  /// What a source is, asking libmagic where nothing else knows.
  package static func kind(
    of source: any ByteSource
  ) throws(ReadFailure) -> Identification {
    let head = try source.bytes(at: 0, count: 4096)
    if let found = kind(of: head.span.bytes, byteCount: source.byteCount) { return found }
    // ISO 9660 has its signature in sector 16.
    let volume = try source.bytes(at: 32_769, count: 5)
    if volume.elementsEqual("CD001".utf8) {
      return Identification(kind: "iso", mime: "application/x-iso9660-image")
    }
    return Magic.kind(of: try source.bytes(at: 0, count: Magic.reach)) ?? .data
  }

  /// Formats whose signature is shared or too short to stand alone.
  private static func structured(
    _ head: RawSpan, _ first: UInt8, _ byteCount: Int
  ) -> Identification? {
    switch first {
    case 0x7F:
      guard let file = ELFFile(head) else { return nil }
      return file.isCore
        ? Identification(kind: "core", mime: "application/x-coredump")
        : Identification(kind: "elf", mime: "application/x-elf")
    case 0xCA, 0xCE, 0xCF, 0xFE:
      if MachOFile.isMachO(head) {
        return isMachOCore(head)
          ? Identification(kind: "core", mime: "application/x-coredump")
          : Identification(kind: "mach-o", mime: "application/x-mach-binary")
      }
      guard head.hasBytes([0xCA, 0xFE, 0xBA, 0xBE]) else { return nil }
      return Identification(kind: "class", mime: "application/java-vm")
    case 0x4D where isPortableExecutable(head):
      return Identification(kind: "pe", mime: "application/vnd.microsoft.portable-executable")
    case 0x52 where head.hasBytes("RIFF"): return riff(head)
    case 0x42 where head.hasBytes("BZh"):
      return (0x31...0x39).contains(head[at: 3] ?? 0)
        ? Identification(kind: "bzip2", mime: "application/x-bzip2") : nil
    case 0x30:
      if let found = der(head, byteCount) { return found }
    case 0 where TraceV3Reader().recognises(head, byteCount: byteCount, name: ""):
      return Identification(kind: "tracev3", mime: "application/octet-stream")
    default: break
    }
    for signature in Signatures.elsewhere where head.hasBytes(signature.bytes, at: signature.offset)
    {
      return signature.found
    }
    if head.byteCount >= TarHeader.size, TarHeader.isHeader(head) {
      return Identification(kind: "tar", mime: "application/x-tar")
    }
    return nil
  }

  /// A file type of 4 in the Mach header.
  private static func isMachOCore(_ head: RawSpan) -> Bool {
    guard let little = try? head.littleEndianInteger(at: 0, as: UInt32.self) else { return false }
    let isLittle = little == 0xFEED_FACE || little == 0xFEED_FACF
    let type =
      isLittle
      ? try? head.littleEndianInteger(at: 12, as: UInt32.self)
      : try? head.integer(at: 12, as: UInt32.self)
    return type == 4 && head[at: 0] != 0xCA
  }

  private static func isPortableExecutable(_ head: RawSpan) -> Bool {
    guard head.hasBytes("MZ"),
      let offset = try? head.littleEndianInteger(at: 60, as: UInt32.self)
    else { return false }
    return offset > 4000 || head.hasBytes("PE\0\0", at: Int(offset))
  }

  private static func riff(_ head: RawSpan) -> Identification {
    if head.hasBytes("WEBP", at: 8) { return Identification(kind: "webp", mime: "image/webp") }
    if head.hasBytes("WAVE", at: 8) { return Identification(kind: "wav", mime: "audio/wav") }
    if head.hasBytes("AVI ", at: 8) { return Identification(kind: "avi", mime: "video/x-msvideo") }
    return Identification(kind: "riff", mime: "application/octet-stream")
  }

  /// A DER sequence that is as long as the file (X.690, §8.1).
  private static func der(_ head: RawSpan, _ byteCount: Int) -> Identification? {
    guard let length = head[at: 1] else { return nil }
    let total: Int?
    switch length {
    case 0x81: total = head[at: 2].map { Int($0) + 3 }
    case 0x82: total = (try? head.integer(at: 2, as: UInt16.self)).map { Int($0) + 4 }
    case 0x83: total = (try? head.integer(at: 1, as: UInt32.self)).map { Int($0 & 0xFF_FFFF) + 5 }
    case 0x10..<0x80: total = Int(length) + 2
    default: total = nil
    }
    return total == byteCount && head[at: 2] ?? 0 < 0x84
      ? Identification(kind: "der", mime: "application/x-x509-ca-cert") : nil
  }

  /// The family of a zip archive, by the name of its first member.
  private static func refined(_ found: Identification, _ head: RawSpan) -> Identification {
    guard found.kind == "zip", let entry = try? ZipEntry(local: head, at: 0) else { return found }
    let name = MemberName.text(entry.name)
    let families = [
      ("Payload/", "application/x-ios-app"), ("META-INF/", "application/java-archive"),
      ("AndroidManifest.xml", "application/vnd.android.package-archive"),
      ("[Content_Types].xml", "application/vnd.openxmlformats-officedocument"),
      ("mimetype", "application/epub+zip"), ("Index/", "application/vnd.apple.iwork"),
    ]
    for (prefix, mime) in families where name.hasPrefix(prefix) {
      return Identification(kind: "zip", mime: mime)
    }
    return found
  }
}
