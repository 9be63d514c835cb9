#pragma once

/// One HTTP request and its whole answer, as a seam. For Patroni's REST interface, etcd's gateway and
/// HAProxy's statistics page; blocking, so for worker threads only.

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "base/failure.h"
#include "base/secret.h"

namespace pgfiredrill {

struct HttpAddress {
  bool tls = false;
  std::string host;  ///< name or address (IPv6 without brackets)
  int port = 0;

  /// `https://10.0.0.1:8008`
  [[nodiscard]] std::string url() const;
};

/// Reads `http[s]://host[:port][/]`; the default port is the one given. Fails `malformed`.
[[nodiscard]] Result<HttpAddress> parse_http_address(const std::string& url, int default_port);

/// Whom a TLS client believes and who it says it is. PEM texts, not file names: they come from the hosts and
/// never touch this machine's disk.
struct TlsIdentity {
  std::string ca_pem;           ///< trusted authorities; empty: the system's own
  std::string certificate_pem;  ///< our own certificate; empty: none
  Secret key_pem;               ///< its private key
};

struct HttpRequest {
  std::string method = "GET";
  std::string path = "/";
  std::string body;  ///< sent as JSON where not empty
  std::string user;  ///< basic authentication where not empty
  Secret password;
  std::chrono::milliseconds deadline{3'000};  ///< for everything, from connect to the last byte
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

/// Thread-safe.
class HttpClient {
 public:
  virtual ~HttpClient() = default;

  /// Any HTTP status is a response; failures are `unreachable`, `timed_out`, `untrusted` (certificate),
  /// `malformed` (not HTTP, half an answer, an answer over 16 MiB). No redirects are followed.
  [[nodiscard]] virtual Result<HttpResponse> send(const HttpAddress& address, const TlsIdentity& identity,
                                                  const HttpRequest& request) = 0;
};

class SystemHttpClient final : public HttpClient {
 public:
  [[nodiscard]] Result<HttpResponse> send(const HttpAddress& address, const TlsIdentity& identity,
                                          const HttpRequest& request) override;
};

}  // namespace pgfiredrill
