#include "CSearch.h"
#include <stdlib.h>
#include <string.h>

// Thousands of literals looked for at once. Of every literal one stretch of four bytes, the one that is
// rarest in texts and files, is its *window*. The windows' hashes are bits of one table small enough to
// stay in the cache; every four bytes of the data are hashed, eight at a time, and only where the bit is
// set is looked further. Letters are folded in a window, so that case costs nothing. A literal of less
// than four bytes has a window for whatever may follow it.
//
// Where all literals are long enough, every one has a window at each distance from a multiple of four, and
// only every fourth place of the data is looked at: one of the windows stands there.

enum { WINDOW = 4, SHORTEST = 2, MOST_BITS = 22, FOLDED = 128, STRIDE = 4 };

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

struct vestige_literals {
  uint32_t *table;
  uint32_t stride;  // from one place that is looked at to the next
  int shift;        // how far a hash is shifted to be a bit's number
  slot *slots;
  uint32_t slot_mask;
  entry *entries;
  uint32_t entry_count;
  size_t longest_chain;
  uint8_t *pool;
  uint32_t *starts;
  uint8_t *folds;
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

// How common a byte is, roughly, in text, source and programs.
static int byte_weight(uint8_t byte) {
  static const uint8_t letters[26] = {42, 18, 24, 27, 60, 20, 19, 22, 42, 12, 15, 30, 22,
                                      40, 42, 21, 11, 38, 40, 48, 24, 16, 16, 13, 18, 12};
  uint8_t folded = lower(byte);
  if ((uint8_t)(folded - 'a') < 26) return letters[folded - 'a'];
  if ((uint8_t)(byte - '0') < 10) return byte == '0' ? 32 : 24;
  if (byte == 0 || byte == ' ') return 64;
  if (byte == 0xff) return 36;
  return byte >= 0x80 ? 12 : byte < 0x20 ? 16 : 22;
}

// Pairs of letters that stand everywhere in English and in source, one behind the other.
static const char common_pairs[] =
    "thheinerantionatenndtiesorteofedisitalarsttontngsehaasouiolevecomedehiriroicneearacelichllbema"
    "siomurpetystamloexprretyypnacrgeidigsectlaunttssee";

typedef bool pair_table[26][26];

static void fill(pair_table common) {
  memset(common, 0, sizeof(pair_table));
  for (size_t index = 0; index + 2 < sizeof common_pairs; index += 2)
    common[common_pairs[index] - 'a'][common_pairs[index + 1] - 'a'] = true;
}

static bool is_common(pair_table common, uint8_t one, uint8_t other) {
  uint8_t first = (uint8_t)(lower(one) - 'a'), second = (uint8_t)(lower(other) - 'a');
  return one == other || (first < 26 && second < 26 && common[first][second]);
}

// Where the rarest four bytes of a literal start, among every `stride`th place from `first` on.
static uint32_t rarest_window(const uint8_t *bytes, uint32_t count, pair_table common,
                              uint32_t first, uint32_t stride) {
  uint32_t best = first;
  int least = INT32_MAX;
  for (uint32_t offset = first; offset + WINDOW <= count; offset += stride) {
    int weight = 0;
    for (uint32_t index = offset; index < offset + WINDOW; index++) {
      weight += byte_weight(bytes[index]);
      if (index > offset && is_common(common, bytes[index - 1], bytes[index])) weight += 24;
    }
    if (weight < least) {
      least = weight;
      best = offset;
    }
  }
  return best;
}

static void add_window(vestige_literals *all, uint32_t window, uint32_t literal, uint32_t offset) {
  uint32_t bit = hashed(window) >> all->shift;
  all->table[bit >> 5] |= 1u << (bit & 31);
  uint32_t place = (window * 0x85ebca6bu >> 11) & all->slot_mask;
  while (all->slots[place].first != NONE && all->slots[place].window != window)
    place = (place + 1) & all->slot_mask;
  all->entries[all->entry_count] = (entry){literal, offset, all->slots[place].first};
  all->slots[place] = (slot){window, all->entry_count++};
}

// A byte whose number has the bit that folding sets.
static uint8_t folded_byte(uint32_t number) {
  return (uint8_t)((number & 0x1f) | 0x20 | (number & 0x60) << 1);
}

static void add_short(vestige_literals *all, const uint8_t *literal, uint32_t length,
                      uint32_t number) {
  uint8_t bytes[WINDOW];
  memcpy(bytes, literal, length);
  for (uint32_t last = 0; last < FOLDED; last++) {
    bytes[3] = folded_byte(last);
    for (uint32_t third = 0; third < (length == 2 ? FOLDED : 1); third++) {
      if (length == 2) bytes[2] = folded_byte(third);
      add_window(all, window_at(bytes), number, 0);
    }
  }
}

void vestige_literals_free(vestige_literals *all) {
  if (all == NULL) return;
  free(all->table);
  free(all->slots);
  free(all->entries);
  free(all->pool);
  free(all->starts);
  free(all->folds);
  free(all);
}

static bool allocate(vestige_literals *all, uint32_t count, size_t pool_size, size_t entries) {
  int bits = 13;
  while (bits < MOST_BITS && (size_t)1 << bits < entries * 256) bits++;
  size_t slots = 64;
  while (slots < entries * 2) slots *= 2;
  all->shift = 32 - bits;
  all->slot_mask = (uint32_t)slots - 1;
  all->table = calloc((size_t)1 << (bits - 5), sizeof(uint32_t));
  all->slots = malloc(slots * sizeof(slot));
  all->entries = malloc((entries + 1) * sizeof(entry));
  all->pool = malloc(pool_size + 1);
  all->starts = malloc((count + 1) * sizeof(uint32_t));
  all->folds = malloc(count + 1);
  if (!all->table || !all->slots || !all->entries || !all->pool || !all->starts || !all->folds)
    return false;
  for (size_t index = 0; index < slots; index++) all->slots[index].first = NONE;
  return true;
}

vestige_literals *vestige_literals_make(const uint8_t *pool, const uint32_t *starts,
                                        const uint8_t *folds, uint32_t count) {
  size_t entries = 0;
  uint32_t shortest = UINT32_MAX;
  for (uint32_t index = 0; index < count; index++) {
    uint32_t length = starts[index + 1] - starts[index];
    if (length < SHORTEST) return NULL;
    if (length < shortest) shortest = length;
    entries += length >= WINDOW ? 1 : length == 3 ? FOLDED : FOLDED * FOLDED;
  }
  vestige_literals *all = calloc(1, sizeof *all);
  if (all == NULL) return NULL;
  all->stride = shortest >= WINDOW + STRIDE - 1 ? STRIDE : 1;
  entries *= all->stride;
  if (!allocate(all, count, starts[count], entries)) {
    vestige_literals_free(all);
    return NULL;
  }
  pair_table common;
  fill(common);
  memcpy(all->starts, starts, (count + 1) * sizeof(uint32_t));
  memcpy(all->folds, folds, count);
  for (uint32_t index = 0; index < count; index++) {
    uint32_t start = starts[index], length = starts[index + 1] - start;
    for (uint32_t byte = start; byte < start + length; byte++)
      all->pool[byte] = folds[index] ? lower(pool[byte]) : pool[byte];
    if (length >= WINDOW) {
      for (uint32_t first = 0; first < all->stride; first++) {
        uint32_t offset = rarest_window(pool + start, length, common, first, all->stride);
        add_window(all, window_at(pool + start + offset), index, offset);
      }
      continue;
    }
    add_short(all, pool + start, length, index);
  }
  for (uint32_t place = 0; place <= all->slot_mask; place++) {
    size_t length = 0;
    for (uint32_t index = all->slots[place].first; index != NONE; index = all->entries[index].next)
      length++;
    if (length > all->longest_chain) all->longest_chain = length;
  }
  return all;
}

// A step looks at eight windows, the last one at three more.
static size_t most_in_step(const vestige_literals *all) { return 12 * all->longest_chain; }

size_t vestige_literals_capacity(const vestige_literals *all) { return 256 + most_in_step(all); }

typedef struct {
  const vestige_literals *all;
  const uint8_t *bytes;
  size_t count;
  vestige_hit *hits;
  size_t found;
} search;

// Compares the literals whose window stands at `place`.
static __attribute__((noinline)) void confirm(search *search, size_t place, uint32_t window) {
  const vestige_literals *all = search->all;
  uint32_t at = (window * 0x85ebca6bu >> 11) & all->slot_mask;
  while (all->slots[at].window != window) {
    if (all->slots[at].first == NONE) return;
    at = (at + 1) & all->slot_mask;
  }
  for (uint32_t index = all->slots[at].first; index != NONE; index = all->entries[index].next) {
    const entry *entry = &all->entries[index];
    uint32_t start = all->starts[entry->literal];
    size_t length = all->starts[entry->literal + 1] - start;
    if (place < entry->offset || search->count - (place - entry->offset) < length) continue;
    const uint8_t *data = search->bytes + place - entry->offset, *literal = all->pool + start;
    size_t same = 0;
    if (all->folds[entry->literal]) {
      while (same < length && lower(data[same]) == literal[same]) same++;
    } else {
      while (same < length && data[same] == literal[same]) same++;
    }
    if (same == length)
      search->hits[search->found++] =
          (vestige_hit){entry->literal, place - entry->offset + length};
  }
}

static inline bool is_set(const vestige_literals *all, uint32_t window) {
  uint32_t bit = hashed(window) >> all->shift;
  return all->table[bit >> 5] >> (bit & 31) & 1;
}

// Searches from `place` up to `end`, where four bytes stand everywhere; stops early when the hits of
// one more step might not find room.
static size_t search_plain(search *search, size_t place, size_t end, size_t room) {
  for (; place < end && search->found <= room; place += search->all->stride) {
    uint32_t window = window_at(search->bytes + place);
    if (is_set(search->all, window)) confirm(search, place, window);
  }
  return place;
}

#if defined(__x86_64__)
#include <immintrin.h>

// Looks at eight windows, `stride` bytes from one to the next.
__attribute__((target("avx2"), always_inline)) static inline void look_at(
    search *search, __m256i windows, size_t place, size_t stride) {
  const vestige_literals *all = search->all;
  const __m256i low = _mm256_set1_epi32(31);
  const __m128i shift = _mm_cvtsi32_si128(all->shift), word = _mm_cvtsi32_si128(all->shift + 5);
  __m256i hash = _mm256_or_si256(windows, _mm256_set1_epi8(0x20));
  hash = _mm256_mullo_epi32(hash, _mm256_set1_epi32((int)0x9e3779b1u));
  __m256i bits = _mm256_i32gather_epi32((const int *)all->table, _mm256_srl_epi32(hash, word), 4);
  // The bit that is asked for becomes the sign.
  __m256i number = _mm256_and_si256(_mm256_srl_epi32(hash, shift), low);
  bits = _mm256_sllv_epi32(bits, _mm256_sub_epi32(low, number));
  unsigned set = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(bits));
  while (set != 0) {
    size_t at = place + stride * (size_t)__builtin_ctz(set);
    set &= set - 1;
    confirm(search, at, window_at(search->bytes + at));
  }
}

