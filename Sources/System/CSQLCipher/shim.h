#pragma once
#define SQLITE_HAS_CODEC 1
#include <sqlcipher/sqlite3.h>

/* Sets how many bytes at the end of each page stay unused; variadic in the library. */
static inline int vestige_sqlite3_reserve(sqlite3 *db, int bytes) {
  return sqlite3_test_control(SQLITE_TESTCTRL_RESERVE, db, bytes);
}
