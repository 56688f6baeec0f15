package import Bytes

/// What an encrypted file would be without encryption: every page replaced by its plaintext, other
/// bytes as they lie. Pages are decrypted as they are asked for.
package final class DecryptedSource: ByteSource {
  /// Where pages lie in the file.
  package enum Layout {
    case database
    case log(LogIndex)
    /// Records of a journal, in the order of their offsets.
    case journal([RollbackJournal.PageRecord])
  }

  private let source: any ByteSource
  /// One opened file a key; a page is shown under the first that verifies it.
  private let ciphers: [CipherFile]
  private let layout: Layout
  private let pageSize: Int

  package init?(_ source: any ByteSource, ciphers: [CipherFile], layout: Layout) {
    guard let first = ciphers.first else { return nil }
    self.source = source
    self.ciphers = ciphers
    self.layout = layout
    pageSize = first.profile.pageSize
  }

  package var byteCount: Int { source.byteCount }

  /// The page that `offset` lies in or that comes next: its number and where it starts.
  private func page(at offset: Int) -> (number: UInt32, start: Int)? {
    switch layout {
    case .database:
      let index = offset / pageSize
      return (UInt32(clamping: index + 1), index * pageSize)
    case .log(let index):
      guard offset >= LogHeader.byteCount else {
        return index.frames.first.map { ($0.page, index.pageOffset(ofFrame: 0)) }
      }
      let frame = (offset - LogHeader.byteCount) / index.frameSize
      guard frame < index.frames.count else { return nil }
      return (index.frames[frame].page, index.pageOffset(ofFrame: frame))
    case .journal(let records):
      var lower = 0
      var upper = records.count
      while lower < upper {
        let middle = (lower + upper) / 2
        if records[middle].offset + pageSize <= offset {
          lower = middle + 1
        } else {
          upper = middle
        }
      }
      return lower < records.count ? (records[lower].page, records[lower].offset) : nil
    }
  }

  package func read(
    at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ReadFailure) -> Int {
    let filled = unsafe try source.read(at: offset, into: buffer)
    var place = offset
    while place < offset + filled, let page = page(at: place), page.start < offset + filled {
      let bytes = try source.bytes(at: page.start, count: pageSize)
      if bytes.count == pageSize, let plain = plaintext(bytes, page: page.number) {
        let lower = max(page.start, offset)
        let upper = min(page.start + pageSize, offset + filled)
        if lower < upper {
          for index in lower..<upper { unsafe buffer[index - offset] = plain[index - page.start] }
        }
      }
      place = max(page.start + pageSize, place + 1)
    }
    return filled
  }

  private func plaintext(_ bytes: [UInt8], page: UInt32) -> [UInt8]? {
    let span = unsafe bytes.span.bytes
    for cipher in ciphers {
      switch cipher.state(of: span, page: page) {
      case .verified: return cipher.decrypted(span, page: page)
      case .zero, .plaintext: return nil
      case .failed: continue
      }
    }
    // Damaged: most of the page still decrypts.
    return ciphers.first?.decrypted(span, page: page)
  }
}
