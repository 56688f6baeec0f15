/// What the place of a piece of evidence is worth (DESIGN, "Words").
package enum Liveness: String, CaseIterable, Sendable {
  /// Part of the current content.
  case live
  /// In a freeblock, gap, freelist page or freed overflow page.
  case deleted
  /// In an older frame of the current write-ahead log generation.
  case superseded
  /// Written, never committed.
  case uncommitted
  /// In an older log generation or a journal whose header was zeroed.
  case stale
  /// Beyond the end of what the format uses.
  case slack
}
