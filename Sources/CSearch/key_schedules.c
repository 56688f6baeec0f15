#include "CSearch.h"
#include <string.h>

// Expanded AES keys (FIPS 197, §5.2): word i of a schedule is word i - Nk XOR a function of word i - 1.
// For most words that function is the word itself, so that three words of every four, and five of six
// for 192-bit keys, XOR to zero with two others at fixed distances. That is looked for everywhere; only
// where it holds is a key expanded and compared.

static const uint8_t sbox[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
    0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
    0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
    0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
    0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
    0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
    0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
    0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16};

enum { LONGEST = 240, MOST_FLIPPED_BITS = 40 };

static uint8_t doubled(uint8_t value) { return (uint8_t)(value << 1 ^ (value >> 7) * 0x1b); }

static void expand(uint8_t *schedule, size_t key_length) {
  size_t words = key_length / 4, total = 4 * (words + 7);
  uint8_t round_constant = 1;
  for (size_t index = words; index < total; index++) {
    uint8_t *target = schedule + 4 * index;
    uint8_t last[4];
    memcpy(last, target - 4, 4);
    if (index % words == 0) {
      uint8_t first = last[0];
      for (int byte = 0; byte < 4; byte++) last[byte] = sbox[byte < 3 ? last[byte + 1] : first];
      last[0] ^= round_constant;
      round_constant = doubled(round_constant);
    } else if (words == 8 && index % 8 == 4) {
      for (int byte = 0; byte < 4; byte++) last[byte] = sbox[last[byte]];
    }
    for (int byte = 0; byte < 4; byte++) target[byte] = target[byte - 4 * (long)words] ^ last[byte];
  }
}

// MixColumns on one column (FIPS 197, §5.1.3); three times over it is its own inverse.
static void mix(uint8_t column[4]) {
  uint8_t all = column[0] ^ column[1] ^ column[2] ^ column[3], first = column[0];
  for (int byte = 0; byte < 4; byte++) {
    uint8_t next = byte < 3 ? column[byte + 1] : first;
    column[byte] ^= all ^ doubled(column[byte] ^ next);
  }
}

static void swap_words(uint8_t *bytes, size_t count) {
  for (size_t word = 0; word + 4 <= count; word += 4) {
    uint8_t held[4];
    memcpy(held, bytes + word, 4);
    for (int byte = 0; byte < 4; byte++) bytes[word + byte] = held[3 - byte];
  }
}

static bool fits(const uint8_t *one, const uint8_t *other, size_t count) {
  int flipped = 0;
  for (size_t index = 0; index < count && flipped <= MOST_FLIPPED_BITS; index++)
    flipped += __builtin_popcount(one[index] ^ other[index]);
  return flipped <= MOST_FLIPPED_BITS;
}

// A key of few different bytes is filling, or an example.
static bool is_varied(const uint8_t *key, size_t length) {
  bool seen[256] = {false};
  size_t different = 0;
  for (size_t index = 0; index < length; index++) {
    different += !seen[key[index]];
    seen[key[index]] = true;
  }
  return different * 2 > length;
}

static bool is_encryption(const uint8_t *stored, size_t length, size_t key_length,
                          vestige_schedule *found) {
  uint8_t schedule[LONGEST];
  memcpy(schedule, stored, key_length);
  expand(schedule, key_length);
  if (!fits(schedule, stored, length)) return false;
  memcpy(found->key, stored, key_length);
  return true;
}

// The rounds in reverse order, all but the first and last through InvMixColumns (§5.3.5).
static bool is_decryption(const uint8_t *stored, size_t length, size_t key_length,
                          vestige_schedule *found) {
  uint8_t schedule[LONGEST], expected[LONGEST];
  size_t rounds = length / 16;
  memcpy(schedule, stored + length - 16, 16);
  // What the key has more of starts round 1.
  memcpy(schedule + 16, stored + length - 32, key_length - 16);
  for (size_t column = 16; column < key_length; column += 4) mix(schedule + column);
  memcpy(found->key, schedule, key_length);
  expand(schedule, key_length);
  for (size_t round = 0; round < rounds; round++) {
    uint8_t *target = expected + 16 * (rounds - 1 - round);
    memcpy(target, schedule + 16 * round, 16);
    if (round == 0 || round == rounds - 1) continue;
    for (int column = 0; column < 4; column++)
      for (int time = 0; time < 3; time++) mix(target + 4 * column);
  }
  return fits(expected, stored, length);
}

static bool is_schedule(const uint8_t *bytes, size_t start, size_t key_length, bool reversed,
                        vestige_schedule *found) {
  size_t length = 16 * (key_length / 4 + 7);
  for (int swapped = 0; swapped < 2; swapped++) {
    uint8_t stored[LONGEST];
    memcpy(stored, bytes + start, length);
    if (swapped) swap_words(stored, length);
    bool holds = reversed ? is_decryption(stored, length, key_length, found)
                          : is_encryption(stored, length, key_length, found);
    if (!holds || !is_varied(found->key, key_length)) continue;
    found->start = start;
    found->length = length;
    found->key_length = key_length;
    found->reversed = reversed;
    return true;
  }
  return false;
}

