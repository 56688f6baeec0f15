// The calls that change a file's content.
#define _GNU_SOURCE
#include "watch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(type, name, ...)                          \
  static type (*real)(__VA_ARGS__);                    \
  if (!real) real = (type(*)(__VA_ARGS__))faults_real(name)

static long long place_of(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  struct stat status;
  if (flags >= 0 && flags & O_APPEND && fstat(descriptor, &status) == 0) return status.st_size;
  return lseek(descriptor, 0, SEEK_CUR);
}

/// Writes as the verdict says; `offset` -1 is the place where the file stands.
static ssize_t watched_write(int descriptor, const void *bytes, size_t count, off_t offset) {
  char path[PATH_ROOM];
  int is_folder = 0;
  if (!faults_watching() || count == 0 || !faults_path_of(descriptor, path, &is_folder))
    return offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                      : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  struct change change = {.kind = FAULT_WRITE, .path = path, .bytes = bytes, .count = count};
  change.offset = offset < 0 ? place_of(descriptor) : offset;
  enum verdict verdict = faults_begin(&change);
  ssize_t done = -1;
  size_t wanted = verdict == HALF || verdict == HALF_AND_KILL ? count / 2 : count;
  if (verdict == FORGET) {
    done = (ssize_t)count;
    // A file that the program believes to have written must have the size it believes in.
    if (offset < 0) lseek(descriptor, (off_t)count, SEEK_CUR);
  } else if (verdict != REFUSE) {
    done = offset < 0 ? syscall(SYS_write, descriptor, bytes, wanted)
                      : syscall(SYS_pwrite64, descriptor, bytes, wanted, offset);
  }
  faults_end(&change, verdict, done >= 0, done > 0 ? (size_t)done : 0);
  return done;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  return watched_write(descriptor, bytes, count, -1);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  if (offset < 0) { errno = EINVAL; return -1; }
  return watched_write(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

static ssize_t gathered(int descriptor, const struct iovec *parts, int count, off_t offset) {
  size_t total = 0;
  for (int index = 0; index < count; index++) total += parts[index].iov_len;
  char *bytes = malloc(total ? total : 1);
  if (!bytes) { errno = ENOMEM; return -1; }
  size_t filled = 0;
  for (int index = 0; index < count; index++) {
    memcpy(bytes + filled, parts[index].iov_base, parts[index].iov_len);
    filled += parts[index].iov_len;
  }
  ssize_t done = watched_write(descriptor, bytes, total, offset);
  int error = errno;
  explicit_bzero(bytes, total);
  free(bytes);
  errno = error;
  return done;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (!faults_watching()) return syscall(SYS_writev, descriptor, parts, count);
  return gathered(descriptor, parts, count, -1);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return gathered(descriptor, parts, count, offset);
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
  return gathered(descriptor, parts, count, offset);
}
ssize_t pwritev2(int descriptor, const struct iovec *parts, int count, off_t offset, int flags) {
  (void)flags;
  return gathered(descriptor, parts, count, offset);
}
ssize_t pwritev64v2(int descriptor, const struct iovec *parts, int count, off64_t offset, int flags) {
  (void)flags;
  return gathered(descriptor, parts, count, offset);
}

// Copies inside the kernel would not be seen; every program can do without them.
ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
  if (faults_watching()) { errno = EINVAL; return -1; }
  return syscall(SYS_sendfile, to, from, offset, count);
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
  return sendfile(to, from, offset, count);
}
ssize_t copy_file_range(
    int from, off64_t *from_offset, int to, off64_t *to_offset, size_t count, unsigned flags) {
  if (faults_watching()) { errno = ENOSYS; return -1; }
  return syscall(SYS_copy_file_range, from, from_offset, to, to_offset, count, flags);
}

/// A change of an open file whose only argument is a number.
static int watched(int descriptor, int kind, long long offset, int number, long argument) {
  char path[PATH_ROOM];
  int is_folder = 0;
  if (!faults_watching() || !faults_path_of(descriptor, path, &is_folder))
    return (int)syscall(number, descriptor, argument);
  if (kind == FAULT_SYNC && is_folder) kind = FAULT_SYNC_FOLDER;
  struct change change = {.kind = kind, .path = path, .offset = offset};
  enum verdict verdict = faults_begin(&change);
  int result = verdict == REFUSE ? -1 : 0;
  if (verdict != REFUSE && verdict != FORGET) result = (int)syscall(number, descriptor, argument);
  faults_end(&change, verdict, result == 0, 0);
  return result;
}

int ftruncate(int descriptor, off_t size) {
  return watched(descriptor, FAULT_TRUNCATE, size, SYS_ftruncate, size);
}
int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }
int fsync(int descriptor) { return watched(descriptor, FAULT_SYNC, 0, SYS_fsync, 0); }
int fdatasync(int descriptor) { return watched(descriptor, FAULT_SYNC, 0, SYS_fdatasync, 0); }

static int make_room(int descriptor, int mode, off_t offset, off_t count) {
  char path[PATH_ROOM];
  if (!faults_watching() || mode != 0 || !faults_path_of(descriptor, path, 0))
    return (int)syscall(SYS_fallocate, descriptor, mode, offset, count);
  struct change change = {.kind = FAULT_EXTEND, .path = path, .offset = offset + count};
  enum verdict verdict = faults_begin(&change);
  int result = verdict == REFUSE ? -1 : 0;
  if (verdict != REFUSE && verdict != FORGET)
    result = (int)syscall(SYS_fallocate, descriptor, mode, offset, count);
  faults_end(&change, verdict, result == 0, 0);
  return result;
}
int fallocate(int descriptor, int mode, off_t offset, off_t count) {
  return make_room(descriptor, mode, offset, count);
}
int fallocate64(int descriptor, int mode, off64_t offset, off64_t count) {
  return make_room(descriptor, mode, offset, count);
}
int posix_fallocate(int descriptor, off_t offset, off_t count) {
  return make_room(descriptor, 0, offset, count) == 0 ? 0 : errno;
}
int posix_fallocate64(int descriptor, off64_t offset, off64_t count) {
  return posix_fallocate(descriptor, offset, count);
}

void *mmap64(void *start, size_t count, int protection, int flags, int descriptor, off64_t offset) {
  char path[PATH_ROOM];
  if (faults_watching() && descriptor >= 0 && flags & MAP_SHARED && protection & PROT_WRITE &&
      faults_path_of(descriptor, path, 0)) {
    struct change change = {.kind = FAULT_MAP, .path = path, .offset = offset};
    enum verdict verdict = faults_begin(&change);
    faults_end(&change, verdict, 1, 0);
  }
  return (void *)syscall(SYS_mmap, start, count, protection, flags, descriptor, offset);
}
void *mmap(void *start, size_t count, int protection, int flags, int descriptor, off_t offset) {
  return mmap64(start, count, protection, flags, descriptor, offset);
}
