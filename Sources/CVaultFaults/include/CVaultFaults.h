#pragma once

enum {
  VAULT_FAULT_WRITE = 1,
  VAULT_FAULT_TRUNCATE = 2,
  VAULT_FAULT_SYNC = 3,
  VAULT_FAULT_DELETE = 4,
  VAULT_FAULT_CREATE = 5,
  VAULT_FAULT_SYNC_FOLDER = 6,
};

/// Registers a file layer of SQLite under the name "vault-faults": the system's own, which tells `hook`
/// of every change before it is made. What the hook returns other than 0 is SQLite's result, and the
/// change is not made.
int vault_faults_register(int (*hook)(int kind, const char *path, long long offset,
                                      const void *bytes, int count));
