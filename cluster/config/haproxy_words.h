#pragma once

/// A line of haproxy.cfg as words, by HAProxy's quoting rules.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgfiredrill {

struct HaproxyWord {
  std::string text;       ///< quotes and escapes resolved; environment variables left as they are written
  bool variable = false;  ///< has an environment variable in it, whose value only HAProxy's own process knows
};

/// Words up to a comment; no value where a quote stays open. Backslash escapes outside quotes and in double
/// quotes; nothing is special in single quotes; "$NAME" and "${NAME}" are variables in double quotes only.
/// HAProxy knows no line continuation.
[[nodiscard]] std::optional<std::vector<HaproxyWord>> haproxy_words(std::string_view line);

}  // namespace pgfiredrill
