#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <httplib.h>
#include <unistd.h>

#include "base/http.h"
#include "tests/support/loopback_server.h"
#include "tests/support/private_ca.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::LoopbackServer;
using testing::PrivateCa;

HttpAddress plain(int port) {
  return {.tls = false, .host = "127.0.0.1", .port = port};
}

Failure failure_of(const HttpAddress& address, const TlsIdentity& identity = {},
                   const HttpRequest& request = {}) {
  SystemHttpClient client;
  const auto result = client.send(address, identity, request);
  EXPECT_FALSE(result.has_value());
  return result ? Failure{} : result.error();
}

/// A plain server that sends fixed text and closes.
Failure failure_on_answer(const std::string& answer) {
  LoopbackServer server{[&](int socket) {
    testing::read_request_head(socket);
    testing::send_text(socket, answer.c_str());
  }};
  return failure_of(plain(server.port()));
}

/// An HTTPS server that knows one page.
class TlsServer {
 public:
  TlsServer(const PrivateCa::Pair& pair, const std::string& client_ca_file = {})
      : server_{pair.certificate_file.c_str(), pair.key_file.c_str(),
                client_ca_file.empty() ? nullptr : client_ca_file.c_str()} {
    server_.Get("/page", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("hello", "text/plain");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread{[this] { server_.listen_after_bind(); }};
    while (!server_.is_running()) std::this_thread::sleep_for(1ms);
  }
  ~TlsServer() {
    server_.stop();
    thread_.join();
  }

  [[nodiscard]] HttpAddress address() const { return {.tls = true, .host = "127.0.0.1", .port = port_}; }

 private:
  httplib::SSLServer server_;
  int port_ = 0;
  std::thread thread_;
};

TEST(HttpAddress, IsReadFromUrls) {
  const auto full = parse_http_address("https://10.77.0.11:8008/patroni", 80);
  ASSERT_TRUE(full);
  EXPECT_TRUE(full->tls);
  EXPECT_EQ(full->host, "10.77.0.11");
  EXPECT_EQ(full->port, 8008);
  EXPECT_EQ(full->url(), "https://10.77.0.11:8008");

  const auto short_form = parse_http_address("http://pg1", 8008);
  ASSERT_TRUE(short_form);
  EXPECT_EQ(short_form->port, 8008);

  const auto ipv6 = parse_http_address("http://[fd00::1]:8008", 80);
  ASSERT_TRUE(ipv6);
  EXPECT_EQ(ipv6->host, "fd00::1");
  EXPECT_EQ(ipv6->url(), "http://[fd00::1]:8008");
}

TEST(HttpAddress, RefusesWhatIsNone) {
  for (const char* text :
       {"", "pg1:8008", "ftp://pg1", "http://", "http://pg1:0", "http://pg1:70000", "http://pg1:x",
        "http://[fd00::1", "http://[fd00::1]x", "http://a b", "http://pg1:"}) {
    const auto result = parse_http_address(text, 80);
    EXPECT_FALSE(result.has_value()) << text;
  }
}

TEST(HttpAddress, NeverRepeatsAPassword) {
  const auto result = parse_http_address("https://admin:hunter2@pg1", 80);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), ::testing::Not(HasSubstr("hunter2")));
}

TEST(SystemHttpClient, ReadsAWholeAnswerWhateverItsStatus) {
  LoopbackServer server{[](int socket) {
    testing::read_request_head(socket);
    testing::send_text(socket,
                       "HTTP/1.0 503 Service Unavailable\r\nX-Kind: a\r\n\r\n{\"state\": \"stopped\"}");
  }};
  SystemHttpClient client;
  const auto response = client.send(plain(server.port()), {}, {.path = "/patroni"});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 503);
  EXPECT_EQ(response->body, "{\"state\": \"stopped\"}");
  EXPECT_EQ(response->headers.at("x-kind"), "a");
}

TEST(SystemHttpClient, SendsThePathAsItIs) {
  std::string head;
  LoopbackServer server{[&](int socket) {
    head = testing::read_request_head(socket);
    testing::send_text(socket, "HTTP/1.0 200 OK\r\n\r\n");
  }};
  SystemHttpClient client;
  ASSERT_TRUE(client.send(plain(server.port()), {}, {.path = "/stats;csv?a=b%20c"}));
  EXPECT_THAT(head, HasSubstr("GET /stats;csv?a=b%20c HTTP/1.1\r\n"));
  EXPECT_EQ(failure_of(plain(server.port()), {}, {.path = "/ HTTP/1.0\r\nX: y"}).kind,
            FailureKind::malformed);
}

TEST(SystemHttpClient, SaysThatNobodyListens) {
  const Failure failure = failure_of(plain(testing::closed_port()));
  EXPECT_EQ(failure.kind, FailureKind::unreachable);
  EXPECT_THAT(failure.message(), HasSubstr("GET / on http://127.0.0.1:"));
  EXPECT_FALSE(failure.hint.empty());
}

TEST(SystemHttpClient, GivesUpOnASilentServerAtTheDeadline) {
  LoopbackServer server{[](int) { std::this_thread::sleep_for(1s); }};
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(failure_of(plain(server.port()), {}, {.deadline = 200ms}).kind, FailureKind::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 900ms);
}

