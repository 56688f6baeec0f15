import Glibc
import ImageProtocol

/// Standard output, which takes records. Where nobody reads them any more the program ends.
final class RecordOutput {
  private var waiting: [UInt8] = []
  private static let enough = 1 << 18

  func put(_ record: ImageRecord) {
    waiting += record.encoded
    if waiting.count >= Self.enough { flush() }
  }

  func flush() {
    var sent = 0
    while sent < waiting.count {
      let count = waiting.withUnsafeBytes {
        write(STDOUT_FILENO, $0.baseAddress.map { $0 + sent }, waiting.count - sent)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { exit(1) }
      sent += count
    }
    waiting.removeAll(keepingCapacity: true)
  }
}
