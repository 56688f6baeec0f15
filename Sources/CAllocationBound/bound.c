#define _GNU_SOURCE
#include "CAllocationBound.h"
#include <stdlib.h>

#if defined(__has_feature)
#define HAS_SANITIZER __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#else
#define HAS_SANITIZER 0
#endif

// Replacing the allocator is a feature of the GNU C library ("Replacing malloc" in its manual); a sanitizer
// has one of its own.
#if defined(__GLIBC__) && !(HAS_SANITIZER)
#define WORKS 1
#else
#define WORKS 0
#endif

// Read with every allocation of the program: found without a call.
static _Thread_local struct allocation_bound *current __attribute__((tls_model("initial-exec")));

struct allocation_bound *allocation_bound_enter(struct allocation_bound *bound) {
  struct allocation_bound *before = current;
  current = bound;
  return before;
}

int allocation_bound_works(void) { return WORKS; }

#if WORKS
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <string.h>

extern void *__libc_malloc(size_t count);
extern void *__libc_calloc(size_t number, size_t count);
extern void *__libc_realloc(void *block, size_t count);
extern void __libc_free(void *block);

// Smaller blocks are taken from memory that was in use before.
static const size_t least_window = 1 << 20;

/// Whether the caller is the library of LZMA, which writes to what it asks for only as output comes.
static int is_window(size_t count, void *caller) {
  Dl_info library;
  if (count < least_window || !dladdr(caller, &library) || !library.dli_fname) return 0;
  return strstr(library.dli_fname, "liblzma") != 0;
}

static int refuse(struct allocation_bound *bound, size_t count) {
  if (count > bound->refused) bound->refused = count;
  errno = ENOMEM;
  return 1;
}

static void give_back(struct allocation_bound *bound, void *block, void *caller) {
  size_t size = malloc_usable_size(block);
  size_t *from = is_window(size, caller) ? &bound->windows : &bound->held;
  // What was taken under no bound may be given back under one.
  *from -= size < *from ? size : *from;
}

static __attribute__((noinline)) void *take(
    struct allocation_bound *bound, size_t count, int cleared, void *caller) {
  int window = is_window(count, caller);
  size_t *to = window ? &bound->windows : &bound->held;
  if (!window && (bound->held > bound->limit || count > bound->limit - bound->held)) {
    refuse(bound, count);
    return 0;
  }
  void *block = cleared ? __libc_calloc(1, count) : __libc_malloc(count);
  if (block)
    *to += malloc_usable_size(block);
  else
    refuse(bound, count);
  return block;
}

// Weak: a program may have reasons of its own to replace these.
__attribute__((weak)) void *malloc(size_t count) {
  struct allocation_bound *bound = current;
  if (__builtin_expect(!bound, 1)) return __libc_malloc(count);
  return take(bound, count, 0, __builtin_return_address(0));
}

__attribute__((weak)) void *calloc(size_t number, size_t count) {
  struct allocation_bound *bound = current;
  size_t whole;
  if (__builtin_expect(!bound, 1) || __builtin_mul_overflow(number, count, &whole))
    return __libc_calloc(number, count);
  return take(bound, whole, 1, __builtin_return_address(0));
}

__attribute__((weak)) void *realloc(void *block, size_t count) {
  struct allocation_bound *bound = current;
  if (__builtin_expect(!bound, 1)) return __libc_realloc(block, count);
  size_t old = block ? malloc_usable_size(block) : 0;
  size_t others = bound->held > old ? bound->held - old : 0;
  if (others > bound->limit || count > bound->limit - others) {
    refuse(bound, count);
    return 0;
  }
  void *moved = __libc_realloc(block, count);
  if (moved)
    bound->held = others + malloc_usable_size(moved);
  else if (count)
    refuse(bound, count);
  else
    bound->held = others;
  return moved;
}

__attribute__((weak)) void free(void *block) {
  struct allocation_bound *bound = current;
  if (__builtin_expect(bound != 0, 0) && block)
    give_back(bound, block, __builtin_return_address(0));
  __libc_free(block);
}
#endif
