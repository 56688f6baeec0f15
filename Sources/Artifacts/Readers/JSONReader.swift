import Bytes
import Findings
import Formats

/// JSON, one document or one a line; tolerant of comments, trailing commas and cut ends.
package struct JSONReader: ArtifactReader {
  package let kind = "json"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    if TextDocument.mayBeWide(head) {
      var document = TextDocument(head.copied())
      document.becomeUTF8()
      return JSONWalk.recognises(document.bytes.span.bytes)
    }
    return JSONWalk.recognises(head)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    do throws(ReadFailure) {
      let head = try input.source.bytes(at: 0, count: 1 << 16)
      if JSONLines.recognises(head.span.bytes) {
        return JSONLines(input: input).read(into: &sink)
      }
    } catch {
      return sink.reportFailure(error)
    }
    guard var document = TextDocument(reading: input, as: kind, into: &sink) else { return }
    document.becomeUTF8()
    var values = JSONValues(document: document, touched: input.touched)
    values.read(into: &sink)
  }
}

/// JSON Lines: every line a document, so that damage ends with its line and no size is too large.
struct JSONLines {
  let input: ReaderInput

  /// Whether the first line that is not blank is a whole document and the next one starts another.
  static func recognises(_ head: RawSpan) -> Bool {
    var start = head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let byte = head[at: start], byte == 0x20 || byte == 0x0A || byte == 0x0D { start += 1 }
    guard let end = head.firstOffset(of: 0x0A, from: start) else { return false }
    var walk = JSONWalk(head.clamped(to: 0..<end), at: start)
    while walk.next() != nil {}
    guard walk.depth == 0, walk.documents == 1, walk.firstDamage == nil else { return false }
    var next = end
    while let byte = head[at: next], byte == 0x20 || byte == 0x0A || byte == 0x0D { next += 1 }
    return head[at: next] == 0x7B || head[at: next] == 0x5B
  }

  func read(into sink: inout some FragmentSink) {
    var windows = SourceWindows(input.source, size: 4 << 20)
    var isDamaged = false
    do throws(ReadFailure) {
      while let bytes = try windows.load() {
        let count = windows.wholeLines(of: bytes)
        let range = windows.offset..<windows.offset + count
        if input.touched.isMarked(range) || bytes.span.bytes.firstOffset(of: 0x5C) != nil {
          read(bytes, count: count, at: windows, isDamaged: &isDamaged, into: &sink)
        }
        windows.advance(past: count, of: bytes)
        if sink.isExhausted { return }
      }
    } catch {
      sink.reportFailure(error)
    }
  }

  private func read(
    _ bytes: [UInt8], count: Int, at windows: SourceWindows, isDamaged: inout Bool,
    into sink: inout some FragmentSink
  ) {
    var values = JSONValues(
      document: TextDocument(bytes), touched: input.touched, base: windows.offset)
    var start = 0
    var line = windows.line
    while start < count {
      let end = bytes.span.bytes.firstOffset(of: 0x0A, in: start..<count) ?? count
      values.readLine(start..<end, number: line, into: &sink)
      if let damage = values.firstDamage, !isDamaged {
        isDamaged = true
        sink.diagnostic(
          .formatDamaged, "a line is not JSON (at offset \(windows.offset + damage))",
          remedy: "what could be read of it was searched", steps: ["line", String(line)])
      }
      start = end + 1
      line += 1
    }
  }
}
