#define _GNU_SOURCE
#include "CSearch.h"
#include <string.h>

bool vestige_alphabet_make(vestige_alphabet *alphabet) {
  uint16_t rows[8];
  int known = 0;
  memset(alphabet->low, 0, sizeof alphabet->low);
  memset(alphabet->high, 0, sizeof alphabet->high);
  for (int byte = 128; byte < 256; byte++)
    if (alphabet->member[byte]) return false;
  if (alphabet->member[0]) return false;
  for (int high = 0; high < 8; high++) {
    uint16_t row = 0;
    for (int low = 0; low < 16; low++)
      if (alphabet->member[high << 4 | low]) row |= (uint16_t)(1u << low);
    if (row == 0) continue;
    int bit = 0;
    while (bit < known && rows[bit] != row) bit++;
    if (bit == known) rows[known++] = row;
    alphabet->high[high] = (uint8_t)(1u << bit);
    for (int low = 0; low < 16; low++)
      if (row >> low & 1) alphabet->low[low] |= (uint8_t)(1u << bit);
  }
  return true;
}

// One bit for each of 64 bytes: whether it belongs to the alphabet.
typedef uint64_t (*mask_function)(const uint8_t *bytes, const vestige_alphabet *alphabet);

#if defined(__x86_64__)
#include <immintrin.h>
#define VECTOR __attribute__((target("avx2,popcnt")))

VECTOR static inline uint64_t mask(const uint8_t *bytes, const vestige_alphabet *alphabet) {
  const __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)alphabet->low));
  const __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)alphabet->high));
  const __m256i nibble = _mm256_set1_epi8(15);
  uint64_t result = 0;
  for (int half = 0; half < 2; half++) {
    __m256i chunk = _mm256_loadu_si256((const void *)(bytes + 32 * half));
    // A byte beyond ASCII looks up zero in the first row, so it has no bit in common.
    __m256i first = _mm256_shuffle_epi8(low, chunk);
    __m256i second =
        _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(chunk, 4), nibble));
    __m256i none = _mm256_cmpeq_epi8(_mm256_and_si256(first, second), _mm256_setzero_si256());
    result |= (uint64_t)(uint32_t)~_mm256_movemask_epi8(none) << (32 * half);
  }
  return result;
}

// One bit for each of 64 bytes: whether it is one of `count` from `first` on.
VECTOR static inline uint64_t among(const uint8_t *bytes, uint8_t first, uint8_t count) {
  const __m256i start = _mm256_set1_epi8((char)first), last = _mm256_set1_epi8((char)(count - 1));
  uint64_t result = 0;
  for (int half = 0; half < 2; half++) {
    __m256i place = _mm256_sub_epi8(_mm256_loadu_si256((const void *)(bytes + 32 * half)), start);
    __m256i is_one = _mm256_cmpeq_epi8(_mm256_min_epu8(place, last), place);
    result |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is_one) << (32 * half);
  }
  return result;
}

VECTOR static inline uint64_t controls(const uint8_t *bytes) {
  uint64_t result = 0;
  for (int half = 0; half < 2; half++) {
    __m256i chunk = _mm256_loadu_si256((const void *)(bytes + 32 * half));
    __m256i below = _mm256_cmpeq_epi8(_mm256_min_epu8(chunk, _mm256_set1_epi8(0x1f)), chunk);
    __m256i shifted = _mm256_sub_epi8(chunk, _mm256_set1_epi8(9));
    __m256i blank = _mm256_cmpeq_epi8(_mm256_min_epu8(shifted, _mm256_set1_epi8(4)), shifted);
    blank = _mm256_or_si256(blank, _mm256_cmpeq_epi8(chunk, _mm256_set1_epi8(0x1b)));
    result |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_andnot_si256(blank, below))
              << (32 * half);
  }
  return result;
}

static inline bool has_vectors(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}

// The masks of whole blocks, where a byte is looked up in a table of 128 at once.
__attribute__((target("avx512f,avx512bw,avx512vbmi"))) static void table_masks(
    const uint8_t *bytes, size_t blocks, const vestige_alphabet *alphabet, uint64_t *masks) {
  const __m512i low = _mm512_loadu_si512(alphabet->member);
  const __m512i high = _mm512_loadu_si512(alphabet->member + 64);
  for (size_t block = 0; block < blocks; block++) {
    __m512i chunk = _mm512_loadu_si512(bytes + 64 * block);
    __m512i entries = _mm512_permutex2var_epi8(low, chunk, high);
    masks[block] = _mm512_test_epi8_mask(entries, entries) & ~_mm512_movepi8_mask(chunk);
  }
}

