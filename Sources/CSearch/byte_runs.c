#include "vectors.h"

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
