#include "literals.h"

// The search for literals that were made ready.

// A step of the search with a filter looks at this many places.
enum { BLOCK = 64 };

// What is seen at one place, or in one step with a filter, finds room; at the end three places more are
// looked at.
static size_t most_in_step(const vestige_literals *literals) {
  if (literals->brief.stride == 0) return 4 * literals->all.longest_chain;
  return (BLOCK + 2) * literals->brief.longest_chain + BLOCK / STRIDE * literals->all.longest_chain;
}

size_t vestige_literals_capacity(const vestige_literals *literals) {
  return 256 + most_in_step(literals);
}

typedef struct {
  const vestige_literals *literals;
  const uint8_t *bytes;
  size_t count;
  vestige_hit *hits;
  size_t found;
} search;

// Whether the bytes beside a window that stands at `place` may be those of a literal.
static inline bool may_stand(const search *search, const entry *entry, size_t place) {
  size_t start = place + (size_t)(ptrdiff_t)entry->beside;
  if (start >= search->count || search->count - start < WINDOW) return true;
  return (window_at(search->bytes + start) & entry->known) == entry->bytes;
}

static inline bool stands(const search *search, uint32_t number, size_t start, size_t length) {
  const vestige_literals *literals = search->literals;
  const uint8_t *data = search->bytes + start, *literal = literals->pool + literals->starts[number];
  if (!literals->folds[number]) return memcmp(data, literal, length) == 0;
  size_t same = 0;
  while (same < length && lower(data[same]) == literal[same]) same++;
  return same == length;
}

// Compares the literals whose window stands at `place`.
static __attribute__((noinline)) void confirm(search *search, const windows *all, size_t place,
                                              uint32_t window) {
  const slot *slot = slot_of(all, window);
  for (uint32_t index = 0; index < slot->count; index++) {
    const entry *entry = &all->entries[slot->first + index];
    if (place < entry->offset || !may_stand(search, entry, place)) continue;
    size_t start = place - entry->offset;
    size_t length = length_of(search->literals, entry->literal);
    if (search->count - start < length || !stands(search, entry->literal, start, length)) continue;
    search->hits[search->found++] = (vestige_hit){entry->literal, start + length};
  }
}

static inline bool is_set(const windows *all, uint32_t window) {
  uint32_t bit = hashed(window) >> all->shift;
  return all->table[bit >> 5] >> (bit & 31) & 1;
}

static inline void look_at_one(search *search, const windows *all, size_t place) {
  uint32_t window = window_at(search->bytes + place);
  if (is_set(all, window)) confirm(search, all, place, window);
}

// Searches from `place` up to `end`, where four bytes stand everywhere; stops early when the hits of
// one more step might not find room.
static size_t search_plain(search *search, size_t place, size_t end, size_t room) {
  const windows *all = &search->literals->all, *brief = &search->literals->brief;
  if (brief->stride == 0) {
    for (; place < end && search->found <= room; place += all->stride)
      look_at_one(search, all, place);
    return place;
  }
  for (; place < end && search->found <= room; place++) {
    look_at_one(search, brief, place);
    if (place % all->stride == 0) look_at_one(search, all, place);
  }
  return place;
}

#if defined(__x86_64__)
#include <immintrin.h>

// Whether each of eight windows may be one of those looked for, a bit for each.
__attribute__((target("avx2"), always_inline)) static inline uint8_t look_at(const windows *all,
                                                                             __m256i windows) {
  const __m256i low = _mm256_set1_epi32(31);
  const __m128i shift = _mm_cvtsi32_si128(all->shift), word = _mm_cvtsi32_si128(all->shift + 5);
  __m256i small = _mm256_and_si256(_mm256_srli_epi32(windows, 1), _mm256_set1_epi8(0x20));
  __m256i hash = _mm256_or_si256(windows, small);
  hash = _mm256_mullo_epi32(hash, _mm256_set1_epi32((int)0x9e3779b1u));
  __m256i bits = _mm256_i32gather_epi32((const int *)all->table, _mm256_srl_epi32(hash, word), 4);
  // The bit that is asked for becomes the sign.
  __m256i number = _mm256_and_si256(_mm256_srl_epi32(hash, shift), low);
  bits = _mm256_sllv_epi32(bits, _mm256_sub_epi32(low, number));
  return (uint8_t)_mm256_movemask_ps(_mm256_castsi256_ps(bits));
}

// Windows are looked at in rounds, and what they may be is compared only behind a round: a jump that
// depends on a look at the table would have the processor wait for it.
enum { WORDS = 8, MOST_LOOKS = 8 * WORDS };
typedef union {
  uint8_t looks[MOST_LOOKS];
  uint64_t words[WORDS];
} round_bits;

static inline size_t looks_in(size_t count, size_t size) {
  return count / size < MOST_LOOKS ? count / size : MOST_LOOKS;
}

// Compares what a round saw, `stride` bytes from one place to the next; the place to go on from.
static inline size_t confirm_round(search *search, const round_bits *round, size_t looks,
                                   size_t place, size_t stride, size_t room) {
  const windows *all = &search->literals->all;
  for (size_t word = 0; 8 * word < looks; word++) {
    for (uint64_t set = round->words[word]; set != 0; set &= set - 1) {
      size_t at = place + stride * (64 * word + (size_t)__builtin_ctzll(set));
      if (search->found > room) return at;
      confirm(search, all, at, window_at(search->bytes + at));
    }
  }
  return place + stride * 8 * looks;
}