// One relation: words that XOR to zero with the word before them and one `distance` bytes away, `row`
// bytes of them together, of which the first is word `first` of a schedule or some `step` words later.
// Rounds have four words: reversed, the groups of six of a 192-bit key are torn, and only the second
// half of a round keeps its neighbours.
typedef struct {
  long distance;
  size_t key_length;
  bool reversed;
  size_t row;
  size_t first;
  size_t step;
} relation;

static const relation relations[] = {
    {-16, 16, false, 12, 5, 4}, {-24, 24, false, 12, 7, 6}, {-32, 32, false, 12, 9, 4},
    {16, 16, true, 12, 5, 4},   {8, 24, true, 8, 6, 4},     {32, 32, true, 12, 5, 4},
};
enum { RELATIONS = 6, BEFORE = 32, AFTER = 48 };

static bool holds_at(const uint8_t *bytes, size_t place, long distance) {
  return (bytes[place] ^ bytes[place - 4] ^ bytes[(long)place + distance]) == 0;
}

// Where the row of zeros that reaches into `place` starts as word 1 of some group of words, every
// schedule that it can belong to is tried.
static bool try_row(const uint8_t *bytes, size_t count, size_t place, const relation *relation,
                    vestige_schedule *found) {
  size_t lower = place, upper = place;
  while (lower > BEFORE && place - lower < 20 && holds_at(bytes, lower - 1, relation->distance))
    lower--;
  while (upper + AFTER < count && upper - place < 24 && holds_at(bytes, upper, relation->distance))
    upper++;
  if (upper - lower < relation->row) return false;
  size_t length = 16 * (relation->key_length / 4 + 7);
  // Chance may have made the row a byte or two longer.
  for (size_t row = lower; row + relation->row <= upper && row < lower + 4; row++) {
    if (!is_varied(bytes + row, relation->row)) continue;
    for (size_t word = relation->first; 4 * word + relation->row <= length;
         word += relation->step) {
      if (row < 4 * word) break;
      size_t start = row - 4 * word;
      if (count - start < length) continue;
      if (is_schedule(bytes, start, relation->key_length, relation->reversed, found)) return true;
    }
  }
  return false;
}

typedef uint32_t vector16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint32_t vector32 __attribute__((vector_size(32), aligned(1), may_alias));
#define AT(vector, place) (*(const vector *)(bytes + block + (place)))

// The next block of 32 bytes in which a relation holds for whole words none of which is zero, as fields
// of records often are.
#define NEXT_BLOCK(vector)                                                                        \
  for (; count - block >= 32 + AFTER; block += sizeof(vector)) {                                  \
    vector here = AT(vector, 0), last = AT(vector, -4), both = here ^ last;                       \
    vector holds = (vector)(both == AT(vector, -16)) | (vector)(both == AT(vector, -24)) |        \
                   (vector)(both == AT(vector, -32)) | (vector)(both == AT(vector, 16)) |         \
                   (vector)(both == AT(vector, 8)) | (vector)(both == AT(vector, 32));            \
    vector filled = (vector)(here != 0) & (vector)(last != 0) & (vector)(both != 0);              \
    if (__builtin_reduce_or(holds & filled)) return block;                                        \
  }                                                                                               \
  return count;

static size_t next_block(const uint8_t *bytes, size_t count, size_t block) { NEXT_BLOCK(vector16) }

#if defined(__x86_64__)
__attribute__((target("avx2"))) static size_t next_wide_block(const uint8_t *bytes, size_t count,
                                                              size_t block) {
  NEXT_BLOCK(vector32)
}
#define FAST_NEXT_BLOCK (__builtin_cpu_supports("avx2") ? next_wide_block : next_block)
#else
#define FAST_NEXT_BLOCK next_block
#endif

bool vestige_next_schedule(const uint8_t *bytes, size_t count, size_t from,
                           vestige_schedule *found) {
  if (count < 176) return false;
  size_t block = from < BEFORE ? BEFORE : from;
  while (count - block >= 32 + AFTER) {
    block = FAST_NEXT_BLOCK(bytes, count, block);
    if (block >= count) return false;
    for (size_t place = block; place < block + 32; place += 4)
      for (int index = 0; index < RELATIONS; index++) {
        uint32_t words[3];
        memcpy(words, bytes + place, 4);
        memcpy(words + 1, bytes + place - 4, 4);
        if (words[0] == 0 || words[1] == 0 || words[0] == words[1]) continue;
        memcpy(words + 2, bytes + place + relations[index].distance, 4);
        if ((words[0] ^ words[1]) == words[2] &&
            try_row(bytes, count, place, &relations[index], found))
          return true;
      }
    block += 32;
  }
  return false;
}
