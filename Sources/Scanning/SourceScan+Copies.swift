import Bytes

extension SourceScan {
  /// Scans bytes held in memory, unless a copy of them was quiet.
  ///
  /// - Parameter digest: their SHA-256, where it is known.
  func scan(_ bytes: [UInt8], digest: [UInt8]?) {
    guard let quiet = task.quiet, let digest, !isResidue,
      let key = QuietContent.Key(digest: digest, name: name, isOuter: depth == 0)
    else { return scan(bytes) }
    let head = bytes.span.bytes.clamped(to: 0..<Recognition.headSize)
    if let summary = quiet.summary(of: key, name: name, head: head), take(summary) { return }
    let (traces, fragments, expanded) = (task.traces, task.fragments, task.expanded)
    scan(bytes)
    guard isQuiet, task.traces == traces else { return }
    quiet.note(
      QuietContent.Summary(
        name: name, kind: kind, isText: isText, depth: depth,
        fragments: task.fragments - fragments, expanded: task.expanded - expanded),
      of: key)
  }

  /// Whether reading all of the source left nothing here but its kind.
  private var isQuiet: Bool {
    sights.isEmpty && judged.isEmpty && noted.isEmpty && scopes.isEmpty && layout == nil
      && encrypted == nil
  }

  /// Stands for reading a source like one that was quiet; false where it might reach a bound that the other
  /// one did not.
  private func take(_ summary: QuietContent.Summary) -> Bool {
    guard depth <= summary.depth, task.expanded + summary.expanded <= task.limits.expansion else {
      return false
    }
    kind = summary.kind
    isText = summary.isText
    task.fragments += summary.fragments
    task.expanded += summary.expanded
    return true
  }
}
