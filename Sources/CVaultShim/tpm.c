#include "CVaultStores.h"

// The TPM's interface is made of large structures, so its headers are needed to build this file
// (Debian: libtss2-dev). Without them the store says that it is unavailable. The libraries are loaded
// when the store is first used, in either case.
#if __has_include(<tss2/tss2_esys.h>) && __has_include(<tss2/tss2_tctildr.h>) && __has_include(<tss2/tss2_mu.h>)
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tctildr.h>

#define FUNCTIONS(X)                                                                              \
  X(esys, Esys_Initialize) X(esys, Esys_Finalize) X(esys, Esys_CreatePrimary) X(esys, Esys_Create) \
  X(esys, Esys_Load) X(esys, Esys_Unseal) X(esys, Esys_FlushContext) X(esys, Esys_TR_SetAuth)      \
  X(esys, Esys_StartAuthSession) X(esys, Esys_PolicyPCR) X(esys, Esys_PolicyAuthValue)             \
  X(esys, Esys_PolicyGetDigest) X(esys, Esys_TRSess_SetAttributes) X(esys, Esys_Free)              \
  X(mu, Tss2_MU_TPM2B_PRIVATE_Marshal) X(mu, Tss2_MU_TPM2B_PRIVATE_Unmarshal)                      \
  X(mu, Tss2_MU_TPM2B_PUBLIC_Marshal) X(mu, Tss2_MU_TPM2B_PUBLIC_Unmarshal)                        \
  X(loader, Tss2_TctiLdr_Initialize) X(loader, Tss2_TctiLdr_Finalize)

#define DECLARE(library, name) static __typeof__(&name) p_##name;
FUNCTIONS(DECLARE)

static int is_loaded;

static void load(void) {
  // The libraries tell standard error of each TPM they do not find, unless this says otherwise.
  setenv("TSS2_LOG", "all+none", 0);
  void *esys = dlopen("libtss2-esys.so.0", RTLD_NOW | RTLD_LOCAL);
  void *mu = dlopen("libtss2-mu.so.0", RTLD_NOW | RTLD_LOCAL);
  void *loader = dlopen("libtss2-tctildr.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!esys || !mu || !loader) return;
  int found = 1;
#define LOOK_UP(library, name) found &= (*(void **)&p_##name = dlsym(library, #name)) != 0;
  FUNCTIONS(LOOK_UP)
  is_loaded = found;
}

typedef struct {
  TSS2_TCTI_CONTEXT *transport;
  ESYS_CONTEXT *esys;
  ESYS_TR primary;
  ESYS_TR session;
} connection;

static void wipe(void *start, size_t count) {
  memset(start, 0, count);
  __asm__ __volatile__("" : : "r"(start) : "memory");
}

static void disconnect(connection *tpm) {
  if (tpm->esys && tpm->session != ESYS_TR_NONE) p_Esys_FlushContext(tpm->esys, tpm->session);
  if (tpm->esys && tpm->primary != ESYS_TR_NONE) p_Esys_FlushContext(tpm->esys, tpm->primary);
  if (tpm->esys) p_Esys_Finalize(&tpm->esys);
  if (tpm->transport) p_Tss2_TctiLdr_Finalize(&tpm->transport);
}

// The storage key: made from the TPM's own seed, the same each time until the TPM is cleared.
static TSS2_RC make_primary(connection *tpm) {
  TPM2B_SENSITIVE_CREATE sensitive = {0};
  TPM2B_DATA outside = {0};
  TPML_PCR_SELECTION registers = {0};
  TPM2B_PUBLIC template = {
      .publicArea = {
          .type = TPM2_ALG_ECC,
          .nameAlg = TPM2_ALG_SHA256,
          .objectAttributes = TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT | TPMA_OBJECT_FIXEDTPM |
                              TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN |
                              TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA,
          .parameters.eccDetail = {
              .symmetric = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB},
              .scheme.scheme = TPM2_ALG_NULL,
              .curveID = TPM2_ECC_NIST_P256,
              .kdf.scheme = TPM2_ALG_NULL}}};
  return p_Esys_CreatePrimary(tpm->esys, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE,
                              ESYS_TR_NONE, &sensitive, &template, &outside, &registers,
                              &tpm->primary, 0, 0, 0, 0);
}

