package import Bytes

/// A Mach-O file: one program, or several in a universal file (<mach-o/fat.h>).
package enum MachOFile {
  private static let largestSliceCount = 64

  /// One program in the file.
  package struct Slice: Equatable, Sendable {
    /// Where it lies in the file.
    package var range: Range<Int>
    /// The processor that the universal header names; nothing in a thin file.
    package var processor: String?
  }

  /// Whether the bytes start like a thin or universal Mach-O file. Java classes share the universal
  /// magic; where they have a version (45 and up) the other has a small count.
  package static func isMachO(_ head: RawSpan) -> Bool {
    guard let magic = try? head.integer(at: 0, as: UInt32.self) else { return false }
    switch magic {
    case 0xFEED_FACE, 0xFEED_FACF, 0xCEFA_EDFE, 0xCFFA_EDFE: return true
    case 0xCAFE_BABE, 0xCAFE_BABF:
      guard let count = try? head.integer(at: 4, as: UInt32.self) else { return false }
      return count > 0 && count < 43
    default: return false
    }
  }

  /// All sections, sorted by where they start; what does not lie in the file is left out.
  package static func sections(
    of source: any ByteSource
  ) throws(ReadFailure) -> [BinarySection] {
    var sections: [BinarySection] = []
    for image in try images(of: source) {
      sections += image.sections.compactMap { section in
        section.fileRange.map {
          BinarySection(name: section.name, slice: image.slice.processor, range: $0)
        }
      }
    }
    return sections.sorted { ($0.range.lowerBound, $0.name) < ($1.range.lowerBound, $1.name) }
  }

  /// The programs of the file, as far as they can be read.
  package static func images(of source: any ByteSource) throws(ReadFailure) -> [MachOImage] {
    var images: [MachOImage] = []
    for slice in try slices(of: source) {
      if let image = try MachOImage(slice, of: source) { images.append(image) }
    }
    return images
  }

  /// fat_arch: processor, subtype, offset, size, alignment; 64-bit offsets after the second magic.
  package static func slices(of source: any ByteSource) throws(ReadFailure) -> [Slice] {
    let whole = Slice(range: 0..<source.byteCount, processor: nil)
    let head = try source.bytes(at: 0, count: 8 + largestSliceCount * 32)
    let bytes = unsafe head.span.bytes
    let magic = try? bytes.integer(at: 0, as: UInt32.self)
    guard magic == 0xCAFE_BABE || magic == 0xCAFE_BABF,
      let count = try? bytes.integer(at: 4, as: UInt32.self)
    else { return [whole] }
    let isWide = magic == 0xCAFE_BABF
    var slices: [Slice] = []
    for index in 0..<min(Int(count), largestSliceCount) {
      let entry = 8 + index * (isWide ? 32 : 20)
      guard let processor = try? bytes.integer(at: entry, as: UInt32.self),
        let variant = try? bytes.integer(at: entry + 4, as: UInt32.self),
        let offset = number(in: bytes, at: entry + 8, isWide: isWide),
        let size = number(in: bytes, at: entry + (isWide ? 16 : 12), isWide: isWide),
        offset <= source.byteCount, size <= source.byteCount - offset
      else { continue }
      slices.append(
        Slice(
          range: offset..<offset + size,
          processor: name(ofProcessor: processor, variant: variant)))
    }
    return slices
  }

  private static func number(in bytes: RawSpan, at offset: Int, isWide: Bool) -> Int? {
    if isWide {
      return (try? bytes.integer(at: offset, as: UInt64.self)).flatMap { Int(exactly: $0) }
    }
    return (try? bytes.integer(at: offset, as: UInt32.self)).map { Int($0) }
  }

  /// The processor as `lipo` names it; the high byte of a variant holds capabilities (<mach/machine.h>).
  static func name(ofProcessor number: UInt32, variant: UInt32) -> String {
    switch (number, variant & 0xFF_FFFF) {
    case (7, _): "i386"
    case (0x0100_0007, _): "x86_64"
    case (12, 9): "armv7"
    case (12, 11): "armv7s"
    case (12, _): "arm"
    case (0x0100_000C, 2): "arm64e"
    case (0x0100_000C, _): "arm64"
    case (0x0200_000C, _): "arm64_32"
    default: "cpu-\(number)"
    }
  }
}
