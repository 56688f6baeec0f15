import Findings

/// Content as it may be shown: bytes are masked as in reports.
enum Masked {
  static func text(of bytes: [UInt8]) -> String {
    bytes.isEmpty ? "" : Redaction.mask(bytes.span.bytes)
  }
}
