#include "record/error_class.h"

#include <array>

namespace pgfiredrill {
namespace {

/// Marks an SQLSTATE, so that "00000" differs from no error at all. Below it, six bits for each character,
/// the first one lowest: PostgreSQL's own packing.
constexpr std::uint32_t kIsSqlstate = 0x8000'0000;
constexpr std::size_t kLength = 5;
constexpr unsigned kBits = 6;

constexpr bool is_state_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

std::optional<std::string> unpack(std::uint32_t code) {
  if ((code & kIsSqlstate) == 0 || (code & 0x4000'0000) != 0) return std::nullopt;
  std::string state;
  for (std::size_t i = 0; i < kLength; ++i) {
    const char c = static_cast<char>('0' + ((code >> (kBits * i)) & 0x3f));
    if (!is_state_character(c)) return std::nullopt;
    state += c;
  }
  return state;
}

constexpr std::array kTroubles{
    "none",
    "refused",
    "reset",
    "closed",
    "unreachable",
    "connect_timeout",
    "login_timeout",
    "answer_timeout",
    "tls",
    "misrouted",
    "wrong_tag",
    "no_connection",
    "late_dispatch",
    "read_only_session",
    "login_retry",
    "query_wait_timeout",
    "server_conn_crashed",
    "protocol",
    "other",
};
static_assert(kTroubles.size() == static_cast<std::size_t>(Trouble::other) + 1);

constexpr std::array kLayers{
    "none", "instrument", "network", "balancer", "pooler", "postgres", "routing", "unknown",
};
static_assert(kLayers.size() == static_cast<std::size_t>(Layer::unknown) + 1);

}  // namespace

const char* to_string(Trouble trouble) noexcept {
  const auto number = static_cast<std::size_t>(trouble);
  return number < kTroubles.size() ? kTroubles[number] : "other";
}

const char* to_string(Layer layer) noexcept {
  const auto number = static_cast<std::size_t>(layer);
  return number < kLayers.size() ? kLayers[number] : "unknown";
}

ErrorClass ErrorClass::sqlstate(std::string_view state) noexcept {
  if (state.size() != kLength) return Trouble::other;
  std::uint32_t code = kIsSqlstate;
  for (std::size_t i = 0; i < kLength; ++i) {
    if (!is_state_character(state[i])) return Trouble::other;
    code |= static_cast<std::uint32_t>(state[i] - '0') << (kBits * i);
  }
  return from_code(code);
}

ErrorClass ErrorClass::from_code(std::uint32_t code) noexcept {
  ErrorClass error;
  error.code_ = code;
  return error;
}

std::string ErrorClass::to_string() const {
  if (const auto state = unpack(code_)) return *state;
  if (code_ < kTroubles.size()) return kTroubles[code_];
  return "unknown " + std::to_string(code_);
}

}  // namespace pgfiredrill
