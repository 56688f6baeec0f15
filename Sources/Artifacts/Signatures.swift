/// Signatures at the start of a file, by their first byte; the longer of two that share a start comes first.
/// Formats that take more than a signature are in `Identify`.
enum Signatures {
  static let byFirstByte: [[Signature]] = {
    var table = [[Signature]](repeating: [], count: 256)
    for signature in atStart {
      table[Int(signature.bytes[0])].append(signature)
    }
    return table
  }()

  /// Signatures that do not stand at the start.
  static let elsewhere: [Signature] = [
    Signature("ftypheic", at: 4, "heic", "image/heic"),
    Signature("ftypheix", at: 4, "heic", "image/heic"),
    Signature("ftypmif1", at: 4, "heic", "image/heif"),
    Signature("ftypavif", at: 4, "avif", "image/avif"),
    Signature("ftypqt", at: 4, "mov", "video/quicktime"),
    Signature("ftypM4A", at: 4, "mp4", "audio/mp4"),
    Signature("ftyp", at: 4, "mp4", "video/mp4"),
    Signature("moov", at: 4, "mov", "video/quicktime"),
  ]

  private static let atStart: [Signature] = [
    // Databases and what lies beside them
    Signature("SQLite format 3\0", "sqlite", "application/vnd.sqlite3"),
    Signature([0x37, 0x7F, 6, 0x82], "sqlite-wal", "application/vnd.sqlite3"),
    Signature([0x37, 0x7F, 6, 0x83], "sqlite-wal", "application/vnd.sqlite3"),
    Signature(
      [0xD9, 0xD5, 5, 0xF9, 0x20, 0xA1, 0x63, 0xD7], "sqlite-journal", "application/vnd.sqlite3"),
    Signature([0x18, 0xE2, 0x2D, 0], "sqlite-shm", "application/vnd.sqlite3"),
    Signature("cook\0\0", "binarycookies", "application/octet-stream"),
    Signature("\0\0\0\u{1}Bud1", "ds-store", "application/octet-stream"),
    // Property lists
    Signature("bplist", "bplist", "application/x-bplist"),
    // Archives and streams
    Signature([0x50, 0x4B, 3, 4], "zip", "application/zip"),
    Signature([0x50, 0x4B, 5, 6], "zip", "application/zip"),
    Signature([0x50, 0x4B, 7, 8], "zip", "application/zip"),
    Signature("PK00PK", "zip", "application/zip"),
    Signature([0x1F, 0x8B, 8], "gzip", "application/gzip"),
    Signature([0x1F, 0x9D], "compress", "application/x-compress"),
    Signature([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz", "application/x-xz"),
    Signature([0x28, 0xB5, 0x2F, 0xFD], "zstd", "application/zstd"),
    Signature([4, 0x22, 0x4D, 0x18], "lz4", "application/x-lz4"),
    Signature([2, 0x21, 0x4C, 0x18], "lz4", "application/x-lz4"),
    Signature("LZIP", "lzip", "application/x-lzip"),
    Signature([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "7z", "application/x-7z-compressed"),
    Signature("Rar!\u{1A}\u{7}\u{1}\0", "rar5", "application/vnd.rar"),
    Signature("Rar!\u{1A}\u{7}\0", "rar", "application/vnd.rar"),
    Signature("!<arch>\ndebian-binary", "deb", "application/vnd.debian.binary-package"),
    Signature("!<arch>\n", "ar", "application/x-archive"),
    Signature("070701", "cpio", "application/x-cpio"),
    Signature("070702", "cpio", "application/x-cpio"),
    Signature("070707", "cpio", "application/x-cpio"),
    Signature("xar!", "xar", "application/x-xar"),
    Signature("MSCF\0\0\0\0", "cab", "application/vnd.ms-cab-compressed"),
    Signature("bvx1", "lzfse", "application/octet-stream"),
    Signature("bvx2", "lzfse", "application/octet-stream"),
    Signature("bvxn", "lzfse", "application/octet-stream"),
    Signature("bv41", "apple-lz4", "application/octet-stream"),
    Signature("pbzx", "pbzx", "application/octet-stream"),
    Signature([0xED, 0xAB, 0xEE, 0xDB], "rpm", "application/x-rpm"),
    Signature("hsqs", "squashfs", "application/octet-stream"),
    Signature("-rom1fs-", "romfs", "application/octet-stream"),
    Signature(
      [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "ole", "application/x-ole-storage"),
    // Documents and pictures
    Signature("{\\rtf", "rtf", "application/rtf"),
    Signature("%PDF-", "pdf", "application/pdf"),
    Signature("{\\rtf", "rtf", "application/rtf"),
    Signature([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "png", "image/png"),
    Signature([0xFF, 0xD8, 0xFF], "jpeg", "image/jpeg"),
    Signature("GIF87a", "gif", "image/gif"), Signature("GIF89a", "gif", "image/gif"),
    Signature([0xAB, 0x4B, 0x54, 0x58, 0x20, 0x31, 0x31, 0xBB], "ktx", "image/ktx"),
    Signature([0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB], "ktx", "image/ktx2"),
    Signature("AAPL\r\n\u{1A}\n", "ktx", "image/ktx"),
    Signature([0x49, 0x49, 0x2A, 0], "tiff", "image/tiff"),
    Signature([0x4D, 0x4D, 0, 0x2A], "tiff", "image/tiff"),
    Signature([0, 0, 1, 0], "ico", "image/vnd.microsoft.icon"),
    Signature("8BPS", "psd", "image/vnd.adobe.photoshop"),
    Signature("OggS", "ogg", "audio/ogg"), Signature("fLaC", "flac", "audio/flac"),
    Signature("ID3", "mp3", "audio/mpeg"), Signature("caff", "caf", "audio/x-caf"),
    Signature([0x1A, 0x45, 0xDF, 0xA3], "matroska", "video/x-matroska"),
    Signature([0, 1, 0, 0, 0], "ttf", "font/ttf"), Signature("true\0", "ttf", "font/ttf"),
    Signature("OTTO\0", "otf", "font/otf"), Signature("ttcf", "ttc", "font/collection"),
    Signature("wOFF", "woff", "font/woff"), Signature("wOF2", "woff2", "font/woff2"),
    // Programs and what they leave
    Signature("\0asm", "wasm", "application/wasm"),
    Signature("dex\n", "dex", "application/octet-stream"),
    Signature("MDMP", "core", "application/x-dmp"),
    Signature("BOMStore", "bom", "application/octet-stream"),
    Signature("ASL DB\0\0", "asl", "application/octet-stream"),
    Signature("PAGEDU", "core", "application/x-dmp"),
    Signature("ElfFile\0", "evtx", "application/octet-stream"),
    Signature([0xDE, 0xC0, 0x17, 0x0B], "bitcode", "application/octet-stream"),
    Signature([0x42, 0x43, 0xC0, 0xDE], "bitcode", "application/octet-stream"),
    Signature("regf", "registry", "application/octet-stream"),
    // Keys
    Signature("-----BEGIN PGP MESSAGE", "pgp-message", "application/pgp-encrypted"),
    Signature("-----BEGIN PGP", "pgp", "application/pgp-keys"),
    Signature("-----BEGIN ", "pem", "application/x-pem-file"),
    Signature("openssh-key-v1\0", "openssh-key", "application/octet-stream"),
    Signature([0xFE, 0xED, 0xFE, 0xED], "java-keystore", "application/x-java-keystore"),
    Signature("age-encryption.org/", "age", "application/octet-stream"),
    Signature([0x4C, 0x55, 0x4B, 0x53, 0xBA, 0xBE], "luks", "application/octet-stream"),
  ]
}