static inline bool has_tables(void) {
  return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw");
}

#elif defined(__aarch64__)
#include <arm_neon.h>
#define VECTOR

// Eight bytes a bit each: AND with the bit of each place, then add neighbours three times.
static inline uint64_t gathered(uint8x16_t yes[4]) {
  const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t one = vpaddq_u8(vandq_u8(yes[0], bits), vandq_u8(yes[1], bits));
  uint8x16_t two = vpaddq_u8(vandq_u8(yes[2], bits), vandq_u8(yes[3], bits));
  one = vpaddq_u8(one, two);
  one = vpaddq_u8(one, one);
  return vgetq_lane_u64(vreinterpretq_u64_u8(one), 0);
}

static inline uint64_t mask(const uint8_t *bytes, const vestige_alphabet *alphabet) {
  const uint8x16_t low = vld1q_u8(alphabet->low);
  const uint8x16_t high = vld1q_u8(alphabet->high);
  uint8x16_t yes[4];
  for (int part = 0; part < 4; part++) {
    uint8x16_t chunk = vld1q_u8(bytes + 16 * part);
    uint8x16_t first = vqtbl1q_u8(low, vandq_u8(chunk, vdupq_n_u8(15)));
    yes[part] = vtstq_u8(first, vqtbl1q_u8(high, vshrq_n_u8(chunk, 4)));
  }
  return gathered(yes);
}

static inline uint64_t among(const uint8_t *bytes, uint8_t first, uint8_t count) {
  uint8x16_t yes[4];
  for (int part = 0; part < 4; part++)
    yes[part] = vcltq_u8(vsubq_u8(vld1q_u8(bytes + 16 * part), vdupq_n_u8(first)), vdupq_n_u8(count));
  return gathered(yes);
}

static inline uint64_t controls(const uint8_t *bytes) {
  uint8x16_t yes[4];
  for (int part = 0; part < 4; part++) {
    uint8x16_t chunk = vld1q_u8(bytes + 16 * part);
    uint8x16_t blank = vcleq_u8(vsubq_u8(chunk, vdupq_n_u8(9)), vdupq_n_u8(4));
    blank = vorrq_u8(blank, vceqq_u8(chunk, vdupq_n_u8(0x1b)));
    yes[part] = vbicq_u8(vcltq_u8(chunk, vdupq_n_u8(0x20)), blank);
  }
  return gathered(yes);
}

static inline bool has_vectors(void) { return true; }

#else
#define VECTOR

static inline uint64_t mask(const uint8_t *bytes, const vestige_alphabet *alphabet) {
  uint64_t result = 0;
  for (int index = 0; index < 64; index++)
    result |= (uint64_t)alphabet->member[bytes[index]] << index;
  return result;
}

static inline uint64_t among(const uint8_t *bytes, uint8_t first, uint8_t count) {
  uint64_t result = 0;
  for (int index = 0; index < 64; index++)
    result |= (uint64_t)((uint8_t)(bytes[index] - first) < count) << index;
  return result;
}

static inline uint64_t controls(const uint8_t *bytes) { return 0; }
static inline bool has_vectors(void) { return false; }
#endif

static size_t end_of_run(const uint8_t *bytes, size_t count, const vestige_alphabet *alphabet,
                         size_t from) {
  while (from < count && alphabet->member[bytes[from]]) from++;
  return from;
}

// Without vectors only every `minimum`th byte is looked at: a stretch that long covers one of them.
static bool next_by_probes(const uint8_t *bytes, size_t count, const vestige_alphabet *alphabet,
                           size_t minimum, size_t from, vestige_run *run) {
  for (size_t probe = from; probe < count && minimum - 1 < count - probe;) {
    size_t last = probe + minimum - 1;
    if (!alphabet->member[bytes[last]]) {
      probe = last + 1;
      continue;
    }
    size_t start = last;
    while (start > probe && alphabet->member[bytes[start - 1]]) start--;
    size_t end = end_of_run(bytes, count, alphabet, last + 1);
    if (end - start >= minimum) {
      *run = (vestige_run){start, end};
      return true;
    }
    probe = end;
  }
  return false;
}

