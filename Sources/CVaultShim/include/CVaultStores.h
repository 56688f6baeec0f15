#pragma once
#include <stddef.h>

// Secret stores of the system, each loaded with dlopen when it is first used: a program that uses none
// loads none. Results: 0, or one of these.
enum {
  VAULT_STORE_UNAVAILABLE = 1,
  VAULT_STORE_NOT_FOUND = 2,
  VAULT_STORE_LOCKED = 3,
  VAULT_STORE_DENIED = 4,
  VAULT_STORE_CHANGED = 5,
  VAULT_STORE_FAILED = 6,
};

/// Keeps `secret` (text without zero bytes) under three names, in place of an older one.
int vault_service_store(const char *service, const char *account, const char *group,
                        const char *secret);
/// Copies the secret, with its final zero, into `secret` of `capacity` bytes.
int vault_service_read(const char *service, const char *account, const char *group, char *secret,
                       size_t capacity);
int vault_service_remove(const char *service, const char *account, const char *group);
/// Calls `found` with the names of every item that this program keeps.
int vault_service_list(void (*found)(void *context, const char *service, const char *account,
                                     const char *group),
                       void *context);

/// Seals up to 128 bytes under the TPM's storage key, released only with this PIN and, if `register_index`
/// is not negative, only while that platform configuration register (SHA-256 bank) is as it is now.
/// `blob` gets what must be kept: useless on any other TPM, and on this one after it was cleared.
int vault_tpm_seal(const void *secret, size_t secret_count, const void *pin, size_t pin_count,
                   int register_index, void *blob, size_t *blob_count);
int vault_tpm_unseal(const void *blob, size_t blob_count, const void *pin, size_t pin_count,
                     int register_index, void *secret, size_t *secret_count);
