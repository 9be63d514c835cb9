#include "calibration/stage_channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>

namespace pgfiredrill::stage_channel {
namespace {

/// More than the longest message: a thousand lanes.
constexpr std::size_t kMostBytes = 16'384;

std::string encode(const Message& message) {
  std::string bytes{static_cast<char>(message.kind)};
  if (message.kind == Message::Kind::failed) return bytes + message.text;
  for (const std::int64_t number : message.numbers) {
    std::array<char, sizeof number> raw;
    std::memcpy(raw.data(), &number, sizeof number);
    bytes.append(raw.data(), raw.size());
  }
  return bytes;
}

Message decode(std::string_view bytes) {
  Message message{.kind = static_cast<Message::Kind>(bytes.front())};
  bytes.remove_prefix(1);
  if (message.kind == Message::Kind::failed) {
    message.text = bytes;
    return message;
  }
  for (std::int64_t number = 0; bytes.size() >= sizeof number; bytes.remove_prefix(sizeof number)) {
    std::memcpy(&number, bytes.data(), sizeof number);
    message.numbers.push_back(number);
  }
  return message;
}

bool wait_readable(const Descriptor& end, nanoseconds limit) {
  pollfd waited{.fd = end.get(), .events = POLLIN, .revents = 0};
  const auto milliseconds =
      std::chrono::ceil<std::chrono::milliseconds>(std::max(nanoseconds{0}, limit)).count();
  return ::poll(&waited, 1, static_cast<int>(milliseconds)) > 0;
}

}  // namespace

Result<std::pair<Descriptor, Descriptor>> make_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Failure{.what = "make a pair of sockets", .came_back = std::strerror(errno)};
  }
  return std::pair{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

bool send(const Descriptor& end, const Message& message) {
  const std::string bytes = encode(message);
  return ::send(end.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

Received receive(const Descriptor& end, nanoseconds limit) {
  if (!wait_readable(end, limit)) return {};
  std::array<char, kMostBytes> bytes;
  const ssize_t size = ::recv(end.get(), bytes.data(), bytes.size(), 0);
  if (size <= 0) return {.message = std::nullopt, .gone = true};
  return {.message = decode({bytes.data(), static_cast<std::size_t>(size)})};
}

}  // namespace pgfiredrill::stage_channel
