#pragma once
#include <stddef.h>

/// What a library may hold while it reads hostile bytes: sizes that stand in a file decide what it asks
/// for, and the C library would give it all there is.
struct allocation_bound {
  /// Bytes that it may hold at once, windows apart.
  size_t limit;
  size_t held;
  /// The largest request that was refused.
  size_t refused;
  /// Bytes of windows that are held: room of a decompressor of its own library for what it put out last,
  /// which becomes memory only as far as there is output.
  size_t windows;
};

/// Puts what this thread asks for under a bound, or under none; gives the one that it was under.
struct allocation_bound *allocation_bound_enter(struct allocation_bound *bound);

/// Whether the bound has any effect here.
int allocation_bound_works(void);
