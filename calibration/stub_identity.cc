#include "calibration/stub_identity.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace pgfiredrill {
namespace {

constexpr long kLifetimeSeconds = 24L * 3600;

struct FreeKey {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;
using Certificate = std::unique_ptr<X509, FreeCertificate>;

Certificate self_signed(EVP_PKEY* key) {
  Certificate certificate{X509_new()};
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kLifetimeSeconds);
  X509_set_pubkey(certificate.get(), key);
  constexpr unsigned char kName[] = "pgfiredrill calibration";
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, kName, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  if (X509_sign(certificate.get(), key, EVP_sha256()) == 0) return nullptr;
  return certificate;
}

Failure openssl_failure() {
  char text[256] = "";
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  return {.kind = FailureKind::failed, .what = "make a certificate in memory", .came_back = text};
}

}  // namespace

void FreeTlsContext::operator()(SSL_CTX* context) const noexcept {
  SSL_CTX_free(context);
}

Result<TlsContext> make_server_tls() {
  TlsContext context{SSL_CTX_new(TLS_server_method())};
  const Key key{EVP_EC_gen("P-256")};
  if (!context || !key) return openssl_failure();
  const Certificate certificate = self_signed(key.get());
  if (!certificate || SSL_CTX_use_certificate(context.get(), certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1) {
    return openssl_failure();
  }
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

}  // namespace pgfiredrill
