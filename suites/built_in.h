#pragma once

/// The suites of this folder, carried by the program so that they are there wherever it runs. Their texts are
/// put in by CMake.

#include <span>

namespace pgfiredrill {

struct BuiltInSuite {
  const char* name;  ///< of the file, without `.yaml`
  const char* yaml;
};

extern const std::span<const BuiltInSuite> kBuiltInSuites;

}  // namespace pgfiredrill
