#pragma once
#include "CSearch.h"
#include <string.h>

// Thousands of literals looked for at once. Of every literal one stretch of four bytes, the one that is
// rarest in texts and files, is its *window*. The windows' hashes are bits of one table small enough to
// stay in the cache; every four bytes of the data are hashed, eight at a time, and only where the bit is
// set is looked further: at four bytes beside the window, which tell most words of a language from the one
// looked for, and then at the literal. Letters are folded in a window, so that case costs nothing. A literal
// of less than four bytes has a window for whatever may follow it.
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
  uint32_t first;  // among the entries
  uint32_t count;  // 0 where the slot is free
} slot;

typedef struct {
  uint32_t literal;
  uint32_t offset;  // of the window in the literal
  int32_t beside;   // where the four bytes beside the window start, from the window
  uint32_t bytes;   // what they are, folded
  uint32_t known;   // which of them the literal says
} entry;

// The windows of some of the literals.
typedef struct {
  uint32_t *table;
  uint32_t stride;  // from one place that is looked at to the next; 0 where there are no windows
  int shift;        // how far a hash is shifted to be a bit's number
  slot *slots;
  uint32_t slot_mask;
  entry *entries;  // those of one slot stand together
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

// Letters as small ones; of what is no letter little falls together, and no zero with a space.
static inline uint32_t folded(uint32_t window) { return window | (window >> 1 & 0x20202020u); }

static inline uint32_t window_at(const uint8_t *bytes) {
  uint32_t window;
  memcpy(&window, bytes, 4);
  return folded(window);
}

static inline uint8_t lower(uint8_t byte) {
  return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte;
}

// The slot of a window, or the free one where it would be.
static inline slot *slot_of(const windows *all, uint32_t window) {
  uint32_t place = (window * 0x85ebca6bu >> 11) & all->slot_mask;
  while (all->slots[place].count != 0 && all->slots[place].window != window)
    place = (place + 1) & all->slot_mask;
  return &all->slots[place];
}

static inline uint32_t length_of(const vestige_literals *literals, uint32_t index) {
  return literals->starts[index + 1] - literals->starts[index];
}

// Whether the processor can use a filter.
static inline bool has_filter_instructions(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}
