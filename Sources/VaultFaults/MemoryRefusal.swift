import CVaultSQLite
import Synchronization

/// Refuses SQLite one allocation, whichever thread asks. A process of its own should do this: SQLCipher
/// 3.4.1 itself ends the process where memory runs out while it takes a key.
package enum MemoryRefusal {
  private static let left = Atomic(0)

  /// Refuses the allocation `target` places from now.
  package static func arm(_ target: Int) {
    left.store(target, ordering: .relaxed)
    vault_sqlite_refuse_memory {
      let before = MemoryRefusal.left.subtract(1, ordering: .relaxed).oldValue
      return before == 1 ? 1 : 0
    }
  }

  /// Whether the allocation came.
  package static var wasReached: Bool { left.load(ordering: .relaxed) <= 0 }
}
