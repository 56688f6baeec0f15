#define _GNU_SOURCE
#include "CVaultShim.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

int vault_memfd_secret(void) {
#if defined(__linux__) && defined(SYS_memfd_secret)
  return (int)syscall(SYS_memfd_secret, O_CLOEXEC);
#elif defined(__linux__)
  // The number is the same on every architecture; the C library's headers may be older than the kernel.
  return (int)syscall(447, O_CLOEXEC);
#else
  errno = ENOSYS;
  return -1;
#endif
}

int vault_forbid_dumps(void) {
  struct rlimit none = {0, 0};
  int result = setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  result |= prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
  return result;
}
