#define _GNU_SOURCE
#include "CWipingFree.h"
#include <dirent.h>
#include <inttypes.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void __libc_free(void *block);
extern void *__libc_realloc(void *block, size_t count);

static volatile int active;
static volatile int keeping;
static uintptr_t spared_start, spared_end;

static int find_library(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size; (void)unused;
  if (!info->dlpi_name || !strstr(info->dlpi_name, "libsqlcipher")) return 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[index];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    spared_start = info->dlpi_addr + part->p_vaddr;
    spared_end = spared_start + part->p_memsz;
  }
  return 1;
}

void wiping_free_begin(void) {
  dl_iterate_phdr(find_library, 0);
  active = 1;
}

void wiping_free_keep(void) { keeping = 1; }

static int is_spared(void *caller) {
  return (uintptr_t)caller >= spared_start && (uintptr_t)caller < spared_end;
}

#if defined(__has_feature)
#define HAS_SANITIZER __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#else
#define HAS_SANITIZER 0
#endif

// A sanitizer has an allocator of its own, whose memory is not the C library's to free.
#if !(HAS_SANITIZER)
void free(void *block) {
  if (keeping) return;
  if (block && active && !is_spared(__builtin_return_address(0)))
    explicit_bzero(block, malloc_usable_size(block));
  __libc_free(block);
}

void *realloc(void *block, size_t count) {
  if (block && keeping && count > 0) {
    size_t held = malloc_usable_size(block);
    void *copy = malloc(count);
    return copy ? memcpy(copy, block, held < count ? held : count) : 0;
  }
  if (!block || !active || count == 0 || is_spared(__builtin_return_address(0)))
    return __libc_realloc(block, count);
  size_t old = malloc_usable_size(block);
  if (count <= old && count > old / 2) return block;
  // The C library would leave a copy where the block was.
  void *moved = malloc(count);
  if (!moved) return 0;
  memcpy(moved, block, old < count ? old : count);
  explicit_bzero(block, old);
  __libc_free(block);
  return moved;
}

#endif

// The copies of the C library go through these, and the dynamic linker saves them on the stack with the
// next call that it looks up.
static __attribute__((noinline)) void clear_vectors(void) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) {
#define CLEAR(n) __asm__ __volatile__("vpxorq %%zmm" #n ", %%zmm" #n ", %%zmm" #n ::: "memory");
    CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7) CLEAR(8) CLEAR(9)
    CLEAR(10) CLEAR(11) CLEAR(12) CLEAR(13) CLEAR(14) CLEAR(15) CLEAR(16) CLEAR(17) CLEAR(18)
    CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22) CLEAR(23) CLEAR(24) CLEAR(25) CLEAR(26) CLEAR(27)
    CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31)
  } else if (__builtin_cpu_supports("avx")) {
    __asm__ __volatile__("vzeroall" ::: "memory");
  }
#endif
}

static __attribute__((noinline)) void clear_own_stack(void) {
  char room[128 * 1024];
  explicit_bzero(room, sizeof room);
}

/// The start of the mapping that an address lies in, or 0.
static uintptr_t mapping_of(uintptr_t address) {
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps) return 0;
  char line[512];
  uintptr_t start, end, found = 0;
  while (!found && fgets(line, sizeof line, maps))
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) == 2 && address >= start && address < end)
      found = start;
  fclose(maps);
  return found;
}

/// Where the stack of a thread stands that waits in the kernel, or 0.
static uintptr_t waiting_stack(const char *thread) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/self/task/%.16s/syscall", thread);
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  char *read = fgets(line, sizeof line, file);
  fclose(file);
  // "running", or: number, six arguments, stack, place. A number of -1 is no call of the system.
  if (!read || line[0] == 'r' || line[0] == '-') return 0;
  char *place = strrchr(line, ' ');
  if (!place) return 0;
  *place = 0;
  char *stack = strrchr(line, ' ');
  return stack ? (uintptr_t)strtoull(stack + 1, 0, 16) : 0;
}

void wiping_free_clear_stacks(void) {
  enum { reach = 512 * 1024, in_use = 256 };
  DIR *threads = opendir("/proc/self/task");
  struct dirent *thread;
  while (threads && (thread = readdir(threads))) {
    if (thread->d_name[0] == '.' || atoi(thread->d_name) == gettid()) continue;
    uintptr_t stack = waiting_stack(thread->d_name), start = mapping_of(stack);
    if (!start || stack < start + in_use) continue;
    stack -= in_use;
    uintptr_t from = stack - start > reach ? stack - reach : start;
    explicit_bzero((void *)from, stack - from);
  }
  if (threads) closedir(threads);
  clear_own_stack();
  clear_vectors();
}
