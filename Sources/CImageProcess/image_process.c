#define _GNU_SOURCE
#include "CImageProcess.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int image_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int image_memory_file(void) { return memfd_create("image", MFD_CLOEXEC); }

const char *image_object_path(const void *address) {
  Dl_info about;
  return dladdr(address, &about) ? about.dli_fname : 0;
}
