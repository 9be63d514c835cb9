#pragma once

/// A program run to its end, with what it printed and what it took.

#include <string>
#include <vector>

namespace pgfiredrill::bench {

struct ChildEnd {
  bool good = false;  ///< ended with 0
  std::string out;
  double cpu_s = 0;  ///< user and system, of all its threads
  double wall_s = 0;
  double memory_mib = 0;  ///< the most that was resident
};

[[nodiscard]] ChildEnd run_child(const std::vector<std::string>& command);

}  // namespace pgfiredrill::bench
