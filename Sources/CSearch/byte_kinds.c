#include "vectors.h"

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

enum { DIGIT, SMALL, CAPITAL, OTHER };

static int kind_of(uint8_t byte) {
  if ((uint8_t)(byte - '0') < 10) return DIGIT;
  if ((uint8_t)(byte - 'a') < 26) return SMALL;
  return (uint8_t)(byte - 'A') < 26 ? CAPITAL : OTHER;
}

// Of so many bytes that is enough.
enum { ENOUGH_CHANGES = 5, ENOUGH_DIGITS = 10 };

static bool is_mixed_byte_by_byte(const uint8_t *bytes, size_t count) {
  int changes = 0, digits = 0, last = OTHER;
  bool plain = true;
  for (size_t index = 0; index < count; index++) {
    int kind = kind_of(bytes[index]);
    changes += kind != last && kind != OTHER && last != OTHER;
    digits += kind == DIGIT;
    plain &= kind == DIGIT || kind == CAPITAL;
    last = kind;
  }
  return changes >= ENOUGH_CHANGES || digits >= ENOUGH_DIGITS || (plain && digits > 0);
}

// The kinds of 64 characters, a bit for each.
typedef struct {
  uint64_t digits, small, capitals;
} kinds;

VECTOR static inline kinds kinds_at(const uint8_t *bytes) {
  return (kinds){among(bytes, '0', 10), among(bytes, 'a', 26), among(bytes, 'A', 26)};
}

VECTOR static bool is_mixed(const uint8_t *bytes, size_t count) {
  int changes = 0, digits = 0;
  size_t plain = 0;
  kinds last = {0, 0, 0};
  for (size_t block = 0; block < count; block += 64) {
    uint8_t padded[64];
    kinds here = kinds_at(padded_to_block(bytes + block, count - block, padded));
    uint64_t digit = here.digits << 1 | last.digits, small = here.small << 1 | last.small,
             capital = here.capitals << 1 | last.capitals;
    uint64_t changed = (here.digits & (small | capital)) | (here.small & (digit | capital)) |
                       (here.capitals & (digit | small));
    changes += __builtin_popcountll(changed);
    digits += __builtin_popcountll(here.digits);
    if (changes >= ENOUGH_CHANGES || digits >= ENOUGH_DIGITS) return true;
    plain += (size_t)__builtin_popcountll(here.digits | here.capitals);
    last = (kinds){here.digits >> 63, here.small >> 63, here.capitals >> 63};
  }
  return plain == count && digits > 0;
}

bool vestige_is_mixed(const uint8_t *bytes, size_t count) {
  enum { FEW = 16 };
  return count >= FEW && has_vectors() ? is_mixed(bytes, count)
                                       : is_mixed_byte_by_byte(bytes, count);
}

// A word starts at a letter that has none before it, at a capital behind a small one, and at whatever is
// no letter.
static inline bool starts_word(uint8_t before, uint8_t here) {
  int last = kind_of(before), kind = kind_of(here);
  bool goes_on = kind == SMALL ? last == SMALL || last == CAPITAL : kind == CAPITAL && last == CAPITAL;
  return !goes_on;
}

// The same for 64 bytes.
VECTOR static inline uint64_t word_starts(const uint8_t *bytes, uint8_t before) {
  uint64_t small = among(bytes, 'a', 26), capitals = among(bytes, 'A', 26);
  uint64_t small_before = small << 1 | (uint64_t)(kind_of(before) == SMALL);
  uint64_t capital_before = capitals << 1 | (uint64_t)(kind_of(before) == CAPITAL);
  return ~((small & (small_before | capital_before)) | (capitals & capital_before));
}

// The places where words may start.
typedef struct {
  const bool *starts_any;
  uint32_t *list;
  size_t count;
} places;

static inline void add_place(places *places, const uint8_t *bytes, size_t place) {
  places->list[places->count] = (uint32_t)place;
  places->count += places->starts_any[vestige_word_bucket(bytes[place], bytes[place + 1])];
}

VECTOR static void add_block(places *places, const uint8_t *bytes, size_t block) {
  uint8_t before = block > 0 ? bytes[block - 1] : 0;
  for (uint64_t set = word_starts(bytes + block, before); set != 0; set &= set - 1)
    add_place(places, bytes, block + (size_t)__builtin_ctzll(set));
}

size_t vestige_word_starts(const uint8_t *bytes, size_t *from, size_t end, const bool *starts_any,
                           uint32_t *list, size_t capacity) {
  places places = {starts_any, list, 0};
  while (*from + 1 < end && places.count + 64 <= capacity) {
    if (end - 1 - *from >= 64 && has_vectors()) {
      add_block(&places, bytes, *from);
      *from += 64;
      continue;
    }
    size_t stop = end - 1 - *from < 64 ? end - 1 : *from + 64;
    for (; *from < stop; ++*from)
      if (starts_word(*from > 0 ? bytes[*from - 1] : 0, bytes[*from]))
        add_place(&places, bytes, *from);
  }
  return places.count;
}
