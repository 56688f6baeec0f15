#include "CSearch.h"

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
