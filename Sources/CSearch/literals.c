#include "literals.h"
#include <stdlib.h>

// Literals made ready to be looked for.

enum { SHORTEST = 2, MOST_BITS = 21, BUCKETS = 8 };

// The share of places that a filter may let pass, as far as can be known before: beyond it, it would
// cost more than it saves.
#define MOST_PASSING 0.03

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

// A window of a literal, and the place of its entry among those of its slot.
typedef struct {
  uint32_t window;
  uint32_t literal;
  uint32_t offset;
  uint32_t number;
} pending;

typedef struct {
  windows *all;
  pending *list;
  size_t count;
} gathering;

static void add_window(gathering *gathering, uint32_t window, uint32_t literal, uint32_t offset) {
  windows *all = gathering->all;
  uint32_t bit = hashed(window) >> all->shift;
  all->table[bit >> 5] |= 1u << (bit & 31);
  slot *slot = slot_of(all, window);
  slot->window = window;
  gathering->list[gathering->count++] = (pending){window, literal, offset, slot->count++};
  if (slot->count > all->longest_chain) all->longest_chain = slot->count;
}

// Says of an entry which bytes of its literal stand behind its window, or before it where those are more.
static void add_beside(entry *entry, const uint8_t *literal, uint32_t length) {
  uint32_t before = entry->offset < WINDOW ? entry->offset : WINDOW, behind = 0;
  if (length > entry->offset + WINDOW) behind = length - entry->offset - WINDOW;
  if (behind > WINDOW) behind = WINDOW;
  uint8_t bytes[WINDOW] = {0}, known[WINDOW] = {0};
  if (behind >= before) {
    entry->beside = WINDOW;
    memcpy(bytes, literal + (behind > 0 ? entry->offset + WINDOW : 0), behind);
    memset(known, 0xff, behind);
  } else {
    entry->beside = -WINDOW;
    memcpy(bytes + WINDOW - before, literal + entry->offset - before, before);
    memset(known + WINDOW - before, 0xff, before);
  }
  memcpy(&entry->known, known, WINDOW);
  entry->bytes = window_at(bytes) & entry->known;
}

// Puts the entries of each slot together, in the order they were added in.
static void place_entries(const gathering *gathering, const vestige_literals *literals) {
  windows *all = gathering->all;
  uint32_t placed = 0;
  for (uint32_t place = 0; place <= all->slot_mask; place++) {
    all->slots[place].first = placed;
    placed += all->slots[place].count;
  }
  for (size_t index = 0; index < gathering->count; index++) {
    const pending *pending = &gathering->list[index];
    entry *entry = &all->entries[slot_of(all, pending->window)->first + pending->number];
    entry->literal = pending->literal;
    entry->offset = pending->offset;
    add_beside(entry, literals->pool + literals->starts[pending->literal],
               length_of(literals, pending->literal));
  }
}

// The bytes that are themselves when folded.
static uint32_t folded_bytes(uint8_t bytes[256]) {
  uint32_t count = 0;
  for (uint32_t byte = 0; byte < 256; byte++)
    if (folded(byte) == byte) bytes[count++] = (uint8_t)byte;
  return count;
}

// Adds a window of a literal for whatever may follow it.
static void add_short(gathering *gathering, const uint8_t *literal, uint32_t length,
                      uint32_t number) {
  uint8_t bytes[WINDOW], any[256];
  uint32_t count = folded_bytes(any);
  memcpy(bytes, literal, length);
  for (uint32_t last = 0; last < count; last++) {
    bytes[3] = any[last];
    for (uint32_t third = 0; third < (length == 2 ? count : 1); third++) {
      if (length == 2) bytes[2] = any[third];
      add_window(gathering, window_at(bytes), number, 0);
    }
  }
}

static void release(windows *all) {
  free(all->table);
  free(all->slots);
  free(all->entries);
}

void vestige_literals_free(vestige_literals *literals) {
  if (literals == NULL) return;
  release(&literals->all);
  release(&literals->brief);
  free(literals->pool);
  free(literals->starts);
  free(literals->folds);
  free(literals);
}