__attribute__((target("avx2"))) static size_t search_everywhere(search *search, size_t place,
                                                                size_t end, size_t room) {
  const windows *all = &search->literals->all;
  const __m256i windows =
      _mm256_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6,  //
                       4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10);
  while (place + 16 <= end && search->found <= room) {
    round_bits round = {0};
    const uint8_t *bytes = search->bytes + place;
    size_t looks = looks_in(end - place - 8, 8);
    for (size_t look = 0; look < looks; look++) {
      __m256i data = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(bytes + 8 * look)));
      round.looks[look] = look_at(all, _mm256_shuffle_epi8(data, windows));
    }
    place = confirm_round(search, &round, looks, place, 1, room);
  }
  return place;
}

__attribute__((target("avx2"))) static size_t search_sparsely(search *search, size_t place,
                                                              size_t end, size_t room) {
  const windows *all = &search->literals->all;
  while (place + 8 * STRIDE <= end && search->found <= room) {
    round_bits round = {0};
    const uint8_t *bytes = search->bytes + place;
    size_t looks = looks_in(end - place, 8 * STRIDE);
    for (size_t look = 0; look < looks; look++) {
      __m256i data = _mm256_loadu_si256((const void *)(bytes + 8 * STRIDE * look));
      round.looks[look] = look_at(all, data);
    }
    place = confirm_round(search, &round, looks, place, STRIDE, room);
  }
  return place;
}

// The same for 32 bytes, at once.
__attribute__((target("avx2"), always_inline)) static inline void look_sparsely(search *search,
                                                                                size_t place) {
  const windows *all = &search->literals->all;
  __m256i data = _mm256_loadu_si256((const void *)(search->bytes + place));
  for (unsigned set = look_at(all, data); set != 0; set &= set - 1) {
    size_t at = place + STRIDE * (size_t)__builtin_ctz(set);
    confirm(search, all, at, window_at(search->bytes + at));
  }
}

#define FILTERING __attribute__((target("avx512f,avx512bw,avx512vbmi,avx2")))

typedef struct {
  __m512i quarters[4];
} byte_table;

FILTERING static inline byte_table loaded(const uint8_t entries[256]) {
  byte_table table;
  for (int quarter = 0; quarter < 4; quarter++)
    table.quarters[quarter] = _mm512_loadu_si512(entries + 64 * quarter);
  return table;
}

FILTERING static inline __m512i looked_up(byte_table table, const uint8_t *bytes) {
  __m512i data = _mm512_loadu_si512(bytes);
  __m512i low = _mm512_permutex2var_epi8(table.quarters[0], data, table.quarters[1]);
  __m512i high = _mm512_permutex2var_epi8(table.quarters[2], data, table.quarters[3]);
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(data), low, high);
}

FILTERING static size_t search_filtered(search *search, size_t place, size_t end, size_t room) {
  const vestige_literals *literals = search->literals;
  const byte_table first = loaded(literals->filter[0]), second = loaded(literals->filter[1]),
                   third = loaded(literals->filter[2]), fourth = loaded(literals->filter[3]);
  for (; place + BLOCK <= end && search->found <= room; place += BLOCK) {
    const uint8_t *bytes = search->bytes + place;
    __m512i left = _mm512_and_si512(
        _mm512_and_si512(looked_up(first, bytes), looked_up(second, bytes + 1)),
        _mm512_and_si512(looked_up(third, bytes + 2), looked_up(fourth, bytes + 3)));
    for (uint64_t set = _mm512_test_epi8_mask(left, left); set != 0; set &= set - 1)
      look_at_one(search, &literals->brief, place + (size_t)__builtin_ctzll(set));
    for (size_t half = 0; half < BLOCK; half += 8 * STRIDE) look_sparsely(search, place + half);
  }
  return place;
}

static size_t search_wide(search *search, size_t place, size_t end, size_t room) {
  if (search->literals->brief.stride != 0) return search_filtered(search, place, end, room);
  return search->literals->all.stride == 1 ? search_everywhere(search, place, end, room)
                                           : search_sparsely(search, place, end, room);
}
#endif

// Searches the less than four bytes that end the data; no long literal starts there.
static void search_end(search *search, size_t *place) {
  const vestige_literals *literals = search->literals;
  const windows *all = literals->brief.stride != 0 ? &literals->brief : &literals->all;
  if (all->stride > 1) *place = search->count;
  for (; *place < search->count; ++*place) {
    uint8_t last[WINDOW] = {0};
    memcpy(last, search->bytes + *place, search->count - *place);
    uint32_t window = window_at(last);
    if (is_set(all, window)) confirm(search, all, *place, window);
  }
}

size_t vestige_literals_find(const vestige_literals *literals, const uint8_t *bytes, size_t count,
                             size_t *place, vestige_hit *hits, size_t capacity) {
  search search = {literals, bytes, count, hits, 0};
  size_t most = most_in_step(literals);
  if (capacity < most) return 0;
  size_t room = capacity - most;
  size_t end = count < WINDOW ? 0 : count - WINDOW + 1;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) *place = search_wide(&search, *place, end, room);
#endif
  *place = search_plain(&search, *place, end, room);
  if (*place >= end && search.found <= room && *place < count) search_end(&search, place);
  return search.found;
}
