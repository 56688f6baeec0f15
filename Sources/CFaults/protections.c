// Calls that protect memory: a mutant goes without one of them.
#define _GNU_SOURCE
#include "watch.h"
#include <dlfcn.h>
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

// A library may have been loaded for one module alone, where its names cannot be looked up from here:
// then it is the caller itself that has the real function.
static int (*real_config(void *caller, int *is_own))(int, ...) {
  Dl_info file;
  int (*found)(int, ...) = 0;
  if (dladdr(caller, &file)) {
    void *library = dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = library ? dlsym(library, "sqlite3_config") : 0;
    Dl_info place;
    if (symbol && dladdr(symbol, &place) && place.dli_fbase == file.dli_fbase)
      found = (int (*)(int, ...))symbol;
    if (library) dlclose(library);
  }
  *is_own = found != 0;
  return found ? found : (int (*)(int, ...))faults_real("sqlite3_config");
}

// Variadic, and nothing but the first argument is looked at: all are passed on as they came.
int sqlite3_config(int option, ...) {
  enum { config_malloc = 4 };
  int is_own;
  int (*real)(int, ...) = real_config(__builtin_return_address(0), &is_own);
  if (!real) return 1;
  // The library gives itself its own allocator by the same call.
  if (option == config_malloc && is_off(FAULT_NO_ZEROING_ALLOCATOR) && !is_own) return 0;
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
