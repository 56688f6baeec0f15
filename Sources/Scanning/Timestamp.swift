import Glibc

/// The wall clock, for the one field of a report that differs from run to run.
package enum Timestamp {
  /// Now, in UTC: `2026-11-30T02:17:34Z`.
  package static var now: String {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
