// The parts of OpenSSL 3 that Swift cannot see: function-like macros, variadic functions, the
// inline functions of its typed stacks, and deprecated functions, of which it would warn. Nothing
// here decides anything; every symbol carries the prefix `tapedeck_` and otherwise the name of
// what it wraps.
#ifndef TAPEDECK_COPENSSL_SHIM_H
#define TAPEDECK_COPENSSL_SHIM_H

#include <openssl/opensslv.h>
#if OPENSSL_VERSION_MAJOR < 3
#error "Tapedeck needs OpenSSL 3 or newer"
#endif

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Options and modes that are the same for every context of ours.
static inline void tapedeck_SSL_CTX_set_defaults(SSL_CTX *ctx) {
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                              SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_NO_AUTO_CHAIN);
}

static inline int tapedeck_SSL_CTX_set_min_proto_version(SSL_CTX *ctx, int version) {
    return (int)SSL_CTX_set_min_proto_version(ctx, version);
}

static inline int tapedeck_SSL_CTX_set_max_proto_version(SSL_CTX *ctx, int version) {
    return (int)SSL_CTX_set_max_proto_version(ctx, version);
}

static inline void tapedeck_SSL_CTX_set_session_cache_mode(SSL_CTX *ctx, long mode) {
    SSL_CTX_set_session_cache_mode(ctx, mode);
}

static inline void tapedeck_SSL_CTX_set_tlsext_servername_callback(
    SSL_CTX *ctx, int (*callback)(SSL *, int *, void *)) {
    SSL_CTX_set_tlsext_servername_callback(ctx, callback);
}

static inline int tapedeck_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int tapedeck_SSL_add1_chain_cert(SSL *ssl, X509 *certificate) {
    return (int)SSL_add1_chain_cert(ssl, certificate);
}

static inline void tapedeck_BIO_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }

static inline void tapedeck_BIO_clear_retry_flags(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline long tapedeck_BIO_get_mem_data(BIO *bio, char **data) {
    return BIO_get_mem_data(bio, data);
}

static inline EVP_PKEY *tapedeck_EVP_EC_gen(const char *curve) { return EVP_EC_gen(curve); }

// Deprecated since OpenSSL 3.0, for the sake of providers; `KeyHandle.generate` says why they are used.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline EC_KEY *tapedeck_EVP_PKEY_get1_EC_KEY(EVP_PKEY *key) { return EVP_PKEY_get1_EC_KEY(key); }

static inline int tapedeck_EVP_PKEY_set1_EC_KEY(EVP_PKEY *key, EC_KEY *value) {
    return EVP_PKEY_set1_EC_KEY(key, value);
}

static inline void tapedeck_EC_KEY_free(EC_KEY *key) { EC_KEY_free(key); }
#pragma GCC diagnostic pop

static inline int tapedeck_sk_GENERAL_NAME_push(GENERAL_NAMES *names, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(names, name);
}

static inline int tapedeck_sk_ASN1_OBJECT_push(EXTENDED_KEY_USAGE *usages, ASN1_OBJECT *usage) {
    return sk_ASN1_OBJECT_push(usages, usage);
}

static inline void tapedeck_OPENSSL_free(void *pointer) { OPENSSL_free(pointer); }

// "CN=name, O=organisation": RFC 2253 order and escapes, with a space after the comma.
static inline int tapedeck_X509_NAME_print(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0,
                              ASN1_STRFLGS_RFC2253 | XN_FLAG_SEP_CPLUS_SPC | XN_FLAG_DN_REV | XN_FLAG_FN_SN);
}

// A PKCS #12 file of trusted certificates, not encrypted; NULL on failure. The attribute, with the purpose "any", tells
// the JDK that a certificate is trusted. The MAC is one that Java 8 knows.
static inline PKCS12 *tapedeck_PKCS12_trusted(X509 *_Nullable *_Nonnull certificates, int count, const char *password) {
    STACK_OF(PKCS12_SAFEBAG) *bags = sk_PKCS12_SAFEBAG_new_null();
    STACK_OF(PKCS7) *safes = NULL;
    PKCS12 *store = NULL;
    int made = bags != NULL;
    for (int index = 0; made && index < count; index++) {
        char alias[16];
        BIO_snprintf(alias, sizeof alias, "%d", index);
        PKCS12_SAFEBAG *bag = PKCS12_SAFEBAG_create_cert(certificates[index]);
        made = bag != NULL && PKCS12_add_friendlyname_utf8(bag, alias, -1) &&
               PKCS12_add1_attr_by_txt(bag, "2.16.840.1.113894.746875.1.1", V_ASN1_OBJECT,
                                       (const unsigned char *)OBJ_nid2obj(NID_anyExtendedKeyUsage), -1) &&
               sk_PKCS12_SAFEBAG_push(bags, bag) > 0;
        if (!made) PKCS12_SAFEBAG_free(bag);
    }
    if (made && PKCS12_add_safe(&safes, bags, -1, 0, NULL)) store = PKCS12_add_safes(safes, 0);
    if (store != NULL && !PKCS12_set_mac(store, password, -1, NULL, 0, 2048, EVP_sha1())) {
        PKCS12_free(store);
        store = NULL;
    }
    sk_PKCS7_pop_free(safes, PKCS7_free);
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return store;
}

#endif
