#pragma once

/// What real releases of Ansible answered about the inventories in data/inventories, call by call.
///
/// To record a release, put it first in PATH and run the tests with PGFIREDRILL_RECORD_ANSIBLE=NAME: what the
/// tests against this machine's Ansible see is written to data/recorded/NAME. One file for each call: status,
/// stdout and stderr.

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/process.h"
#include "tests/support/fixture.h"

namespace pgfiredrill::testing {

inline constexpr std::string_view kErrHeading = "\n--- stderr\n";
inline constexpr std::string_view kOutHeading = "\n--- stdout\n";

inline std::string recorded_call(const std::string& release, const std::string& name, std::size_t call,
                                 const std::string& program) {
  return "inventories/data/recorded/" + release + "/" + name + "/" + std::to_string(call) + "-" + program +
         ".txt";
}

/// Answers as a release did.
class ReplayedAnsible final : public ProcessRunner {
 public:
  ReplayedAnsible(std::string release, std::string name)
      : release_{std::move(release)}, name_{std::move(name)} {}

  [[nodiscard]] Result<ProcessResult> run(const ProcessRequest& request) override {
    const std::string text = read_fixture(recorded_call(release_, name_, ++calls_, request.argv.front()));
    const auto err = text.find(kErrHeading);
    const auto out = text.find(kOutHeading);
    ProcessResult result;
    if (err == std::string::npos || out == std::string::npos) return result;
    result.exit_status = std::atoi(text.c_str());
    result.err = text.substr(err + kErrHeading.size(), out - err - kErrHeading.size());
    result.out = text.substr(out + kOutHeading.size());
    return result;
  }

 private:
  std::string release_;
  std::string name_;
  std::size_t calls_ = 0;
};

/// This machine's, written down where that is asked for.
class MachinesAnsible final : public ProcessRunner {
 public:
  explicit MachinesAnsible(std::string name) : name_{std::move(name)} {}

  [[nodiscard]] static bool is_installed() {
    SystemProcessRunner processes;
    return processes.run({.argv = {"ansible-inventory", "--version"}}).has_value();
  }

  [[nodiscard]] Result<ProcessResult> run(const ProcessRequest& request) override {
    auto result = processes_.run(request);
    const char* release = std::getenv("PGFIREDRILL_RECORD_ANSIBLE");
    if (release != nullptr && result)
      record(fixture_path(recorded_call(release, name_, ++calls_, request.argv.front())), *result);
    return result;
  }

 private:
  static void record(const std::filesystem::path& path, const ProcessResult& result) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << result.exit_status << kErrHeading << without_checkout(result.err) << kOutHeading
                        << without_checkout(result.out);
  }

  /// Recordings do not depend on where the checkout was.
  static std::string without_checkout(std::string text) {
    const std::string checkout{PGFIREDRILL_SOURCE_DIR};
    for (auto at = text.find(checkout); at != std::string::npos; at = text.find(checkout, at))
      text.replace(at, checkout.size(), "/checkout");
    return text;
  }

  std::string name_;
  SystemProcessRunner processes_;
  std::size_t calls_ = 0;
};

}  // namespace pgfiredrill::testing
