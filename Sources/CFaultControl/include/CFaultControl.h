#pragma once
#include <stdint.h>

/// What the preload library and whoever drives it share: a page of memory, and the records of a log.
///
/// The library finds both by their paths in the environment: VESTIGE_FAULTS, VESTIGE_FAULTS_LOG.

enum {
  FAULT_MAGIC = 0x56464c54,
  FAULT_CONTROL_SIZE = 4096,
};

/// Kinds of changes, in the log and for `forget_kind`.
enum {
  FAULT_CREATE = 1,
  FAULT_WRITE = 2,
  FAULT_TRUNCATE = 3,
  FAULT_SYNC = 4,
  FAULT_SYNC_FOLDER = 5,
  FAULT_REMOVE = 6,
  FAULT_RENAME = 7,
  FAULT_MAKE_FOLDER = 8,
  FAULT_REMOVE_FOLDER = 9,
  FAULT_LINK = 10,
  /// Room was made for a file, which reads as zeros.
  FAULT_EXTEND = 11,
  /// A file was mapped for writing: what is written there is seen by nobody.
  FAULT_MAP = 12,
};

/// What happens at the point whose number is `target`.
enum {
  FAULT_NOTHING = 0,
  FAULT_KILL_BEFORE = 1,
  /// A write is made by half; anything else is not made.
  FAULT_KILL_MIDDLE = 2,
  FAULT_KILL_AFTER = 3,
  /// From there on nothing that takes room can be written.
  FAULT_FULL = 4,
  /// That one call fails.
  FAULT_ERROR = 5,
  /// From there on nothing can be written or synced.
  FAULT_ERRORS = 6,
  /// That one write does half, and says so.
  FAULT_SHORT = 7,
  /// Aborts in place of the change, as a crash would: with a core, where one is allowed.
  FAULT_ABORT = 8,
};

/// Protections that a mutant goes without.
enum {
  /// sodium_memzero does nothing.
  FAULT_NO_WIPE = 1,
  /// SQLite keeps its own allocator, which does not zero what it frees.
  FAULT_NO_ZEROING_ALLOCATOR = 2,
  /// Core dumps stay allowed.
  FAULT_ALLOW_DUMPS = 8,
};

/// The page. Whoever drives writes it while no change is under way.
struct fault_control {
  uint32_t magic;
  /// 0: everything passes unseen. 1: changes are counted, logged and may fail.
  uint32_t mode;
  uint64_t count;
  uint64_t target;
  uint32_t action;
  uint32_t is_failing;
  /// A kind of change that is said to be made and is not: the one of number `forget_index` among its
  /// kind, or all for 0; only where the path ends in `forget_suffix`.
  uint32_t forget_kind;
  uint32_t protections_off;
  uint64_t forget_index;
  uint64_t forget_count;
  char forget_suffix[128];
  /// Only changes below this folder count; others are logged.
  char root[1024];
};

/// Before each record of the log: then come path, other path, bytes.
struct fault_record {
  uint32_t kind;
  /// 0 for a change outside of the root.
  uint32_t number;
  int64_t offset;
  uint32_t path_count;
  uint32_t other_count;
  uint64_t byte_count;
};

/// Starts a program with pipes for standard input and output, standard error appended to a file, core
/// dumps allowed as far as the system lets it, and nothing else open. Returns its number, or the
/// negative error number.
int fault_spawn(char *const arguments[], char *const environment[], const char *folder,
                const char *error_path, int *input, int *output);
