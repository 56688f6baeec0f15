#define _GNU_SOURCE
#include "vectors.h"

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
