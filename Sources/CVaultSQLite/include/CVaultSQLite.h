#pragma once

/// Whether SQLite took the allocator that zeroes what it frees, and the log that goes nowhere: 0, or
/// the result code. Both are given to it when the program is loaded.
int vault_sqlite_configured(void);

/// 1 if all of SQLite in this process comes from the one file that has SQLCipher's functions.
int vault_sqlite_is_one_library(void);

/// For tests of failing memory: `refuses` is asked before each allocation; other than 0 refuses it.
void vault_sqlite_refuse_memory(int (*refuses)(void));

/// How many blocks SQLite holds; 0 after the last connection closed means that nothing leaked.
long vault_sqlite_blocks_in_use(void);
