#pragma once
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

/* Starts a MAC over a digest. In C, because the parameters keep the pointer to their name: a name that
   Swift lends for one call is gone when they are read. */
static inline int vestige_mac_init(EVP_MAC_CTX *context, const unsigned char *key, size_t count,
                                   const char *digest) {
  OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
    OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_init(context, key, count, parameters);
}