__attribute__((target("avx2"))) static size_t search_everywhere(search *search, size_t place,
                                                                size_t end, size_t room) {
  const __m256i windows =
      _mm256_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6,  //
                       4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10);
  for (; place + 16 <= end && search->found <= room; place += 8) {
    __m256i data = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(search->bytes + place)));
    look_at(search, _mm256_shuffle_epi8(data, windows), place, 1);
  }
  return place;
}

__attribute__((target("avx2"))) static size_t search_sparsely(search *search, size_t place,
                                                              size_t end, size_t room) {
  for (; place + 8 * STRIDE <= end && search->found <= room; place += 8 * STRIDE)
    look_at(search, _mm256_loadu_si256((const void *)(search->bytes + place)), place, STRIDE);
  return place;
}

static size_t search_wide(search *search, size_t place, size_t end, size_t room) {
  return search->all->stride == 1 ? search_everywhere(search, place, end, room)
                                  : search_sparsely(search, place, end, room);
}
#endif

size_t vestige_literals_find(const vestige_literals *all, const uint8_t *bytes, size_t count,
                             size_t *place, vestige_hit *hits, size_t capacity) {
  search search = {all, bytes, count, hits, 0};
  size_t most = most_in_step(all);
  if (capacity < most) return 0;
  size_t room = capacity - most;
  size_t end = count < WINDOW ? 0 : count - WINDOW + 1;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) *place = search_wide(&search, *place, end, room);
#endif
  *place = search_plain(&search, *place, end, room);
  if (*place >= end && search.found <= room && *place < count) {
    // Less than four bytes end the data; no literal that is looked for sparsely starts there.
    if (all->stride > 1) *place = count;
    for (; *place < count; ++*place) {
      uint8_t last[WINDOW] = {0};
      memcpy(last, bytes + *place, count - *place);
      uint32_t window = window_at(last);
      if (is_set(all, window)) confirm(&search, *place, window);
    }
  }
  return search.found;
}
