#pragma once

/// Something that a person should know about the cluster: one sentence, its evidence, and what to change.

#include <string>
#include <vector>

namespace pgfiredrill {

enum class Severity : unsigned char { note, warn, fail };

[[nodiscard]] constexpr const char* to_string(Severity severity) noexcept {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warn:
      return "warn";
    case Severity::fail:
      return "fail";
  }
  return "fail";
}

struct Finding {
  std::string id;  ///< stable, `component.what-is-wrong`: `haproxy.primary-backend-up`
  Severity severity = Severity::warn;
  std::string where;                  ///< host, entry point or object it is about; empty: the cluster
  std::string sentence;               ///< what is so, and its consequence
  std::vector<std::string> evidence;  ///< what was seen, a line each
  std::string remedy;                 ///< what to change, with the exact setting
};

}  // namespace pgfiredrill
