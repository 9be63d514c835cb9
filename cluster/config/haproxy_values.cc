#include "cluster/config/haproxy_values.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace pgfiredrill {
namespace {

constexpr std::int64_t kMaximumMilliseconds = 2'147'483'647;

struct TimeUnit {
  std::string_view name;
  std::int64_t microseconds;
};

constexpr std::array kTimeUnits = {TimeUnit{"us", 1},
                                   TimeUnit{"", 1'000},
                                   TimeUnit{"ms", 1'000},
                                   TimeUnit{"s", 1'000'000},
                                   TimeUnit{"m", 60'000'000},
                                   TimeUnit{"h", 3'600'000'000},
                                   TimeUnit{"d", 86'400'000'000}};

/// What stands before an "@" for addresses that no client reaches over the network.
constexpr std::array<std::string_view, 8> kLocalFamilies = {"unix",  "uxst", "uxdg",     "abns",
                                                            "abnsz", "fd",   "sockpair", "rhttp"};

}  // namespace

std::optional<std::chrono::milliseconds> haproxy_time(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_integer(text.substr(0, digits));
  const auto unit = std::find_if(kTimeUnits.begin(), kTimeUnits.end(),
                                 [&](const TimeUnit& known) { return known.name == text.substr(digits); });
  if (!number || unit == kTimeUnits.end()) return std::nullopt;
  if (*number > kMaximumMilliseconds * 1'000 / unit->microseconds) return std::nullopt;
  return std::chrono::milliseconds{(*number * unit->microseconds + 999) / 1'000};
}

HaproxyAddress haproxy_address(std::string_view text) {
  const auto at = text.find('@');
  if (at != std::string_view::npos) {
    const std::string_view family = text.substr(0, at);
    text.remove_prefix(at + 1);
    if (std::find(kLocalFamilies.begin(), kLocalFamilies.end(), family) != kLocalFamilies.end()) {
      return {.network = false, .host = std::string{text}, .port = {}};
    }
  }
  if (text.starts_with('/')) return {.network = false, .host = std::string{text}, .port = {}};

  std::string_view host = text;
  std::string_view port;
  const auto colon = text.rfind(':');
  const auto bracket = text.rfind(']');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return {.network = true, .host = host.empty() ? "*" : std::string{host}, .port = std::string{port}};
}

std::optional<PortRange> haproxy_port_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = parse_port(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_port(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return PortRange{.first = *first, .last = *last};
}

}  // namespace pgfiredrill
