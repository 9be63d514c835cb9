#pragma once

/// What a bench program prints: a JSON object a line for each figure, on stdout and nothing else there.

#include <cstdio>
#include <string>

namespace pgfiredrill::bench {

enum class Bound { at_most, at_least };

/// A value and the limit it has to keep. `name` and `unit` are plain words: nothing in them is escaped.
inline bool print_figure(const std::string& name, double value, Bound bound, double limit,
                         const std::string& unit) {
  const bool holds = bound == Bound::at_most ? value <= limit : value >= limit;
  std::printf(R"({"figure": "%s", "value": %.6g, "limit": %.6g, "unit": "%s", "holds": %s})"
              "\n",
              name.c_str(), value, limit, unit.c_str(), holds ? "true" : "false");
  std::fflush(stdout);
  return holds;
}

/// A value that explains another one and has no limit of its own.
inline void print_note(const std::string& name, double value, const std::string& unit) {
  std::printf(R"({"figure": "%s", "value": %.6g, "limit": null, "unit": "%s", "holds": true})"
              "\n",
              name.c_str(), value, unit.c_str());
  std::fflush(stdout);
}

}  // namespace pgfiredrill::bench
