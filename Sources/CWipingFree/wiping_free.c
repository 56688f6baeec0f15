#define _GNU_SOURCE
#include "CWipingFree.h"
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void __libc_free(void *block);
extern void *__libc_realloc(void *block, size_t count);

static volatile int active;
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

static int is_spared(void *caller) {
  return (uintptr_t)caller >= spared_start && (uintptr_t)caller < spared_end;
}

void free(void *block) {
  if (block && active && !is_spared(__builtin_return_address(0)))
    explicit_bzero(block, malloc_usable_size(block));
  __libc_free(block);
}

void *realloc(void *block, size_t count) {
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

__attribute__((noinline)) void wiping_free_clear_stack(void) {
  char room[128 * 1024];
  explicit_bzero(room, sizeof room);
}
