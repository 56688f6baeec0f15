// The calls that make, move and remove names.
#define _GNU_SOURCE
#include "watch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_watched(int at, const char *name, int flags, mode_t mode) {
  int changes = flags & (O_CREAT | O_TRUNC) && (flags & O_TMPFILE) != O_TMPFILE;
  if (!changes || !faults_watching()) return (int)syscall(SYS_openat, at, name, flags, mode);
  struct stat status;
  int exists = syscall(SYS_newfstatat, at, name, &status, 0) == 0;
  int truncates = exists && flags & O_TRUNC && S_ISREG(status.st_mode) && status.st_size > 0;
  if (!(exists ? truncates : flags & O_CREAT))
    return (int)syscall(SYS_openat, at, name, flags, mode);
  char path[PATH_ROOM];
  faults_absolute(at, name, path);
  struct change change = {.kind = exists ? FAULT_TRUNCATE : FAULT_CREATE, .path = path};
  enum verdict verdict = faults_begin(&change);
  int result = -1;
  if (verdict == FORGET && exists)
    result = (int)syscall(SYS_openat, at, name, flags & ~O_TRUNC, mode);
  else if (verdict != REFUSE)
    result = (int)syscall(SYS_openat, at, name, flags, mode);
  faults_end(&change, verdict, result >= 0, 0);
  return result;
}

#define MODE(flags)                                                     \
  mode_t mode = 0;                                                      \
  if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {        \
    va_list list;                                                       \
    va_start(list, flags);                                              \
    mode = va_arg(list, mode_t);                                        \
    va_end(list);                                                       \
  }

int open(const char *name, int flags, ...) {
  MODE(flags)
  return open_watched(AT_FDCWD, name, flags, mode);
}
int open64(const char *name, int flags, ...) {
  MODE(flags)
  return open_watched(AT_FDCWD, name, flags, mode);
}
int openat(int at, const char *name, int flags, ...) {
  MODE(flags)
  return open_watched(at, name, flags, mode);
}
int openat64(int at, const char *name, int flags, ...) {
  MODE(flags)
  return open_watched(at, name, flags, mode);
}
int creat(const char *name, mode_t mode) {
  return open_watched(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char *name, mode_t mode) { return creat(name, mode); }
// What the headers make of open in fortified programs.
int __open_2(const char *name, int flags) { return open_watched(AT_FDCWD, name, flags, 0); }
int __open64_2(const char *name, int flags) { return open_watched(AT_FDCWD, name, flags, 0); }
int __openat_2(int at, const char *name, int flags) { return open_watched(at, name, flags, 0); }
int __openat64_2(int at, const char *name, int flags) { return open_watched(at, name, flags, 0); }

int truncate(const char *name, off_t size) {
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  int result = ftruncate(descriptor, size);
  int error = errno;
  syscall(SYS_close, descriptor);
  errno = error;
  return result;
}
int truncate64(const char *name, off64_t size) { return truncate(name, size); }

/// A change of one or two names.
struct name_change {
  int kind;
  int at;
  const char *name;
  int other_at;
  const char *other;
  long number;
  long arguments[5];
};

static int change_names(const struct name_change *wanted) {
  const long *a = wanted->arguments;
  if (!faults_watching()) return (int)syscall(wanted->number, a[0], a[1], a[2], a[3], a[4]);
  char path[PATH_ROOM], other[PATH_ROOM];
  faults_absolute(wanted->at, wanted->name, path);
  if (wanted->other) faults_absolute(wanted->other_at, wanted->other, other);
  struct change change = {
      .kind = wanted->kind, .path = path, .other = wanted->other ? other : 0};
  struct stat status;
  // What will fail is no change.
  int expected = syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (wanted->kind == FAULT_MAKE_FOLDER) expected = !expected;
  if (!expected) return (int)syscall(wanted->number, a[0], a[1], a[2], a[3], a[4]);
  enum verdict verdict = faults_begin(&change);
  int result = verdict == REFUSE ? -1 : 0;
  if (verdict != REFUSE && verdict != FORGET)
    result = (int)syscall(wanted->number, a[0], a[1], a[2], a[3], a[4]);
  faults_end(&change, verdict, result == 0, 0);
  return result;
}

int unlinkat(int at, const char *name, int flags) {
  int kind = flags & AT_REMOVEDIR ? FAULT_REMOVE_FOLDER : FAULT_REMOVE;
  return change_names(&(struct name_change){
      kind, at, name, 0, 0, SYS_unlinkat, {at, (long)name, flags, 0, 0}});
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char *name) {
  struct stat status;
  if (syscall(SYS_newfstatat, AT_FDCWD, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  return S_ISDIR(status.st_mode) ? rmdir(name) : unlink(name);
}

int renameat2(int at, const char *name, int to, const char *other, unsigned flags) {
  return change_names(&(struct name_change){FAULT_RENAME, at, name, to, other, SYS_renameat2,
                                            {at, (long)name, to, (long)other, flags}});
}
int renameat(int at, const char *name, int to, const char *other) {
  return renameat2(at, name, to, other, 0);
}
int rename(const char *name, const char *other) {
  return renameat2(AT_FDCWD, name, AT_FDCWD, other, 0);
}

int mkdirat(int at, const char *name, mode_t mode) {
  return change_names(&(struct name_change){
      FAULT_MAKE_FOLDER, at, name, 0, 0, SYS_mkdirat, {at, (long)name, mode, 0, 0}});
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int linkat(int at, const char *name, int to, const char *other, int flags) {
  return change_names(&(struct name_change){FAULT_LINK, at, name, to, other, SYS_linkat,
                                            {at, (long)name, to, (long)other, flags}});
}
int link(const char *name, const char *other) {
  return linkat(AT_FDCWD, name, AT_FDCWD, other, 0);
}
