import Bytes
import Formats
import Testing

@Suite struct `Delimited text` {
  private func records(_ text: String, _ delimiter: UInt8 = 0x2C) -> [[String]] {
    let bytes = Array(text.utf8)
    var table = DelimitedText(bytes.span.bytes, delimiter: delimiter)
    var fields: [DelimitedText.Field] = []
    var records: [[String]] = []
    while table.next(into: &fields) {
      records.append(
        fields.map {
          DelimitedText.decode($0, of: bytes.span.bytes)?.text
            ?? bytes.span.bytes.clamped(to: $0.range).repairedText()
        })
    }
    return records
  }

  @Test func `quotes hold delimiters, line ends and doubled quotes`() {
    #expect(
      records("a,b\r\n\"x,1\",\"line\nbreak\"\n\"say \"\"hi\"\"\",\n")
        == [["a", "b"], ["x,1", "line\nbreak"], ["say \"hi\"", ""]])
  }

  @Test func `a quote that is never closed is an ordinary character`() {
    #expect(records("a,b\n\"open,1\n2,3") == [["a", "b"], ["\"open", "1"], ["2", "3"]])
    let long = "\"" + String(repeating: "x,", count: 70_000)
    #expect(records(long).count == 1)
  }

  @Test(arguments: [
    ("name,phone\nA,1\nB,2\n", 0x2C, 2, true), ("a\tb\tc\n1\t2\t3\n", 0x09, 3, true),
    ("1;2\n3;4\n5;6\n", 0x3B, 2, false),
  ])
  func `a table shows its shape`(text: String, delimiter: Int, columns: Int, hasHeader: Bool) {
    let bytes = Array(text.utf8)
    let shape = DelimitedText.shape(of: bytes.span.bytes, isWhole: true)
    #expect(shape?.delimiter == UInt8(delimiter))
    #expect(shape?.columns == columns)
    #expect(shape?.hasHeader == hasHeader)
  }

  @Test(arguments: [
    "Dear all, this is prose,\nwith commas, and lines.\nOthers have none.\n",
    "f(a, b)\ng(c, d)\nh(e, f)\n",
    "one line, only", "", "no delimiter\nat all\n", "A,\nB,\nC,\n",
  ])
  func `prose and code are no tables`(text: String) {
    let bytes = Array(text.utf8)
    let shape = DelimitedText.shape(of: bytes.span.bytes, isWhole: true)
    #expect(shape == nil)
  }

  @Test func `any bytes are survived`() {
    let whole = Array("a,b\n\"x\"\"y\",\"z\n\"\r\n,\"\"\n".utf8)
    for length in 0...whole.count {
      _ = records(String(decoding: whole[..<length], as: UTF8.self))
    }
    for offset in whole.indices {
      for byte: UInt8 in [0x22, 0x2C, 0x0A, 0x0D, 0x00] {
        var bytes = whole
        bytes[offset] = byte
        _ = records(String(decoding: bytes, as: UTF8.self))
      }
    }
  }
}
