#include "CVaultFaults.h"
#include <sqlcipher/sqlite3.h>
#include <stdlib.h>
#include <string.h>

static int (*told)(int, const char *, long long, const void *, int);
static sqlite3_vfs *system_vfs;

typedef struct {
  sqlite3_file base;
  sqlite3_file *real;
  char *path;
  int new_log;  // the system syncs the folder with the first sync of a new journal or log
} fault_file;

#define REAL(file) (((fault_file *)(file))->real)
#define CALL(file, method, ...) REAL(file)->pMethods->method(REAL(file), ##__VA_ARGS__)

static int tell(sqlite3_file *file, int kind, sqlite3_int64 offset, const void *bytes, int count) {
  const char *path = ((fault_file *)file)->path;
  return path && told ? told(kind, path, offset, bytes, count) : 0;
}

static int fault_close(sqlite3_file *file) {
  int result = CALL(file, xClose);
  free(((fault_file *)file)->path);
  return result;
}
static int fault_read(sqlite3_file *file, void *to, int count, sqlite3_int64 offset) {
  return CALL(file, xRead, to, count, offset);
}
static int fault_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 offset) {
  int refusal = tell(file, VAULT_FAULT_WRITE, offset, from, count);
  return refusal ? refusal : CALL(file, xWrite, from, count, offset);
}
static int fault_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int refusal = tell(file, VAULT_FAULT_TRUNCATE, size, 0, 0);
  return refusal ? refusal : CALL(file, xTruncate, size);
}
static int fault_sync(sqlite3_file *file, int flags) {
  int refusal = tell(file, VAULT_FAULT_SYNC, 0, 0, 0);
  if (!refusal && ((fault_file *)file)->new_log) {
    ((fault_file *)file)->new_log = 0;
    refusal = tell(file, VAULT_FAULT_SYNC_FOLDER, 0, 0, 0);
  }
  return refusal ? refusal : CALL(file, xSync, flags);
}
static int fault_size(sqlite3_file *file, sqlite3_int64 *size) { return CALL(file, xFileSize, size); }
static int fault_lock(sqlite3_file *file, int level) { return CALL(file, xLock, level); }
static int fault_unlock(sqlite3_file *file, int level) { return CALL(file, xUnlock, level); }
static int fault_check(sqlite3_file *file, int *out) { return CALL(file, xCheckReservedLock, out); }
static int fault_control(sqlite3_file *file, int op, void *argument) {
  return CALL(file, xFileControl, op, argument);
}
static int fault_sector(sqlite3_file *file) { return CALL(file, xSectorSize); }
static int fault_traits(sqlite3_file *file) { return CALL(file, xDeviceCharacteristics); }
static int fault_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  return CALL(file, xShmMap, page, size, extend, out);
}
static int fault_shm_lock(sqlite3_file *file, int offset, int n, int flags) {
  return CALL(file, xShmLock, offset, n, flags);
}
static void fault_barrier(sqlite3_file *file) { CALL(file, xShmBarrier); }
static int fault_unmap(sqlite3_file *file, int erase) { return CALL(file, xShmUnmap, erase); }

static const sqlite3_io_methods methods = {
    2, fault_close, fault_read, fault_write, fault_truncate, fault_sync, fault_size,
    fault_lock, fault_unlock, fault_check, fault_control, fault_sector, fault_traits,
    fault_map, fault_shm_lock, fault_barrier, fault_unmap, 0, 0};

static int fault_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  fault_file *opened = (fault_file *)file;
  memset(opened, 0, sizeof *opened);
  opened->real = (sqlite3_file *)(opened + 1);
  int exists = 0;
  if (path) system_vfs->xAccess(system_vfs, path, SQLITE_ACCESS_EXISTS, &exists);
  int is_new = path && !exists && (flags & SQLITE_OPEN_CREATE);
  if (is_new && told) {
    int refusal = told(VAULT_FAULT_CREATE, path, 0, 0, 0);
    if (refusal) return refusal;
  }
  int result = system_vfs->xOpen(system_vfs, path, opened->real, flags, out);
  if (result != SQLITE_OK && !opened->real->pMethods) return result;
  opened->path = path ? strdup(path) : 0;
  opened->new_log = is_new && (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL));
  opened->base.pMethods = &methods;
  return result;
}

static int fault_delete(sqlite3_vfs *vfs, const char *path, int sync) {
  (void)vfs;
  int refusal = told ? told(VAULT_FAULT_DELETE, path, 0, 0, 0) : 0;
  if (!refusal && sync && told) refusal = told(VAULT_FAULT_SYNC_FOLDER, path, 0, 0, 0);
  return refusal ? refusal : system_vfs->xDelete(system_vfs, path, sync);
}

int vault_faults_register(int (*hook)(int, const char *, long long, const void *, int)) {
  static sqlite3_vfs faults;
  told = hook;
  if (system_vfs) return SQLITE_OK;
  int result = sqlite3_initialize();
  if (result != SQLITE_OK) return result;
  system_vfs = sqlite3_vfs_find(0);
  faults = *system_vfs;
  faults.szOsFile = (int)sizeof(fault_file) + system_vfs->szOsFile;
  faults.zName = "vault-faults";
  faults.xOpen = fault_open;
  faults.xDelete = fault_delete;
  return sqlite3_vfs_register(&faults, 0);
}
