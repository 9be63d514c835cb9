#include "fault-injectors/addresses.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"

namespace pgfiredrill::fault {
namespace {

constexpr std::size_t kLongestName = 253;

Failure no_address(const std::string& of, const std::string& where, const std::string& came_back,
                   const std::string& hint) {
  return {.kind = FailureKind::missing,
          .what = "find an address of " + one_line(of, 80),
          .where = where,
          .came_back = came_back,
          .hint = hint};
}

bool is_name(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  return !text.empty() && text.size() <= kLongestName && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), plain);
}

/// `getent ahosts` says each address once for each kind of socket: "10.0.0.9       STREAM s3.example".
std::vector<std::string> first_words(const std::string& text) {
  std::set<std::string> found;
  for (const std::string_view line : lines(text)) {
    const auto said = words(line);
    if (!said.empty() && is_address(said.front())) found.insert(said.front());
  }
  return {found.begin(), found.end()};
}

struct AddressList {
  addrinfo* list = nullptr;
  ~AddressList() {
    if (list != nullptr) ::freeaddrinfo(list);
  }
};

class DatagramSocket {
 public:
  explicit DatagramSocket(int family) : fd_{::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0)} {}
  ~DatagramSocket() {
    if (fd_ >= 0) ::close(fd_);
  }
  DatagramSocket(const DatagramSocket&) = delete;
  DatagramSocket& operator=(const DatagramSocket&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

}  // namespace

bool is_address(const std::string& text) {
  unsigned char parsed[sizeof(in6_addr)];
  return ::inet_pton(AF_INET, text.c_str(), parsed) == 1 || ::inet_pton(AF_INET6, text.c_str(), parsed) == 1;
}

Result<std::vector<std::string>> addresses_of(const ClusterDescription& cluster, const std::string& host) {
  std::set<std::string> found;
  const auto add = [&](const std::string& address) {
    if (is_address(address) && !Endpoint{.host = address}.is_everywhere()) found.insert(address);
  };
  for (const HostDescription& known : cluster.hosts) {
    if (known.name != host) continue;
    add(known.address);
    add(known.bind_address);
  }
  for (const Member& member : cluster.members) {
    if (member.host == host) add(member.postgres.host);
  }
  for (const StatisticsPage& page : cluster.statistics) {
    if (page.host == host) add(page.address.host);
  }
  if (!found.empty()) return std::vector<std::string>{found.begin(), found.end()};
  return no_address(host, {}, "the inventory and Patroni tell only names",
                    "Give the host's ansible_host or bind_address as an address.");
}

Result<std::vector<std::string>> resolve_on(Host& host, const std::string& name) {
  if (is_address(name)) return std::vector<std::string>{name};
  if (!is_name(name)) return no_address(name, host.name(), "that is no name of a host", {});
  const auto answer = host.run({.argv = {"getent", "ahosts", name}, .as_root = false});
  if (!answer) return answer.error();
  auto found = first_words(answer->out);
  if (answer->exit_status == 0 && !found.empty()) return found;
  return no_address(name, host.name(), "its resolver knows none", "Look at /etc/hosts and DNS there.");
}

Result<std::string> own_address_towards(const std::string& address) {
  const auto failed = [&](const std::string& why) {
    return no_address("this machine towards " + address, {}, why, "Is there a route to it?");
  };
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_DGRAM;
  AddressList peer;
  if (::getaddrinfo(address.c_str(), "9", &hints, &peer.list) != 0) return failed("that is no address");
  const DatagramSocket socket{peer.list->ai_family};
  // Of a datagram socket this only chooses the route.
  if (socket.fd() < 0 || ::connect(socket.fd(), peer.list->ai_addr, peer.list->ai_addrlen) != 0)
    return failed(std::strerror(errno));
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  // The socket interface's own way of passing addresses.
  auto* generic = reinterpret_cast<sockaddr*>(&own);
  char text[NI_MAXHOST];
  if (::getsockname(socket.fd(), generic, &size) != 0 ||
      ::getnameinfo(generic, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0)
    return failed("the system does not tell it");
  return std::string{text};
}

}  // namespace pgfiredrill::fault