// Where `length` bits in a row are set in `bits`: the first bit of each such place, at the least.
static inline uint64_t rows_of_bits(uint64_t bits, size_t length) {
  for (size_t done = 1; done < length;) {
    size_t step = done < length - done ? done : length - done;
    bits &= bits >> step;
    done += step;
  }
  return bits;
}

// `size` bytes, and zeros up to 64 where they are fewer: a zero belongs to no alphabet.
static inline const uint8_t *padded_to_block(const uint8_t *bytes, size_t size, uint8_t padded[64]) {
  if (size >= 64) return bytes;
  memset(padded, 0, 64);
  memcpy(padded, bytes, size);
  return padded;
}

// Blocks whose masks are made at once.
enum { BLOCKS = 4 };

// The masks of the next blocks, and how many they are.
VECTOR static size_t next_masks(const uint8_t *bytes, size_t count,
                                const vestige_alphabet *alphabet, uint64_t masks[BLOCKS]) {
  size_t whole = count / 64 < BLOCKS ? count / 64 : BLOCKS;
#if defined(__x86_64__)
  if (whole > 0 && has_tables()) {
    table_masks(bytes, whole, alphabet, masks);
    return whole;
  }
#endif
  for (size_t block = 0; block < whole; block++) masks[block] = mask(bytes + 64 * block, alphabet);
  if (whole > 0) return whole;
  uint8_t padded[64];
  masks[0] = mask(padded_to_block(bytes, count, padded), alphabet);
  return 1;
}

static bool next_by_vectors(const uint8_t *bytes, size_t count, const vestige_alphabet *alphabet,
                            size_t minimum, size_t from, vestige_run *run) {
  uint64_t masks[BLOCKS];
  // How many members stand right before the block.
  size_t carried = 0, made = 0, used = 0;
  for (size_t block = from; block < count; block += 64, used++) {
    if (used == made) {
      made = next_masks(bytes + block, count - block, alphabet, masks);
      used = 0;
    }
    uint64_t bits = masks[used];
    if (bits == UINT64_MAX) {
      carried += 64;
      if (carried < minimum) continue;
      *run = (vestige_run){block + 64 - carried, end_of_run(bytes, count, alphabet, block + 64)};
      return true;
    }
    size_t leading = (size_t)__builtin_ctzll(~bits);
    if (carried + leading >= minimum) {
      *run = (vestige_run){block - carried, block + leading};
      return true;
    }
    uint64_t found = minimum <= 64 ? rows_of_bits(bits, minimum) : 0;
    if (found != 0) {
      size_t start = block + (size_t)__builtin_ctzll(found);
      *run = (vestige_run){start, end_of_run(bytes, count, alphabet, start + minimum)};
      return true;
    }
    carried = (size_t)__builtin_clzll(~bits);
  }
  return false;
}

bool vestige_next_run(const uint8_t *bytes, size_t count, const vestige_alphabet *alphabet,
                      size_t minimum, size_t from, vestige_run *run) {
  if (minimum == 0 || from >= count || count - from < minimum) return false;
  if (has_vectors()) return next_by_vectors(bytes, count, alphabet, minimum, from, run);
  return next_by_probes(bytes, count, alphabet, minimum, from, run);
}

VECTOR static size_t members(const uint8_t *bytes, size_t count, const vestige_alphabet *alphabet) {
  size_t block = 0;
  while (count - block >= 64 && mask(bytes + block, alphabet) == UINT64_MAX) block += 64;
  return block;
}

bool vestige_all_members(const uint8_t *bytes, size_t count, const vestige_alphabet *alphabet) {
  size_t known = has_vectors() ? members(bytes, count, alphabet) : 0;
  return end_of_run(bytes, count, alphabet, known) == count;
}

// Where the next pair stands that starts in a block; the last bytes where none does.
VECTOR static size_t pair_in_blocks(const uint8_t *bytes, size_t count, size_t from, uint8_t first,
                                    const vestige_alphabet *next) {
  for (;;) {
    // Most bytes are passed by as fast as the C library can.
    const uint8_t *found = memchr(bytes + from, first, count - from);
    if (found == NULL) return count;
    from = (size_t)(found - bytes);
    if (count - from <= 64) return from;
    uint64_t pairs = among(found, first, 1) & mask(found + 1, next);
    if (pairs != 0) return from + (size_t)__builtin_ctzll(pairs);
    from += 64;
  }
}

