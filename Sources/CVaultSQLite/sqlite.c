#define _GNU_SOURCE
#define SQLITE_HAS_CODEC 1
#include <sqlcipher/sqlite3.h>
#include "CVaultSQLite.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int (*_Atomic refusal)(void);

void vault_sqlite_refuse_memory(int (*refuses)(void)) { atomic_store(&refusal, refuses); }

static atomic_long blocks;

// SQLite asks for the size of a block, so each carries it in a header that keeps the alignment.
#define HEADER 16

static void wipe(void *start, size_t count) {
  memset(start, 0, count);
  __asm__ __volatile__("" : : "r"(start) : "memory");
}

static void *zeroing_malloc(int count) {
  int (*refuses)(void) = atomic_load_explicit(&refusal, memory_order_relaxed);
  if (refuses && refuses()) return 0;
  char *block = malloc((size_t)count + HEADER);
  if (!block) return 0;
  *(size_t *)block = (size_t)count;
  atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
  return block + HEADER;
}

static int zeroing_size(void *start) {
  return start ? (int)*(size_t *)((char *)start - HEADER) : 0;
}

static void zeroing_free(void *start) {
  if (!start) return;
  wipe(start, (size_t)zeroing_size(start));
  atomic_fetch_sub_explicit(&blocks, 1, memory_order_relaxed);
  free((char *)start - HEADER);
}

static void *zeroing_realloc(void *start, int count) {
  // The C library's realloc would leave a copy behind.
  int old = zeroing_size(start);
  if (count <= old && count > old / 2) return start;
  void *grown = zeroing_malloc(count);
  if (!grown) return 0;
  memcpy(grown, start, (size_t)(old < count ? old : count));
  zeroing_free(start);
  return grown;
}

static int zeroing_roundup(int count) { return (count + 7) & ~7; }
static int zeroing_init(void *context) { (void)context; return SQLITE_OK; }
static void zeroing_shutdown(void *context) { (void)context; }

// SQLite's messages quote SQL and file names: they go nowhere.
static void silent(void *context, int code, const char *message) {
  (void)context; (void)code; (void)message;
}

static int configured = SQLITE_MISUSE;

// When the program is loaded, before any other part of it can have called into the library, which
// takes its allocator only as long as it was not used.
__attribute__((constructor)) static void configure(void) {
  static sqlite3_mem_methods methods = {
      zeroing_malloc, zeroing_free, zeroing_realloc, zeroing_size,
      zeroing_roundup, zeroing_init, zeroing_shutdown, 0};
  configured = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
  if (configured == SQLITE_OK)
    configured = sqlite3_config(SQLITE_CONFIG_LOG, silent, (void *)0);
}

int vault_sqlite_configured(void) {
  return configured == SQLITE_OK ? sqlite3_initialize() : configured;
}

static const char *file_of(void *symbol) {
  Dl_info info;
  return symbol && dladdr(symbol, &info) ? info.dli_fname : 0;
}

static int same(const char *one, const char *other) {
  return one && other && strcmp(one, other) == 0;
}

int vault_sqlite_is_one_library(void) {
  // Only SQLCipher has sqlite3_key_v2: its file is the right one.
  const char *right = file_of(dlsym(RTLD_DEFAULT, "sqlite3_key_v2"));
  if (!right) right = file_of((void *)sqlite3_key_v2);
  // What this program's calls reach, and what the library's own calls reach (found by name, in the
  // order in which libraries were loaded).
  const char *names[] = {"sqlite3_open_v2", "sqlite3_step", "sqlite3_malloc64", "sqlite3_exec"};
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    void *found = dlsym(RTLD_DEFAULT, names[index]);
    if (found && !same(file_of(found), right)) return 0;
  }
  return same(file_of((void *)sqlite3_open_v2), right);
}

long vault_sqlite_blocks_in_use(void) { return atomic_load(&blocks); }
