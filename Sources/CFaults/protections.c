// Calls that protect memory: a mutant goes without one of them.
#define _GNU_SOURCE
#include "watch.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_off(uint32_t protection) {
  struct fault_control *control = faults_control();
  return control && control->protections_off & protection;
}

void sodium_memzero(void *start, size_t count) {
  if (!is_off(FAULT_NO_WIPE)) explicit_bzero(start, count);
}

// Variadic, and nothing but the first argument is looked at: all are passed on as they came.
int sqlite3_config(int option, ...) {
  enum { config_malloc = 4 };
  if (option == config_malloc && is_off(FAULT_NO_ZEROING_ALLOCATOR)) return 0;
  static int (*real)(int, ...);
  if (!real) real = (int (*)(int, ...))faults_real("sqlite3_config");
  if (!real) return 1;
  va_list list;
  va_start(list, option);
  void *first = va_arg(list, void *);
  void *second = va_arg(list, void *);
  void *third = va_arg(list, void *);
  va_end(list);
  return real(option, first, second, third);
}

int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  unsigned long first = va_arg(list, unsigned long);
  unsigned long second = va_arg(list, unsigned long);
  unsigned long third = va_arg(list, unsigned long);
  unsigned long fourth = va_arg(list, unsigned long);
  va_end(list);
  if (option == PR_SET_DUMPABLE && first == 0 && is_off(FAULT_ALLOW_DUMPS)) return 0;
  return (int)syscall(SYS_prctl, option, first, second, third, fourth);
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
  if (resource == RLIMIT_CORE && limit->rlim_cur == 0 && is_off(FAULT_ALLOW_DUMPS)) return 0;
  return (int)syscall(SYS_prlimit64, 0, (int)resource, limit, 0);
}
