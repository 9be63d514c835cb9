// The one file that knows cpp-httplib and OpenSSL's X509.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include <httplib.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/http.h"
#include "base/text.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kLargestBody = 16u << 20;

template <auto Free>
struct FreeWith {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using X509Ptr = std::unique_ptr<X509, FreeWith<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free_all>>;

BioPtr bio_over(const std::string& text) {
  return BioPtr{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

/// Ends a request at its deadline from outside: httplib's own timeouts count for each read, so that a server
/// which trickles could hold us for ever.
class Watchdog {
 public:
  Watchdog(httplib::ClientImpl& client, std::chrono::milliseconds deadline)
      : thread_{[this, &client, deadline] {
          std::unique_lock lock{mutex_};
          if (finished_.wait_for(lock, deadline, [this] { return done_; })) return;
          fired_ = true;
          client.stop();
        }} {}

  ~Watchdog() {
    if (thread_.joinable()) finish();
  }

  /// Whether the deadline had passed.
  bool finish() {
    {
      const std::lock_guard lock{mutex_};
      done_ = true;
    }
    finished_.notify_one();
    thread_.join();
    return fired_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false;
  bool fired_ = false;
  std::thread thread_;
};

/// Why OpenSSL did not believe the server; filled during the handshake.
struct Distrust {
  int code = X509_V_OK;
};

int remember_distrust(int preverified, X509_STORE_CTX* store) {
  if (preverified == 1) return 1;
  auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* distrust = static_cast<Distrust*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  distrust->code = X509_STORE_CTX_get_error(store);
  return 0;
}

bool is_numeric_address(const std::string& host) {
  const std::unique_ptr<ASN1_OCTET_STRING, FreeWith<ASN1_OCTET_STRING_free>> parsed{
      a2i_IPADDRESS(host.c_str())};
  return parsed != nullptr;
}

/// Makes OpenSSL itself verify chain and name, during the handshake. httplib's own verification adds the
/// system's authorities to a private one and cannot say what was wrong.
bool demand_verification(SSL_CTX* context, const HttpAddress& address, const TlsIdentity& identity,
                         Distrust& distrust) {
  if (identity.ca_pem.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else {
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    const BioPtr bio = bio_over(identity.ca_pem);
    int certificates = 0;
    while (const X509Ptr certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
      X509_STORE_add_cert(store, certificate.get());
      ++certificates;
    }
    if (certificates == 0) return false;
  }
  X509_VERIFY_PARAM* parameters = SSL_CTX_get0_param(context);
  if (is_numeric_address(address.host)) {
    X509_VERIFY_PARAM_set1_ip_asc(parameters, address.host.c_str());
  } else {
    X509_VERIFY_PARAM_set1_host(parameters, address.host.c_str(), address.host.size());
  }
  SSL_CTX_set_app_data(context, &distrust);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, remember_distrust);
  return true;
}

/// One exchange: a client, its trust and what came.
class Exchange {
 public:
  Exchange(const HttpAddress& address, const TlsIdentity& identity, const HttpRequest& request)
      : address_{address}, identity_{identity}, request_{request} {}

  Result<HttpResponse> run() {
    if (request_.path.find_first_of(" \r\n") != std::string::npos) {
      return failure(FailureKind::malformed, "the path would end the request line", {});
    }
    if (auto failure = make_client()) return *failure;
    configure_timeouts();

    httplib::Request request = to_httplib();
    httplib::Response response;
    auto error = httplib::Error::Success;
    Watchdog watchdog{*client_, request_.deadline};
    const bool sent = client_->send(request, response, error);
    const bool late = watchdog.finish();
    if (body_too_large_) return failure(FailureKind::malformed, "an answer of more than 16 MiB", {});
    if (late) return timed_out();
    if (!sent) return explain(error);
    return from_httplib(response);
  }

 private:
  std::optional<Failure> make_client() {
    if (!address_.tls) {
      client_ = std::make_unique<httplib::ClientImpl>(address_.host, address_.port);
      return std::nullopt;
    }
    std::unique_ptr<httplib::SSLClient> tls;
    if (identity_.certificate_pem.empty()) {
      tls = std::make_unique<httplib::SSLClient>(address_.host, address_.port);
    } else {
      const X509Ptr certificate{
          PEM_read_bio_X509(bio_over(identity_.certificate_pem).get(), nullptr, nullptr, nullptr)};
      const KeyPtr key{
          PEM_read_bio_PrivateKey(bio_over(identity_.key_pem.reveal()).get(), nullptr, nullptr, nullptr)};
      if (!certificate || !key) {
        return failure(FailureKind::malformed, "our client certificate or its key is no PEM text", {});
      }
      tls = std::make_unique<httplib::SSLClient>(address_.host, address_.port, certificate.get(), key.get());
    }
    tls->enable_server_certificate_verification(false);  // OpenSSL does it, see demand_verification
    if (!demand_verification(tls->ssl_context(), address_, identity_, distrust_)) {
      return failure(FailureKind::malformed, "the file of trusted authorities holds no PEM certificate", {});
    }
    client_ = std::move(tls);
    return std::nullopt;
  }

  void configure_timeouts() {
    // Longer than the deadline, so that it is always the watchdog that ends a wait, and `late` tells the
    // reason.
    const auto longer = request_.deadline + std::chrono::milliseconds{500};
    client_->set_connection_timeout(request_.deadline);
    client_->set_read_timeout(longer);
    client_->set_write_timeout(longer);
    client_->set_keep_alive(false);
    client_->set_decompress(false);
    client_->set_url_encode(false);  // it would turn HAProxy's "/;csv" into "/%3Bcsv"
  }

  httplib::Request to_httplib() {
    httplib::Request request;
    request.method = request_.method;
    request.path = request_.path;
    request.body = request_.body;
    if (!request_.body.empty()) request.set_header("Content-Type", "application/json");
    if (!request_.user.empty()) {
      request.headers.insert(
          httplib::make_basic_authentication_header(request_.user, request_.password.reveal()));
    }
    request.content_receiver = [this](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
      body_.append(data, size);
      body_too_large_ = body_.size() > kLargestBody;
      return !body_too_large_;
    };
    return request;
  }

  HttpResponse from_httplib(const httplib::Response& response) {
    HttpResponse result{.status = response.status, .headers = {}, .body = std::move(body_)};
    for (const auto& [name, value] : response.headers) result.headers[lower(name)] = value;
    return result;
  }

  Failure failure(FailureKind kind, const std::string& came_back, const std::string& hint) const {
    return {.kind = kind,
            .what = request_.method + " " + request_.path,
            .where = address_.url(),
            .came_back = came_back,
            .hint = hint};
  }

  Failure timed_out() const {
    return failure(FailureKind::timed_out,
                   "no whole answer within " + std::to_string(request_.deadline.count()) + " ms",
                   "The host may be down, cut off or overloaded.");
  }

  Failure explain(httplib::Error error) const {
    switch (error) {
      case httplib::Error::Connection:
        return failure(FailureKind::unreachable, "the connection was refused or there is no route",
                       "Is the service running, and does it listen on this address?");
      case httplib::Error::ConnectionTimeout:
        return timed_out();
      case httplib::Error::SSLConnection:
      case httplib::Error::SSLServerVerification:
      case httplib::Error::SSLLoadingCerts:
        return explain_tls();
      default:
        return failure(FailureKind::malformed,
                       "the connection was closed before a whole HTTP answer had come (" +
                           httplib::to_string(error) + ")",
                       address_.tls ? "" : "Does this port speak HTTPS?");
    }
  }

  Failure explain_tls() const {
    if (distrust_.code != X509_V_OK) {
      return failure(
          FailureKind::untrusted,
          std::string{"its certificate was not accepted: "} + X509_verify_cert_error_string(distrust_.code),
          "Name the right authority (--cacert FILE), or renew the certificate.");
    }
    return failure(FailureKind::untrusted, "the TLS handshake failed",
                   "Does this port speak plain HTTP, or does it demand a client certificate?");
  }

  const HttpAddress& address_;
  const TlsIdentity& identity_;
  const HttpRequest& request_;
  Distrust distrust_;
  std::unique_ptr<httplib::ClientImpl> client_;
  std::string body_;
  bool body_too_large_ = false;
};

}  // namespace

Result<HttpResponse> SystemHttpClient::send(const HttpAddress& address, const TlsIdentity& identity,
                                            const HttpRequest& request) {
  return Exchange{address, identity, request}.run();
}

}  // namespace pgfiredrill
