#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Where a literal stands first, or NULL: the C library's `memmem`, which Swift does not see.
const uint8_t *vestige_find(const uint8_t *bytes, size_t count, const uint8_t *literal,
                            size_t length);

/// How often a byte stands among others.
size_t vestige_count(const uint8_t *bytes, size_t count, uint8_t byte);

/// Adds to `counts` how often each byte stands among others.
void vestige_count_bytes(const uint8_t *bytes, size_t count, size_t counts[256]);

// Stretches of one alphabet, found 64 bytes at a time with the processor's vector instructions, which
// Swift's compiler does not make of a loop over bytes.

/// A set of bytes, as vector instructions look it up: a byte belongs to it when the rows of its two
/// halves have a bit in common.
typedef struct {
  uint8_t low[16];
  uint8_t high[16];
  bool member[256];
} vestige_alphabet;

/// Makes the rows of a set given by `member`; false when it has more than eight different rows, or
/// holds the zero byte or one beyond ASCII.
bool vestige_alphabet_make(vestige_alphabet *alphabet);

/// A stretch of bytes: from `start` up to `end`.
typedef struct {
  size_t start;
  size_t end;
} vestige_run;

/// Finds the next stretch of at least `minimum` members that starts at or behind `from`, where no
/// stretch reaches across `from`; false when there is none.
bool vestige_next_run(const uint8_t *bytes, size_t count, const vestige_alphabet *alphabet,
                      size_t minimum, size_t from, vestige_run *run);

/// Where `first` stands next with a member of an alphabet behind it, from `from` on; `count` when
/// nowhere.
size_t vestige_next_pair(const uint8_t *bytes, size_t count, size_t from, uint8_t first,
                         const vestige_alphabet *next);

/// Finds the next stretch of at least `minimum` ASCII characters in UTF-16, of either byte order: one
/// with a zero behind each. It ends behind the last zero; false when there is none.
bool vestige_next_wide(const uint8_t *bytes, size_t count, size_t minimum, size_t from,
                       vestige_run *run);

/// Whether all bytes are members.
bool vestige_all_members(const uint8_t *bytes, size_t count, const vestige_alphabet *alphabet);

/// Where the first control character that text does not hold stands; `count` when there is none.
size_t vestige_first_control(const uint8_t *bytes, size_t count);

/// What the bytes have in common: their entries of a table of 256, joined by AND; `least` is what they
/// have in common in any case.
uint8_t vestige_common_classes(const uint8_t *bytes, size_t count, const uint8_t *table,
                               uint8_t least);

/// The longest stretches of each class, one for each bit of the table's entries.
void vestige_longest_stretches(const uint8_t *bytes, size_t count, const uint8_t *table,
                               uint32_t longest[8]);

/// Whether small letters, capitals and digits change as often as they do in keys and tokens, most
/// are digits, or it is of capitals and digits only, as base32 is. Paths, identifiers and words, of
/// which most runs are, change seldom.
bool vestige_is_mixed(const uint8_t *bytes, size_t count);

/// A number below `VESTIGE_WORD_BUCKETS` for the first two bytes of a word, the same in either case.
#define VESTIGE_WORD_BUCKETS 4096
static inline uint32_t vestige_word_bucket(uint8_t one, uint8_t next) {
  uint32_t first = (uint8_t)(one - 'A') < 26 ? one | 0x20u : one;
  uint32_t second = (uint8_t)(next - 'A') < 26 ? next | 0x20u : next;
  return (first * 67 + second) & (VESTIGE_WORD_BUCKETS - 1);
}

/// Finds where words may start from `from` on, two bytes of each before `end`, as far as `starts_any`
/// says so of the bucket of their first bytes, and lists where. `from` is then where to go on; it is
/// all when that is at most one byte before `end`. The byte before `from` counts.
size_t vestige_word_starts(const uint8_t *bytes, size_t *from, size_t end, const bool *starts_any,
                           uint32_t *list, size_t capacity);

/// An expanded AES key: where its schedule lies, and the key.
typedef struct {
  size_t start;
  size_t length;
  uint8_t key[32];
  size_t key_length;
  /// Whether it is the schedule of the inverse cipher.
  bool reversed;
} vestige_schedule;

/// Finds an expanded AES key at any offset, its words in either byte order, some bits of it flipped;
/// looked for from `from` on, it may start before. False when there is none.
bool vestige_next_schedule(const uint8_t *bytes, size_t count, size_t from,
                           vestige_schedule *found);

/// Literals made ready to be looked for all at once.
typedef struct vestige_literals vestige_literals;

/// A literal was seen: which, and where it ends.
typedef struct {
  uint32_t literal;
  size_t end;
} vestige_hit;

/// Makes literals ready: `count` of them, one behind the other in `pool`, `starts` having one more for
/// the end; where `folds` says so, the case of ASCII letters is ignored. NULL when memory is short or
/// a literal has fewer than two bytes.
vestige_literals *vestige_literals_make(const uint8_t *pool, const uint32_t *starts,
                                        const uint8_t *folds, uint32_t count);
void vestige_literals_free(vestige_literals *literals);

/// How many hits the buffer of a search must have room for.
size_t vestige_literals_capacity(const vestige_literals *literals);

/// Finds literals from `place` on and says how many hits it wrote; `place` is `count` when all was
/// searched. Hits come by where their rarest bytes stand, so neighbours may change places.
size_t vestige_literals_find(const vestige_literals *literals, const uint8_t *bytes, size_t count,
                             size_t *place, vestige_hit *hits, size_t capacity);