size_t vestige_next_pair(const uint8_t *bytes, size_t count, size_t from, uint8_t first,
                         const vestige_alphabet *next) {
  if (from >= count) return count;
  if (has_vectors()) from = pair_in_blocks(bytes, count, from, first, next);
  for (; from + 1 < count; from++)
    if (bytes[from] == first && next->member[bytes[from + 1]]) return from;
  return count;
}

static inline bool is_wide(const uint8_t *bytes) {
  return bytes[1] == 0 && ((uint8_t)(bytes[0] - 0x20) < 0x5f || bytes[0] == 0x0a ||
                           bytes[0] == 0x0d || bytes[0] == 0x09);
}

bool vestige_next_wide(const uint8_t *bytes, size_t count, size_t minimum, size_t from,
                       vestige_run *run) {
  // One of every `minimum` places lies inside each stretch that is long enough, at or beside a pair.
  for (size_t place = from; place + 2 < count; place += minimum) {
    size_t start = place;
    if (!is_wide(bytes + start) && !is_wide(bytes + ++start)) continue;
    size_t end = start;
    while (start >= from + 2 && is_wide(bytes + start - 2)) start -= 2;
    while (end + 1 < count && is_wide(bytes + end)) end += 2;
    if (end - start >= 2 * minimum) {
      *run = (vestige_run){start, end};
      return true;
    }
    if (end > place + minimum) place = end - minimum;
  }
  return false;
}

static inline bool is_control(uint8_t byte) {
  return byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte != 0x1b;
}

VECTOR static size_t without_control(const uint8_t *bytes, size_t count) {
  size_t block = 0;
  while (count - block >= 64 && controls(bytes + block) == 0) block += 64;
  return block;
}

size_t vestige_first_control(const uint8_t *bytes, size_t count) {
  size_t index = has_vectors() ? without_control(bytes, count) : 0;
  while (index < count && !is_control(bytes[index])) index++;
  return index;
}

uint8_t vestige_common_classes(const uint8_t *bytes, size_t count, const uint8_t *table,
                               uint8_t least) {
  uint8_t common = 0xff;
  for (size_t index = 0; index < count && common != least; index++) common &= table[bytes[index]];
  return common;
}

// A number for each of the eight classes.
typedef uint32_t numbers __attribute__((vector_size(32)));

void vestige_longest_stretches(const uint8_t *bytes, size_t count, const uint8_t *table,
                               uint32_t longest[8]) {
  const numbers bits = {1, 2, 4, 8, 16, 32, 64, 128};
  numbers length = {0}, most = {0};
  for (size_t index = 0; index < count; index++) {
    numbers holds = (numbers)((bits & table[bytes[index]]) != 0);
    length = (length + 1) & holds;
    most = __builtin_elementwise_max(length, most);
  }
  memcpy(longest, &most, sizeof most);
}

// The kinds of 64 characters, a bit for each.
typedef struct {
  uint64_t digits, small, capitals;
} kinds;

VECTOR static inline kinds kinds_at(const uint8_t *bytes) {
  return (kinds){among(bytes, '0', 10), among(bytes, 'a', 26), among(bytes, 'A', 26)};
}

VECTOR bool vestige_is_mixed(const uint8_t *bytes, size_t count) {
  int changes = 0, digits = 0;
  size_t plain = 0;
  kinds carried = {0, 0, 0};
  for (size_t block = 0; block < count; block += 64) {
    uint8_t padded[64];
    kinds here = kinds_at(padded_to_block(bytes + block, count - block, padded));
    uint64_t digit = here.digits << 1 | carried.digits, small = here.small << 1 | carried.small,
             capital = here.capitals << 1 | carried.capitals;
    uint64_t changed = (here.digits & (small | capital)) | (here.small & (digit | capital)) |
                       (here.capitals & (digit | small));
    changes += __builtin_popcountll(changed);
    digits += __builtin_popcountll(here.digits);
    if (changes >= 5 || digits >= 10) return true;
    plain += (size_t)__builtin_popcountll(here.digits | here.capitals);
    carried = (kinds){here.digits >> 63, here.small >> 63, here.capitals >> 63};
  }
  return plain == count && digits > 0;
}