static TSS2_RC start_session(connection *tpm, TPM2_SE kind) {
  TPMT_SYM_DEF symmetric = {
      .algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB};
  // Salted with the storage key and encrypting: the bus to the TPM shows no secret.
  TSS2_RC result = p_Esys_StartAuthSession(tpm->esys, tpm->primary, ESYS_TR_NONE, ESYS_TR_NONE,
                                           ESYS_TR_NONE, ESYS_TR_NONE, 0, kind, &symmetric,
                                           TPM2_ALG_SHA256, &tpm->session);
  if (result != TSS2_RC_SUCCESS) return result;
  return p_Esys_TRSess_SetAttributes(
      tpm->esys, tpm->session,
      TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT | TPMA_SESSION_CONTINUESESSION, 0xff);
}

// What releases the secret: the PIN, and the register if one is named.
static TSS2_RC apply_policy(connection *tpm, int register_index) {
  TSS2_RC result = TSS2_RC_SUCCESS;
  if (register_index >= 0) {
    TPML_PCR_SELECTION registers = {
        .count = 1,
        .pcrSelections[0] = {.hash = TPM2_ALG_SHA256, .sizeofSelect = 3, .pcrSelect = {0}}};
    registers.pcrSelections[0].pcrSelect[register_index / 8] = (BYTE)(1 << register_index % 8);
    TPM2B_DIGEST any = {0};
    result = p_Esys_PolicyPCR(tpm->esys, tpm->session, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &any,
                              &registers);
  }
  if (result == TSS2_RC_SUCCESS)
    result = p_Esys_PolicyAuthValue(tpm->esys, tpm->session, ESYS_TR_NONE, ESYS_TR_NONE,
                                    ESYS_TR_NONE);
  return result;
}

static int connect_tpm(connection *tpm) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  *tpm = (connection){0, 0, ESYS_TR_NONE, ESYS_TR_NONE};
  pthread_once(&once, load);
  if (!is_loaded) return VAULT_STORE_UNAVAILABLE;
  // The same variable as the TPM's own tools: which TPM to talk to.
  if (p_Tss2_TctiLdr_Initialize(getenv("TPM2TOOLS_TCTI"), &tpm->transport) != TSS2_RC_SUCCESS)
    return VAULT_STORE_UNAVAILABLE;
  if (p_Esys_Initialize(&tpm->esys, tpm->transport, 0) != TSS2_RC_SUCCESS)
    return VAULT_STORE_UNAVAILABLE;
  return make_primary(tpm) == TSS2_RC_SUCCESS ? 0 : VAULT_STORE_FAILED;
}

static int outcome(TSS2_RC result) {
  if (result == TSS2_RC_SUCCESS) return 0;
  UINT32 code = result & 0xffff;
  // Codes with a parameter, handle or session number in them carry it in bits 6 and 8 to 11.
  UINT32 base = code & TPM2_RC_FMT1 ? code & 0x0bf : code;
  if (code == TPM2_RC_LOCKOUT) return VAULT_STORE_LOCKED;
  if (base == TPM2_RC_AUTH_FAIL || base == TPM2_RC_BAD_AUTH) return VAULT_STORE_DENIED;
  if (base == TPM2_RC_POLICY_FAIL || code == TPM2_RC_PCR_CHANGED) return VAULT_STORE_CHANGED;
  if (base == TPM2_RC_INTEGRITY || base == TPM2_RC_SIZE) return VAULT_STORE_NOT_FOUND;
  return VAULT_STORE_FAILED;
}

