import CVaultShim

/// What the whole process does to keep secrets from leaving its memory.
public enum ProcessMemory {
  /// Forbids core dumps and tracing by other processes of the same user. Call it first thing in a
  /// program that opens a vault; false means that the system refused.
  ///
  /// A library must not decide this for its host, so nothing calls it for you.
  @discardableResult
  public static func forbidDumps() -> Bool {
    vault_forbid_dumps() == 0
  }
}
