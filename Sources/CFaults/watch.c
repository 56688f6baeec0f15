#define _GNU_SOURCE
#include "watch.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static struct fault_control *control;
static int log_descriptor = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void *faults_real(const char *name) { return dlsym(RTLD_NEXT, name); }

// Straight to the kernel: the names of the C library are this library's own.
static int open_raw(const char *path, int flags) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

__attribute__((constructor)) static void start(void) {
  const char *page = getenv("VESTIGE_FAULTS");
  const char *log = getenv("VESTIGE_FAULTS_LOG");
  if (!page) return;
  int descriptor = open_raw(page, O_RDWR);
  if (descriptor < 0) return;
  void *mapped = mmap(0, FAULT_CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  syscall(SYS_close, descriptor);
  if (mapped == MAP_FAILED) return;
  struct fault_control *found = mapped;
  if (found->magic != FAULT_MAGIC) return;
  if (log) {
    int opened = open_raw(log, O_WRONLY | O_APPEND | O_CREAT);
    // Far from the numbers that a program expects to be free.
    log_descriptor = fcntl(opened, F_DUPFD_CLOEXEC, 700);
    if (log_descriptor < 0) log_descriptor = opened;
    else syscall(SYS_close, opened);
  }
  control = found;
}

struct fault_control *faults_control(void) {
  // Other libraries' constructors may call before this one's ran.
  if (!control && getenv("VESTIGE_FAULTS")) start();
  return control;
}

int faults_watching(void) {
  return control && __atomic_load_n(&control->mode, __ATOMIC_ACQUIRE) == 1;
}

int faults_path_of(int descriptor, char *path, int *is_folder) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return 0;
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return 0;
  if (is_folder) *is_folder = S_ISDIR(status.st_mode);
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, PATH_ROOM - 1);
  if (count < 0) return 0;
  path[count] = 0;
  // Memory that only looks like a file.
  return strncmp(path, "/memfd:", 7) != 0 && strncmp(path, "/secretmem", 10) != 0;
}

void faults_absolute(int at, const char *name, char *path) {
  char folder[PATH_ROOM] = "";
  if (name[0] != '/') {
    if (at == AT_FDCWD) {
      if (!getcwd(folder, sizeof folder)) folder[0] = 0;
    } else if (!faults_path_of(at, folder, 0)) {
      folder[0] = 0;
    }
  }
  char joined[2 * PATH_ROOM];
  snprintf(joined, sizeof joined, "%s%s%s", folder, folder[0] ? "/" : "", name);
  if (strstr(joined, "/.") || strstr(joined, "//")) {
    char *slash = strrchr(joined, '/');
    char real[PATH_MAX];
    if (slash && slash != joined) {
      *slash = 0;
      if (realpath(joined, real)) {
        snprintf(path, PATH_ROOM, "%.4000s/%.255s", real, slash + 1);
        return;
      }
      *slash = '/';
    }
  }
  snprintf(path, PATH_ROOM, "%.4300s", joined);
}

// A file that was removed and is still open has this behind its path: it is on no disk after a crash.
static int is_removed(const char *path) {
  static const char mark[] = " (deleted)";
  size_t count = strlen(path);
  return count >= sizeof mark && strcmp(path + count - (sizeof mark - 1), mark) == 0;
}

static int is_below_root(const char *path) {
  size_t count = strlen(control->root);
  if (path && is_removed(path)) return 0;
  return path && count > 0 && strncmp(path, control->root, count) == 0 &&
         (path[count] == '/' || path[count] == 0);
}

static int takes_room(int kind) {
  return kind == FAULT_CREATE || kind == FAULT_WRITE || kind == FAULT_MAKE_FOLDER ||
         kind == FAULT_EXTEND || kind == FAULT_LINK;
}

static int is_forgotten(const struct change *change) {
  if (control->forget_kind != (uint32_t)change->kind) return 0;
  size_t path = strlen(change->path), suffix = strlen(control->forget_suffix);
  if (suffix > path || strcmp(change->path + path - suffix, control->forget_suffix) != 0) return 0;
  control->forget_count++;
  return control->forget_index == 0 || control->forget_index == control->forget_count;
}

static void end_here(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

static void crash_here(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGABRT);
  signal(SIGABRT, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, 0);
  raise(SIGABRT);
  end_here();
}

static enum verdict judge(struct change *change) {
  if (!is_below_root(change->path) && !is_below_root(change->other)) return PASS;
  if (change->kind == FAULT_MAP) return PASS;
  change->number = (uint32_t)++control->count;
  if (is_forgotten(change)) return FORGET;
  int is_sync = change->kind == FAULT_SYNC || change->kind == FAULT_SYNC_FOLDER;
  int action = (int)control->action;
  if (control->target && control->count == control->target) {
    switch (action) {
      case FAULT_KILL_BEFORE: end_here();
      case FAULT_ABORT: crash_here();
      case FAULT_KILL_MIDDLE:
        if (change->kind == FAULT_WRITE) return HALF_AND_KILL;
        end_here();
      case FAULT_KILL_AFTER: return PASS_AND_KILL;
      case FAULT_SHORT: return change->kind == FAULT_WRITE && change->count > 1 ? HALF : PASS;
      case FAULT_ERROR: errno = EIO; return REFUSE;
      case FAULT_FULL: case FAULT_ERRORS: control->is_failing = 1;
    }
  }
  if (!control->is_failing) return PASS;
  if (action == FAULT_FULL && takes_room(change->kind)) { errno = ENOSPC; return REFUSE; }
  if (action == FAULT_ERRORS && (takes_room(change->kind) || is_sync)) { errno = EIO; return REFUSE; }
  return PASS;
}

enum verdict faults_begin(struct change *change) {
  pthread_mutex_lock(&turn);
  change->number = 0;
  return judge(change);
}

static void note(const struct change *change, size_t done) {
  if (log_descriptor < 0) return;
  size_t count = change->kind == FAULT_WRITE ? done : 0;
  struct fault_record record = {
      .kind = (uint32_t)change->kind,
      .number = change->number,
      .offset = change->offset,
      .path_count = (uint32_t)strlen(change->path),
      .other_count = change->other ? (uint32_t)strlen(change->other) : 0,
      .byte_count = count,
  };
  struct iovec parts[4] = {
      {&record, sizeof record},
      {(void *)change->path, record.path_count},
      {(void *)change->other, record.other_count},
      {(void *)change->bytes, count},
  };
  syscall(SYS_writev, log_descriptor, parts, 4);
}

void faults_end(struct change *change, enum verdict verdict, int succeeded, size_t done) {
  int error = errno;
  if (succeeded && verdict != FORGET && verdict != REFUSE) note(change, done);
  if (verdict == HALF_AND_KILL || verdict == PASS_AND_KILL) end_here();
  pthread_mutex_unlock(&turn);
  errno = error;
}

// A child of fork has one thread, which may not be the one that had the turn.
static void renew(void) { pthread_mutex_init(&turn, 0); }
__attribute__((constructor)) static void follow_forks(void) { pthread_atfork(0, 0, renew); }