static bool allocate(windows *all, size_t entries) {
  int bits = 13;
  while (bits < MOST_BITS && (size_t)1 << bits < entries * 256) bits++;
  size_t slots = 64;
  while (slots < entries * 2) slots *= 2;
  all->shift = 32 - bits;
  all->slot_mask = (uint32_t)slots - 1;
  all->table = calloc((size_t)1 << (bits - 5), sizeof(uint32_t));
  all->slots = calloc(slots, sizeof(slot));
  all->entries = malloc((entries + 1) * sizeof(entry));
  return all->table && all->slots && all->entries;
}

// Whether a literal is long enough that one of its windows stands at every fourth place, and each of those
// tells something: a small number stored in eight bytes has windows of zeros, which are everywhere.
static bool is_sparse(const vestige_literals *literals, uint32_t index, pair_table common) {
  uint32_t length = length_of(literals, index);
  if (length < WINDOW + STRIDE - 1) return false;
  const uint8_t *bytes = literals->pool + literals->starts[index];
  for (uint32_t first = 0; first < STRIDE; first++) {
    const uint8_t *window = bytes + rarest_window(bytes, length, common, first, STRIDE);
    if ((window[0] == 0) + (window[1] == 0) + (window[2] == 0) + (window[3] == 0) >= WINDOW - 1)
      return false;
  }
  return true;
}

// Which literals get windows of their own.
typedef enum { ALL, SPARSE, BRIEF } selection;

static bool belongs(const vestige_literals *literals, uint32_t index, selection selection,
                    pair_table common) {
  return selection == ALL || is_sparse(literals, index, common) == (selection == SPARSE);
}

static size_t entries_for(const vestige_literals *literals, selection selection, uint32_t stride,
                          pair_table common) {
  uint8_t any[256];
  size_t entries = 0, folded = folded_bytes(any);
  for (uint32_t index = 0; index < literals->count; index++) {
    uint32_t length = length_of(literals, index);
    if (!belongs(literals, index, selection, common)) continue;
    entries += length >= WINDOW ? stride : length == 3 ? folded : folded * folded;
  }
  return entries;
}

static void add_literal(gathering *gathering, const vestige_literals *literals, uint32_t index,
                        pair_table common) {
  const uint8_t *bytes = literals->pool + literals->starts[index];
  uint32_t length = length_of(literals, index), stride = gathering->all->stride;
  if (length < WINDOW) {
    add_short(gathering, bytes, length, index);
    return;
  }
  for (uint32_t first = 0; first < stride; first++) {
    uint32_t offset = rarest_window(bytes, length, common, first, stride);
    add_window(gathering, window_at(bytes + offset), index, offset);
  }
}

// Gives some literals windows of their own.
static bool add_all(windows *all, const vestige_literals *literals, selection selection,
                    uint32_t stride, pair_table common) {
  all->stride = stride;
  size_t entries = entries_for(literals, selection, stride, common);
  gathering gathering = {all, malloc((entries + 1) * sizeof(pending)), 0};
  if (gathering.list == NULL || !allocate(all, entries)) {
    free(gathering.list);
    return false;
  }
  for (uint32_t index = 0; index < literals->count; index++)
    if (belongs(literals, index, selection, common))
      add_literal(&gathering, literals, index, common);
  place_entries(&gathering, literals);
  free(gathering.list);
  return true;
}

// How likely a byte is to be any of the two that folding makes one.
static double likelihood(uint8_t folded) {
  static const double eighths[8] = {1, 1.09, 1.19, 1.3, 1.41, 1.54, 1.68, 1.83};
  double sum = 0;
  for (int index = 0; index < (folded & 0x40 ? 2 : 1); index++) {
    int weight = byte_weight(index == 0 ? folded : folded & ~0x20);
    sum += (double)(1 << weight / 8) * eighths[weight % 8];
  }
  return sum / 2431;  // what all bytes come to
}