TEST(SystemHttpClient, GivesUpOnASilentTlsHandshake) {
  LoopbackServer server{[](int) { std::this_thread::sleep_for(2s); }};
  const auto before = std::chrono::steady_clock::now();
  const HttpAddress address{.tls = true, .host = "127.0.0.1", .port = server.port()};
  EXPECT_EQ(failure_of(address, {}, {.deadline = 200ms}).kind, FailureKind::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 1500ms);
}

TEST(SystemHttpClient, GivesUpOnATrickleAtTheDeadline) {
  std::atomic<bool> stop{false};
  LoopbackServer server{[&](int socket) {
    testing::read_request_head(socket);
    testing::send_text(socket, "HTTP/1.0 200 OK\r\n\r\n");
    for (int i = 0; i < 100 && !stop; ++i) {
      testing::send_text(socket, "x");
      std::this_thread::sleep_for(50ms);
    }
  }};
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(failure_of(plain(server.port()), {}, {.deadline = 300ms}).kind, FailureKind::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
  stop = true;
}

TEST(SystemHttpClient, TakesNoHalfAnswer) {
  EXPECT_EQ(failure_on_answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"half\":").kind,
            FailureKind::malformed);
  EXPECT_EQ(failure_on_answer("").kind, FailureKind::malformed);
  EXPECT_EQ(failure_on_answer("SSH-2.0-OpenSSH_9.2\r\n").kind, FailureKind::malformed);
}

TEST(SystemHttpClient, BelievesAServerOfTheGivenAuthority) {
  const PrivateCa ca;
  const TlsServer server{ca.issue("IP:127.0.0.1")};
  SystemHttpClient client;
  const auto response = client.send(server.address(), {.ca_pem = ca.ca_pem()}, {.path = "/page"});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->body, "hello");
}

TEST(SystemHttpClient, DistrustsAnotherAuthority) {
  const PrivateCa ca;
  const PrivateCa other;
  const TlsServer server{ca.issue("IP:127.0.0.1")};
  const Failure failure = failure_of(server.address(), {.ca_pem = other.ca_pem()});
  EXPECT_EQ(failure.kind, FailureKind::untrusted);
  EXPECT_THAT(failure.message(), HasSubstr("certificate was not accepted"));
}

TEST(SystemHttpClient, DistrustsAPrivateAuthorityByDefault) {
  const PrivateCa ca;
  const TlsServer server{ca.issue("IP:127.0.0.1")};
  EXPECT_EQ(failure_of(server.address()).kind, FailureKind::untrusted);
}

TEST(SystemHttpClient, DistrustsACertificateForAnotherName) {
  const PrivateCa ca;
  const TlsServer server{ca.issue("DNS:elsewhere.example")};
  const Failure failure = failure_of(server.address(), {.ca_pem = ca.ca_pem()});
  EXPECT_EQ(failure.kind, FailureKind::untrusted);
  EXPECT_THAT(failure.message(), HasSubstr("IP address mismatch"));
}

TEST(SystemHttpClient, DistrustsAnExpiredCertificate) {
  const PrivateCa ca;
  const TlsServer server{ca.issue("IP:127.0.0.1", 0)};
  const Failure failure = failure_of(server.address(), {.ca_pem = ca.ca_pem()});
  EXPECT_EQ(failure.kind, FailureKind::untrusted);
  EXPECT_THAT(failure.message(), HasSubstr("expired"));
}

TEST(SystemHttpClient, ShowsItsOwnCertificate) {
  const PrivateCa ca;
  const testing::TemporaryDirectory directory;
  const std::string ca_file = directory.write("ca.crt", ca.ca_pem());
  const auto pair = ca.issue("IP:127.0.0.1");
  const TlsServer server{pair, ca_file};
  SystemHttpClient client;
  const TlsIdentity identity{.ca_pem = ca.ca_pem(),
                             .certificate_pem = testing::read_file(pair.certificate_file),
                             .key_pem = Secret{testing::read_file(pair.key_file)}};
  const auto response = client.send(server.address(), identity, {.path = "/page"});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 200);
  EXPECT_FALSE(client.send(server.address(), {.ca_pem = ca.ca_pem()}, {.path = "/page"}).has_value());
}

TEST(SystemHttpClient, SaysWhereItsOwnFilesAreNoCertificates) {
  const HttpAddress address{.tls = true, .host = "127.0.0.1", .port = testing::closed_port()};
  EXPECT_EQ(failure_of(address, {.ca_pem = "no PEM"}).kind, FailureKind::malformed);
  EXPECT_EQ(failure_of(address, {.certificate_pem = "no PEM", .key_pem = Secret{"none"}}).kind,
            FailureKind::malformed);
}

TEST(SystemHttpClient, HintsAtTheOtherProtocol) {
  const PrivateCa ca;
  const TlsServer server{ca.issue("IP:127.0.0.1")};
  HttpAddress address = server.address();
  address.tls = false;
  EXPECT_THAT(failure_of(address).hint, HasSubstr("HTTPS"));

  LoopbackServer plain_server{
      [](int socket) { testing::send_text(socket, "HTTP/1.0 400 Bad Request\r\n\r\n"); }};
  EXPECT_THAT(failure_of({.tls = true, .host = "127.0.0.1", .port = plain_server.port()}).hint,
              HasSubstr("plain HTTP"));
}

}  // namespace
}  // namespace pgfiredrill
