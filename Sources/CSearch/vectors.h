#pragma once
#include "CSearch.h"
#include <string.h>

// What is asked of 64 bytes at once, one bit of the answer for each: with the vector instructions of the
// processor, or byte by byte. What is marked `VECTOR` may only be called where `has_vectors` says so.

#if defined(__x86_64__)
#include <immintrin.h>
#define VECTOR __attribute__((target("avx2,popcnt")))

// One bit for each of 64 bytes: whether it belongs to the alphabet.
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

// One bit for each of 64 bytes: whether it is a control character that text does not hold.
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

// `size` bytes, and zeros up to 64 where they are fewer: a zero belongs to no alphabet.
static inline const uint8_t *padded_to_block(const uint8_t *bytes, size_t size, uint8_t padded[64]) {
  if (size >= 64) return bytes;
  memset(padded, 0, 64);
  memcpy(padded, bytes, size);
  return padded;
}
