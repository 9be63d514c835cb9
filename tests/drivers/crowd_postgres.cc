#include "tests/drivers/crowd_postgres.h"

#include <array>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/scripted_postgres.h"

namespace pgfiredrill::testing {
namespace {

bool send_all(int socket, const std::string& bytes) {
  return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

std::optional<std::string> receive(int socket, std::size_t size) {
  std::string bytes(size, '\0');
  if (size > 0 && ::recv(socket, bytes.data(), size, MSG_WAITALL) != static_cast<ssize_t>(size))
    return std::nullopt;
  return bytes;
}

/// What follows a length.
std::optional<std::string> receive_body(int socket) {
  const auto length = receive(socket, 4);
  if (!length) return std::nullopt;
  std::size_t value = 0;
  for (const char byte : *length) value = value << 8 | static_cast<unsigned char>(byte);
  return receive(socket, value - 4);
}

const std::string kReady{"Z\0\0\0\5I", 6};
const std::string kWelcome{"R\0\0\0\x08\0\0\0\0", 9};
const std::string kParsedAndBound{
    "1\0\0\0\x04"
    "2\0\0\0\x04",
    10};

std::vector<std::optional<std::string>> answer_row(bool in_recovery, const std::string& standby_names) {
  return {in_recovery ? "t" : "f",
          "1700000000000001",
          "4711",
          "0/3000148",
          in_recovery ? std::nullopt : std::optional<std::string>{"0000002A"},
          standby_names,
          "on"};
}

}  // namespace

std::string wire_canary_answer(const std::string& heartbeat, bool in_recovery) {
  auto row = answer_row(in_recovery, "");
  row.emplace_back(heartbeat);
  return wire_rows({"a", "b", "c", "d", "e", "f", "g", "h"}, {row});
}

std::string wire_answer(const std::string& tag, bool in_recovery, const std::string& standby_names) {
  const auto row = answer_row(in_recovery, standby_names);
  std::string bytes = wire_rows({"a", "b", "c", "d", "e", "f", "g"}, {row});
  return bytes.substr(0, bytes.size() - wire_done("SELECT 1").size()) + wire_done(tag);
}

CrowdPostgres::CrowdPostgres(Answer answer) : answer_{std::move(answer)} {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  (void)!::bind(listener_, generic, size);
  (void)!::getsockname(listener_, generic, &size);
  port_ = ntohs(address.sin_port);
  ::listen(listener_, 64);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

CrowdPostgres::~CrowdPostgres() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  cut_all();
  for (auto& thread : threads_) thread.join();
}

void CrowdPostgres::cut_all() {
  const std::lock_guard lock{mutex_};
  for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
}

void CrowdPostgres::accept_all() {
  for (int client = 0; (client = ::accept(listener_, nullptr, nullptr)) >= 0;) {
    const std::lock_guard lock{mutex_};
    sockets_.push_back(client);
    threads_.emplace_back([this, client] {
      serve(client);
      const std::lock_guard guard{mutex_};
      sockets_.remove(client);
      ::close(client);
    });
  }
}

void CrowdPostgres::serve(int socket) {
  if (!receive_body(socket) || !send_all(socket, kWelcome + kReady)) return;
  std::string parsed;
  while (const auto type = receive(socket, 1)) {
    const auto body = receive_body(socket);
    if (!body || *type == "X") return;
    if (*type == "P") parsed = body->substr(1).c_str();
    if (*type != "S") continue;
    const auto answer = answer_(parsed);
    if (!answer) continue;
    if (!send_all(socket, kParsedAndBound + *answer + kReady)) return;
  }
}

}  // namespace pgfiredrill::testing
