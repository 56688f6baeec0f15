#pragma once
#include "CSearch.h"
#include <string.h>

// Thousands of literals looked for at once. Of every literal one stretch of four bytes, the one that is
// rarest in texts and files, is its *window*. The windows' hashes are bits of one table small enough to
// stay in the cache; every four bytes of the data are hashed, eight at a time, and only where the bit is
// set is looked further. Letters are folded in a window, so that case costs nothing. A literal of less
// than four bytes has a window for whatever may follow it.
//
// Where all literals are long enough, every one has a window at each distance from a multiple of four, and
// only every fourth place of the data is looked at: one of the windows stands there. Short ones, of which
// scans without rules have a thousand (instants and numbers as they are stored), would spoil that for all:
// where the processor can look up bytes in tables of 256, those are looked for apart, with a filter.
//
// The filter deals the short literals into eight buckets. A table for each of the four places of a window
// says of every byte in which buckets a window has it there; a place at which no bucket is left is passed
// by, 64 places at a time.

enum { WINDOW = 4, STRIDE = 4 };

typedef struct {
  uint32_t window;
  uint32_t first;  // among the entries; NONE ends a chain
} slot;

typedef struct {
  uint32_t literal;
  uint32_t offset;  // of the window in the literal
  uint32_t next;
} entry;

#define NONE UINT32_MAX

// The windows of some of the literals.
typedef struct {
  uint32_t *table;
  uint32_t stride;  // from one place that is looked at to the next; 0 where there are no windows
  int shift;        // how far a hash is shifted to be a bit's number
  slot *slots;
  uint32_t slot_mask;
  entry *entries;
  uint32_t entry_count;
  size_t longest_chain;
} windows;

struct vestige_literals {
  uint8_t *pool;
  uint32_t *starts;
  uint8_t *folds;
  uint32_t count;
  windows all;    // of all literals, or, with a filter, of the long ones
  windows brief;  // of the short ones, where there is a filter
  uint8_t filter[WINDOW][256];
};

static inline uint32_t hashed(uint32_t window) { return window * 0x9e3779b1u; }

static inline uint32_t window_at(const uint8_t *bytes) {
  uint32_t window;
  memcpy(&window, bytes, 4);
  return window | 0x20202020u;
}

static inline uint8_t lower(uint8_t byte) {
  return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte;
}

static inline uint32_t slot_of(const windows *all, uint32_t window) {
  return (window * 0x85ebca6bu >> 11) & all->slot_mask;
}

// Whether the processor can use a filter.
static inline bool has_filter_instructions(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}
