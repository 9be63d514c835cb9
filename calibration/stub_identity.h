#pragma once

/// A certificate that lives in memory only, for a server that proves nothing by it.

#include <memory>

#include "base/failure.h"

using SSL_CTX = struct ssl_ctx_st;

namespace pgfiredrill {

struct FreeTlsContext {
  void operator()(SSL_CTX* context) const noexcept;
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTlsContext>;

/// For a server with a new key (ECDSA, P-256) that it has signed itself; as PostgreSQL, without tickets.
/// Fails with OpenSSL's reason.
[[nodiscard]] Result<TlsContext> make_server_tls();

}  // namespace pgfiredrill
