#pragma once
#define SQLITE_HAS_CODEC 1
#include <sqlcipher/sqlite3.h>

/* Sets how many bytes at the end of each page stay unused. SQLite 3.33 and later have a file control
   for it; before that there was a test control, and both are variadic or take a pointer. */
static inline int vestige_sqlite3_reserve(sqlite3 *db, int bytes) {
#ifdef SQLITE_FCNTL_RESERVE_BYTES
  return sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
#else
  return sqlite3_test_control(SQLITE_TESTCTRL_RESERVE, db, bytes);
#endif
}