// One bucket of the filter while it is filled.
typedef struct {
  double likelihoods[WINDOW];  // that a byte is one of the bucket's, at each place of a window
} bucket;

static double grown(const bucket *bucket, uint8_t filter[WINDOW][256], uint8_t bit,
                    const uint8_t *window, double likelihoods[WINDOW]) {
  double all = 1;
  for (int place = 0; place < WINDOW; place++) {
    likelihoods[place] = bucket->likelihoods[place];
    if (!(filter[place][window[place]] & bit)) likelihoods[place] += likelihood(window[place]);
    all *= likelihoods[place];
  }
  return all;
}

// Deals short literals into buckets, each into the one that it makes least larger; false where the
// filter would let too much pass to be worth its while.
static bool fill_filter(vestige_literals *literals, pair_table common) {
  bucket buckets[BUCKETS] = {0};
  double sums[BUCKETS] = {0};
  for (uint32_t index = 0; index < literals->count; index++) {
    uint32_t length = length_of(literals, index);
    if (is_sparse(literals, index, common)) continue;
    if (length < WINDOW) return false;
    const uint8_t *bytes = literals->pool + literals->starts[index];
    uint32_t rarest = window_at(bytes + rarest_window(bytes, length, common, 0, 1));
    uint8_t window[WINDOW];
    memcpy(window, &rarest, WINDOW);
    int best = 0;
    double least = 2, likelihoods[BUCKETS][WINDOW];
    for (int number = 0; number < BUCKETS; number++) {
      double sum = grown(&buckets[number], literals->filter, (uint8_t)(1 << number), window,
                         likelihoods[number]);
      if (sum - sums[number] >= least) continue;
      least = sum - sums[number];
      best = number;
    }
    sums[best] += least;
    memcpy(buckets[best].likelihoods, likelihoods[best], sizeof likelihoods[best]);
    for (int place = 0; place < WINDOW; place++) {
      literals->filter[place][window[place]] |= (uint8_t)(1 << best);
      if (window[place] & 0x40) literals->filter[place][window[place] & ~0x20] |= (uint8_t)(1 << best);
    }
  }
  double passing = 0;
  for (int number = 0; number < BUCKETS; number++) passing += sums[number];
  return passing < MOST_PASSING;
}

static bool fill_windows(vestige_literals *literals) {
  pair_table common;
  fill(common);
  uint32_t sparse = 0;
  for (uint32_t index = 0; index < literals->count; index++)
    sparse += is_sparse(literals, index, common);
  if (sparse == literals->count) return add_all(&literals->all, literals, ALL, STRIDE, common);
  if (sparse == 0 || !has_filter_instructions() || !fill_filter(literals, common))
    return add_all(&literals->all, literals, ALL, 1, common);
  return add_all(&literals->all, literals, SPARSE, STRIDE, common) &&
         add_all(&literals->brief, literals, BRIEF, 1, common);
}

vestige_literals *vestige_literals_make(const uint8_t *pool, const uint32_t *starts,
                                        const uint8_t *folds, uint32_t count) {
  for (uint32_t index = 0; index < count; index++)
    if (starts[index + 1] - starts[index] < SHORTEST) return NULL;
  vestige_literals *literals = calloc(1, sizeof *literals);
  if (literals == NULL) return NULL;
  literals->count = count;
  literals->pool = malloc(starts[count] + 1);
  literals->starts = malloc((count + 1) * sizeof(uint32_t));
  literals->folds = malloc(count + 1);
  if (!literals->pool || !literals->starts || !literals->folds) {
    vestige_literals_free(literals);
    return NULL;
  }
  memcpy(literals->starts, starts, (count + 1) * sizeof(uint32_t));
  memcpy(literals->folds, folds, count);
  for (uint32_t index = 0; index < count; index++)
    for (uint32_t byte = starts[index]; byte < starts[index + 1]; byte++)
      literals->pool[byte] = folds[index] ? lower(pool[byte]) : pool[byte];
  if (!fill_windows(literals)) {
    vestige_literals_free(literals);
    return NULL;
  }
  return literals;
}