int vault_tpm_seal(const void *data, size_t data_count, const void *pin, size_t pin_count,
                   int register_index, void *blob, size_t *blob_count) {
  if (data_count > 128 || pin_count > 32 || register_index > 23) return VAULT_STORE_FAILED;
  connection tpm;
  int failure = connect_tpm(&tpm);
  if (failure) {
    disconnect(&tpm);
    return failure;
  }
  TPM2B_DIGEST *policy = 0;
  TPM2B_PRIVATE *private = 0;
  TPM2B_PUBLIC *public = 0;
  TPM2B_SENSITIVE_CREATE sensitive = {0};
  TPM2B_DATA outside = {0};
  TPML_PCR_SELECTION none = {0};
  TSS2_RC result = start_session(&tpm, TPM2_SE_TRIAL);
  if (result == TSS2_RC_SUCCESS) result = apply_policy(&tpm, register_index);
  if (result == TSS2_RC_SUCCESS)
    result = p_Esys_PolicyGetDigest(tpm.esys, tpm.session, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                    &policy);
  if (tpm.session != ESYS_TR_NONE) {
    p_Esys_FlushContext(tpm.esys, tpm.session);
    tpm.session = ESYS_TR_NONE;
  }
  if (result == TSS2_RC_SUCCESS) result = start_session(&tpm, TPM2_SE_HMAC);
  if (result == TSS2_RC_SUCCESS) {
    sensitive.sensitive.data.size = (UINT16)data_count;
    memcpy(sensitive.sensitive.data.buffer, data, data_count);
    sensitive.sensitive.userAuth.size = (UINT16)pin_count;
    memcpy(sensitive.sensitive.userAuth.buffer, pin, pin_count);
    TPM2B_PUBLIC template = {
        .publicArea = {
            .type = TPM2_ALG_KEYEDHASH,
            .nameAlg = TPM2_ALG_SHA256,
            .objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT,
            .authPolicy = *policy,
            .parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_NULL}};
    result = p_Esys_Create(tpm.esys, tpm.primary, tpm.session, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive,
                           &template, &outside, &none, &private, &public, 0, 0, 0);
    wipe(&sensitive, sizeof sensitive);
  }
  size_t used = 0;
  if (result == TSS2_RC_SUCCESS)
    result = p_Tss2_MU_TPM2B_PUBLIC_Marshal(public, blob, *blob_count, &used);
  if (result == TSS2_RC_SUCCESS)
    result = p_Tss2_MU_TPM2B_PRIVATE_Marshal(private, blob, *blob_count, &used);
  *blob_count = used;
  p_Esys_Free(policy);
  p_Esys_Free(private);
  p_Esys_Free(public);
  disconnect(&tpm);
  return outcome(result);
}

int vault_tpm_unseal(const void *blob, size_t blob_count, const void *pin, size_t pin_count,
                     int register_index, void *data, size_t *data_count) {
  if (pin_count > 32 || register_index > 23) return VAULT_STORE_FAILED;
  connection tpm;
  int failure = connect_tpm(&tpm);
  if (failure) {
    disconnect(&tpm);
    return failure;
  }
  TPM2B_PUBLIC public = {0};
  TPM2B_PRIVATE private = {0};
  TPM2B_AUTH auth = {0};
  TPM2B_SENSITIVE_DATA *found = 0;
  ESYS_TR object = ESYS_TR_NONE;
  size_t offset = 0;
  TSS2_RC result = p_Tss2_MU_TPM2B_PUBLIC_Unmarshal(blob, blob_count, &offset, &public);
  if (result == TSS2_RC_SUCCESS)
    result = p_Tss2_MU_TPM2B_PRIVATE_Unmarshal(blob, blob_count, &offset, &private);
  if (result == TSS2_RC_SUCCESS)
    result = p_Esys_Load(tpm.esys, tpm.primary, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &private,
                         &public, &object);
  if (result == TSS2_RC_SUCCESS) {
    auth.size = (UINT16)pin_count;
    memcpy(auth.buffer, pin, pin_count);
    result = p_Esys_TR_SetAuth(tpm.esys, object, &auth);
    wipe(&auth, sizeof auth);
  }
  if (result == TSS2_RC_SUCCESS) result = start_session(&tpm, TPM2_SE_POLICY);
  if (result == TSS2_RC_SUCCESS) result = apply_policy(&tpm, register_index);
  if (result == TSS2_RC_SUCCESS)
    result = p_Esys_Unseal(tpm.esys, object, tpm.session, ESYS_TR_NONE, ESYS_TR_NONE, &found);
  if (result == TSS2_RC_SUCCESS) {
    if (found->size > *data_count) result = TPM2_RC_FAILURE;
    else memcpy(data, found->buffer, found->size);
    *data_count = found->size;
    wipe(found, sizeof *found);
  }
  p_Esys_Free(found);
  if (object != ESYS_TR_NONE) p_Esys_FlushContext(tpm.esys, object);
  disconnect(&tpm);
  return outcome(result);
}
#else
int vault_tpm_seal(const void *data, size_t data_count, const void *pin, size_t pin_count,
                   int register_index, void *blob, size_t *blob_count) {
  (void)data, (void)data_count, (void)pin, (void)pin_count, (void)register_index, (void)blob,
      (void)blob_count;
  return VAULT_STORE_UNAVAILABLE;
}

int vault_tpm_unseal(const void *blob, size_t blob_count, const void *pin, size_t pin_count,
                     int register_index, void *data, size_t *data_count) {
  (void)blob, (void)blob_count, (void)pin, (void)pin_count, (void)register_index, (void)data,
      (void)data_count;
  return VAULT_STORE_UNAVAILABLE;
}
#endif
