import Artifacts
import Bytes
import Findings
import FixtureKit
import Testing

@Suite struct `ELF programs` {
  private static var program: ELFBuilder {
    var builder = ELFBuilder()
    let words = ARM64Assembler.words(of: "harbour-light")
    var code: [UInt8] = [0x55, 0x48, 0xBF]
    code.appendLittleEndian(words.0)
    code += [0x48, 0xBE]
    code.appendLittleEndian(words.1)
    builder.sections = [
      (".text", code + [0xC3]), ("swift5_reflstr", Array("birthDate\0".utf8)),
      (".rodata", Array("plain\0/home/orchid/tidal/main.swift\0".utf8)),
    ]
    builder.headers = [(3, 4), (0x6474_E551, 6)]
    builder.runPath = "$ORIGIN/lib:/tmp/lib"
    return builder
  }

  @Test func `hand on what stands only in instructions`() throws {
    let file = Self.program.bytes()
    let sink = StatementSink.reading(file, name: "tidal")
    #expect(!file.contains("harbour-light"))
    let fragment = try #require(sink.fragments.first)
    #expect(fragment.text == "harbour-light")
    #expect(fragment.place.context.section == ".text")
    let range = try #require(fragment.place.origin.ranges(of: 0..<13).first)
    #expect(Array(file[range.offset..<range.offset + 2]) == [0x48, 0xBF])
    #expect(range.length == 20)
  }

  @Test func `of other languages are left alone`() {
    var builder = Self.program
    builder.sections.remove(at: 1)
    #expect(StatementSink.reading(builder.bytes(), name: "tidal").fragments.isEmpty)
  }

  @Test func `state how they are hardened and who built them`() {
    let sink = StatementSink.reading(Self.program.bytes(), name: "tidal")
    #expect(sink[.binary, "pie"]?["value"] == ["true"])
    #expect(sink[.binary, "executable-stack"]?["value"] == ["false"])
    #expect(sink[.binary, "build-path"]?["user"] == ["orchid"])
    let paths = sink.facts.filter { $0.name == "rpath" }.map { $0.values["value"] }
    #expect(paths == [["$ORIGIN/lib"], ["/tmp/lib"]])
    var builder = Self.program
    builder.type = 2
    builder.headers = [(3, 4), (0x6474_E551, 7)]
    let old = StatementSink.reading(builder.bytes(), name: "tidal")
    #expect(old[.binary, "pie"]?["value"] == ["false"])
    #expect(old[.binary, "executable-stack"]?["value"] == ["true"])
    // A dump of its first lines says nothing of what the rest holds.
    let cut = StatementSink.reading(Array(builder.bytes().prefix(80)), name: "tidal")
    #expect(cut.facts.filter { $0.name == "executable-stack" || $0.name == "pie" }.isEmpty)
  }

  @Test func `cut anywhere or with any byte turned are survived`() {
    let whole = Self.program.bytes()
    for length in 0..<whole.count {
      _ = StatementSink.reading(Array(whole.prefix(length)), name: "tidal")
    }
    for offset in whole.indices {
      var damaged = whole
      damaged[offset] ^= 0xFF
      _ = StatementSink.reading(damaged, name: "tidal")
    }
  }
}
