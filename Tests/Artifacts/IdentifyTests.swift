import Artifacts
import Bytes
import FixtureKit
import Testing

@Suite struct `Identification` {
  private func kind(_ bytes: [UInt8]) -> String? {
    let head = Array(bytes.prefix(4096))
    let found = Identify.kind(of: head.span.bytes, byteCount: bytes.count)
    return found?.kind
  }

  @Test(arguments: [
    ("SQLite format 3\0", "sqlite"), ("bplist00", "bplist"), ("%PDF-1.4", "pdf"),
    ("{\"a\": 1}", "json"), ("[1, 2]", "json"), ("[section]\nkey=1", "text"),
    ("#!/bin/sh\n", "script"), ("a,b,c\n1,2,3\n4,5,6\n", "csv"),
    ("just words, really\nno table", "text"),
    ("<!DOCTYPE html><p>", "html"), ("<?xml version=\"1.0\"?><a/>", "xml"),
    ("<?xml version=\"1.0\"?><!-- a --><plist version=\"1.0\">", "plist"),
    ("<?xml version=\"1.0\"?>\n<!DOCTYPE database>\n<database><m><plist></plist></m>", "xml"),
    ("<?xml version=\"1.0\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple\">", "plist"),
    ("-----BEGIN PRIVATE KEY-----\n", "pem"), ("中文的文本", "text"), ("MDMP rest", "core"),
    ("RIFF\0\0\0\0WEBP", "webp"), ("", "empty"), ("\0\0\0\u{18}ftypheic", "heic"),
  ])
  func `content decides`(content: String, expected: String) {
    #expect(kind(Array(content.utf8)) == expected)
  }

  @Test(
    arguments: [
      ([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2], "mach-o"),
      ([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52], "class"),
      ([0x37, 0x7F, 6, 0x82], "sqlite-wal"), ([0xFF, 0xFE, 0x61, 0], "text"),
      ([0x61, 0, 0x62, 0, 0x63, 0, 0x64, 0], "text"),
      ([0xC4, 0xE3, 0xBA, 0xC3, 0x20, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47], "text"),
      ([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0], "core"),
      ([0x30, 0x82, 0, 4, 2, 1, 1, 0], "der"),
    ] as [([UInt8], String)])
  func `bytes decide`(content: [UInt8], expected: String) {
    #expect(kind(content) == expected)
  }

  @Test func `random bytes are data`() throws {
    var state: UInt64 = 88_172_645_463_325_252
    let bytes = (0..<4096).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 24)
    }
    #expect(try Identify.kind(of: MemorySource(bytes)) == .data)
  }

  @Test func `libmagic names what is left`() throws {
    // An old-style Sun audio file: no signature of ours.
    let bytes =
      Array(".snd".utf8) + [0, 0, 0, 24, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0x1F, 0x40, 0, 0, 0, 1]
    let found = try Identify.kind(of: MemorySource(bytes + [UInt8](repeating: 0xFF, count: 64)))
    #expect(found.mime.hasPrefix("audio/") || found == .data)
  }

  @Test func `every head cut short is survived`() throws {
    let sample = ZipBuilder([.init("Payload/x", "y")]).bytes()
    for length in 0...sample.count { _ = kind(Array(sample.prefix(length))) }
  }
}