// Where the first word of a block may start, or one behind: at a letter that has none before it, at a
// capital behind a small one, and at whatever is no letter.
VECTOR static inline uint64_t word_starts(const uint8_t *bytes, size_t size, uint8_t before) {
  uint8_t padded[64];
  bytes = padded_to_block(bytes, size, padded);
  uint64_t small = among(bytes, 'a', 26), capitals = among(bytes, 'A', 26);
  uint64_t small_before = small << 1 | (uint64_t)((uint8_t)(before - 'a') < 26);
  uint64_t capital_before = capitals << 1 | (uint64_t)((uint8_t)(before - 'A') < 26);
  uint64_t goes_on = (small & (small_before | capital_before)) | (capitals & capital_before);
  uint64_t there = size >= 64 ? UINT64_MAX : ((uint64_t)1 << size) - 1;
  return ~goes_on & there;
}

VECTOR size_t vestige_word_starts(const uint8_t *bytes, size_t *from, size_t end,
                                  const bool *starts_any, uint32_t *places, size_t capacity) {
  size_t found = 0;
  while (*from + 1 < end && found + 64 <= capacity) {
    size_t block = *from, size = end - 1 - block < 64 ? end - 1 - block : 64;
    uint8_t before = block > 0 ? bytes[block - 1] : 0;
    for (uint64_t set = word_starts(bytes + block, size, before); set != 0; set &= set - 1) {
      size_t place = block + (size_t)__builtin_ctzll(set);
      places[found] = (uint32_t)place;
      found += starts_any[vestige_word_bucket(bytes[place], bytes[place + 1])];
    }
    *from = block + size;
  }
  return found;
}

#if defined(__x86_64__)
// Looks at 32 places at once for the first byte of a literal and, so far behind it, the last one.
VECTOR static const uint8_t *find_by_ends(const uint8_t *bytes, size_t count,
                                          const uint8_t *literal, size_t length, size_t *searched) {
  const __m256i first = _mm256_set1_epi8((char)literal[0]),
                last = _mm256_set1_epi8((char)literal[length - 1]);
  size_t place = 0;
  for (; place + length - 1 + 32 <= count; place += 32) {
    const uint8_t *start = bytes + place;
    __m256i starts = _mm256_cmpeq_epi8(_mm256_loadu_si256((const void *)start), first);
    __m256i ends =
        _mm256_cmpeq_epi8(_mm256_loadu_si256((const void *)(start + length - 1)), last);
    unsigned both = (unsigned)_mm256_movemask_epi8(_mm256_and_si256(starts, ends));
    for (; both != 0; both &= both - 1) {
      const uint8_t *hit = start + __builtin_ctz(both);
      if (memcmp(hit, literal, length) == 0) return hit;
    }
  }
  *searched = place;
  return NULL;
}
#endif

const uint8_t *vestige_find(const uint8_t *bytes, size_t count, const uint8_t *literal,
                            size_t length) {
  size_t searched = 0;
#if defined(__x86_64__)
  if (length > 0 && has_vectors()) {
    const uint8_t *hit = find_by_ends(bytes, count, literal, length, &searched);
    if (hit != NULL) return hit;
  }
#endif
  return memmem(bytes + searched, count - searched, literal, length);
}

size_t vestige_count(const uint8_t *bytes, size_t count, uint8_t byte) {
  enum { LANES = 64, MOST_ROUNDS = UINT8_MAX };
  size_t total = 0, index = 0;
  while (count - index >= LANES) {
    // Sums of one byte each, which the compiler keeps in vectors; none can overflow.
    uint8_t sums[LANES] = {0};
    size_t rounds = (count - index) / LANES;
    if (rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
    for (size_t round = 0; round < rounds; round++, index += LANES)
      for (size_t lane = 0; lane < LANES; lane++) sums[lane] += bytes[index + lane] == byte;
    for (size_t lane = 0; lane < LANES; lane++) total += sums[lane];
  }
  for (; index < count; index++) total += bytes[index] == byte;
  return total;
}

void vestige_count_bytes(const uint8_t *bytes, size_t count, size_t counts[256]) {
  // Four tables, since neighbours are often the same: a sum would wait for the one before.
  enum { TABLES = 4, MOST = 1 << 30 };
  while (count > 0) {
    uint32_t tables[TABLES][256] = {{0}};
    size_t part = count < MOST ? count : MOST, index = 0;
    for (; index + TABLES <= part; index += TABLES)
      for (size_t table = 0; table < TABLES; table++) tables[table][bytes[index + table]]++;
    for (; index < part; index++) tables[0][bytes[index]]++;
    for (size_t byte = 0; byte < 256; byte++)
      for (size_t table = 0; table < TABLES; table++) counts[byte] += tables[table][byte];
    bytes += part;
    count -= part;
  }
}
