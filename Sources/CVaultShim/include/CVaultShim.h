#pragma once
#include <stddef.h>

/// A file descriptor of memory that neither the kernel nor another process can read (memfd_secret,
/// Linux 5.14), or -1 with errno set.
int vault_memfd_secret(void);

/// Keeps this process out of core dumps and away from debuggers of the same user; 0 on success.
int vault_forbid_dumps(void);
