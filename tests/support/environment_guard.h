#pragma once

/// Sets environment variables for the length of a test.

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace pgfiredrill::testing {

/// Not thread-safe, as the environment is not.
class EnvironmentGuard {
 public:
  EnvironmentGuard() = default;
  EnvironmentGuard(const EnvironmentGuard&) = delete;
  EnvironmentGuard& operator=(const EnvironmentGuard&) = delete;
  ~EnvironmentGuard() {
    for (const auto& [name, value] : before_) {
      if (value) {
        ::setenv(name.c_str(), value->c_str(), 1);
      } else {
        ::unsetenv(name.c_str());
      }
    }
  }

  void set(const std::string& name, const std::string& value) {
    const char* before = std::getenv(name.c_str());
    before_.emplace(name, before != nullptr ? std::optional<std::string>{before} : std::nullopt);
    ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace pgfiredrill::testing
